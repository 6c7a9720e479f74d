import { hash, randomUUID } from "node:crypto";
import { invoicePaid } from "../../../src/pipeline/confirm/paid-event.ts";
import { type Books, TOPIC } from "./relay-books.ts";

export interface Place {
  paidAt?: Date;
  type?: string | null;
  /** The provider names no time of its payment. */
  undated?: boolean;
  /** How far it came: 0 listed, 1 asked about, 2 stored, 3 its event made, 4 accepted by SNS. */
  came?: 0 | 1 | 2 | 3 | 4;
  /** Assignments to its row in `confirmation`, and in `invoice`. */
  confirmation?: string;
  edited?: string;
  listed?: boolean;
  openedBy?: "callback" | "reconcile";
  metadata?: Record<string, string>;
}

const AMOUNT = "100.10";

/** A paid invoice, with all that the relay writes of one, as far as it came. @returns its id. */
export async function placePayment(
  { query, provider }: Pick<Books, "query" | "provider">,
  options: Place,
): Promise<string> {
  const { paidAt = new Date(), came = 4, type = "Live", listed = true, openedBy = "reconcile" } = options;
  const id = randomUUID();
  const named = options.undated === true ? null : paidAt;
  if (listed)
    provider.invoices.push({ id, createdAt: paidAt, status: "Paid", paidAt: named, amount: AMOUNT, type });
  if (came >= 1)
    await query(
      `insert into confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state, verdict)
       values ($1, 'default', $2, now(), now(), $3, 'done', 'paid')`,
      [id, paidAt, openedBy],
    );
  if (options.confirmation !== undefined)
    await query(`update confirmation set ${options.confirmation} where invoice_id = $1`, [id]);
  if (came < 2) return id;
  const answer = { id, amount: AMOUNT, status: "Paid", type, title: "A \0 B", paymentDate: named };
  const document = JSON.stringify(answer);
  const digest = hash("sha256", document, "base64url");
  await query(
    `insert into invoice (id, source, status, type, collection_name, created_at, paid_at, amount, asked_at,
       confirmed_at, digest, document)
     values ($1, 'default', 'Paid', $2, 'Term 1', $3, $4, $5::numeric, now(), now(), $6, $7)`,
    [id, type, paidAt, named, AMOUNT, digest, document],
  );
  if (options.edited !== undefined) await query(`update invoice set ${options.edited} where id = $1`, [id]);
  if (came < 3) return id;
  const invoiceType = type === "Live" ? "Live" : "Test";
  const event = invoicePaid("default", {
    ...{ invoiceId: id, reference: null, collectionName: "Term 1", title: 'He said "amount":"1.00"' },
    ...{ type: invoiceType, amount: AMOUNT, serviceCharge: null, vat: null, totalAmount: null },
    ...{ settleableAmount: null, paymentMethod: null, paidAt: named?.toISOString() ?? null },
    ...{ confirmedAt: new Date().toISOString(), payer: null, biller: null, beneficiaries: null },
    metadata: options.metadata ?? {},
  });
  const payload = JSON.stringify(event);
  await query(
    `insert into event (id, invoice_id, type, source, invoice_type, payload, created_at, answer_digest)
     values ($1, $2, 'invoice.paid', 'default', $3, $4, $5, $6)`,
    [event.id, id, invoiceType, payload, paidAt, digest],
  );
  if (came >= 4)
    await query(
      `insert into publication (source, event_id, topic_arn, message_id, digest, published_at)
       values ('default', $1, $2, 'm', $3, $4)`,
      [event.id, TOPIC, hash("sha256", payload, "buffer"), paidAt],
    );
  return id;
}
