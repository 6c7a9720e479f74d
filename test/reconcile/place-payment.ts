import { hash, randomUUID } from "node:crypto";
import { invoicePaid } from "../../src/events/invoice-paid.ts";
import { type Books, TOPIC } from "./relay-books.ts";

export interface Place {
  paidAt?: Date;
  amount?: string;
  storedAmount?: string;
  type?: string | null;
  /** What the provider has called its type since, which was confirmed as well. */
  typeNow?: string | null;
  /** The provider names no time of its payment. */
  undated?: boolean;
  /** How far it came: 0 listed, 1 asked about, 2 stored, 3 its event made, 4 accepted by SNS. */
  came?: 0 | 1 | 2 | 3 | 4;
  confirmation?: string;
  /** Assignments to its row in `invoice`, by hand or by erasing. */
  edited?: string;
  /** Assignments to its row in the outbox; without, an event that is not accepted waits nowhere. */
  outbox?: string;
  listed?: boolean;
  openedBy?: "callback" | "reconcile";
  createdAt?: Date;
  metadata?: Record<string, string>;
}

/** A paid invoice, with all that the relay writes of one, as far as it came. @returns its id. */
export async function placePayment(
  {
    query,
    provider,
    source: { name: source },
  }: Pick<Books, "query" | "source"> & { provider: { invoices: object[] } },
  options: Place,
): Promise<string> {
  const { paidAt = new Date(), amount = "100.10", came = 4, type = "Live", storedAmount = amount } = options;
  const { listed = true, openedBy = "reconcile", createdAt = paidAt, typeNow = type } = options;
  const id = randomUUID();
  const namedPaidAt = options.undated === true ? null : paidAt;
  if (listed)
    provider.invoices.push({ id, createdAt, status: "Paid", paidAt: namedPaidAt, amount, type: typeNow });
  if (came >= 1)
    await query(
      `insert into confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state,
        verdict)
       values ($1, $4, $2, now(), now(), $3, 'done', 'paid')`,
      [id, paidAt, openedBy, source],
    );
  if (options.confirmation !== undefined)
    await query(`update confirmation set ${options.confirmation} where invoice_id = $1 and source = $2`, [
      id,
      source,
    ]);
  if (came < 2) return id;
  const answerWith = (type: string | null) => {
    const named = { title: "A \0 B", paymentDate: namedPaidAt };
    const document = JSON.stringify({ id, amount: storedAmount, status: "Paid", type, ...named });
    return { document, digest: hash("sha256", document, "base64url") };
  };
  const { document, digest } = answerWith(type);
  await query(
    `insert into invoice (id, source, status, type, collection_name, created_at, paid_at, amount, asked_at,
      confirmed_at,
       digest, document)
     values ($1, $7, 'Paid', $2, 'Term 1', $8, $3, $4::numeric, now(), now(), $5, $6)`,
    [id, type, namedPaidAt, storedAmount, digest, document, source, createdAt],
  );
  if (options.edited !== undefined)
    await query(`update invoice set ${options.edited} where id = $1 and source = $2`, [id, source]);
  if (came < 3) return id;
  const invoiceType = type === "Live" ? "Live" : "Test";
  const event = invoicePaid(source, {
    invoiceId: id,
    reference: null,
    collectionName: "Term 1",
    title: 'He said "amount":"1.00"',
    type: invoiceType,
    amount: storedAmount,
    serviceCharge: null,
    vat: null,
    totalAmount: null,
    settleableAmount: null,
    paymentMethod: null,
    paidAt: namedPaidAt?.toISOString() ?? null,
    confirmedAt: new Date().toISOString(),
    payer: null,
    biller: null,
    beneficiaries: null,
    metadata: options.metadata ?? {},
  });
  const payload = JSON.stringify(event);
  await query(
    `insert into event (id, invoice_id, type, source, invoice_type, payload, created_at,
       answer_digest)
     values ($1, $2, 'invoice.paid', $6, $3, $4, $5, $7)`,
    [event.id, id, invoiceType, payload, paidAt, source, digest],
  );
  if (options.outbox !== undefined) {
    const outbox = [event.id, source, invoiceType];
    await query("insert into outbox (event_id, source, invoice_type) values ($1, $2, $3)", outbox);
    await query(`update outbox set ${options.outbox} where event_id = $1 and source = $2`, [
      event.id,
      source,
    ]);
  }
  if (came >= 4)
    await query(
      `insert into publication (source, event_id, topic_arn, message_id, digest, published_at)
       values ($5, $1, $2, 'm', $3, $4)`,
      [event.id, TOPIC, hash("sha256", payload, "buffer"), paidAt, source],
    );
  if (typeNow !== type) {
    await query(
      `insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document)
       select id, source, asked_at, status, digest, document from invoice where id = $1 and source = $2`,
      [id, source],
    );
    const now = answerWith(typeNow);
    await query("update invoice set type = $3, digest = $4, document = $5 where id = $1 and source = $2", [
      ...[id, source, typeNow, now.digest, now.document],
    ]);
  }
  return id;
}
