import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { scheduleDaily } from "../../src/reconcile/certificate-store.ts";
import { certify } from "../../src/reconcile/certify.ts";
import { certifyPass } from "../../src/reconcile/certify-pass.ts";
import { COLLECTION, PLAIN } from "./list-provider.ts";
import { type Books, books, DAY_MS, daysAgo, TOPIC } from "./relay-books.ts";

const GO_ON = new AbortController().signal;
const midnight = (daysBack: number) => new Date(Math.floor(Date.now() / DAY_MS - daysBack) * DAY_MS);

interface Place {
  paidAt?: Date;
  amount?: string;
  storedAmount?: string;
  type?: "Live" | "Test";
  /** How far it came: 0 listed, 1 asked about, 2 stored, 3 its event made, 4 accepted by SNS. */
  came?: 0 | 1 | 2 | 3 | 4;
  question?: string;
  event?: string;
  listed?: boolean;
}

/** One paid invoice, as far as it came through the relay. */
async function place({ query, provider }: Books, options: Place = {}): Promise<string> {
  const { paidAt = new Date(midnight(2).getTime() + 3_600_000), amount = "100.10", came = 4 } = options;
  const { type = "Live", storedAmount = amount, listed = true } = options;
  const id = randomUUID();
  if (listed) provider.invoices.push({ id, createdAt: paidAt, paidAt, amount, type });
  if (came >= 1)
    await query(
      `insert into confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state, verdict) values ($1, 'default', now(), now(), now(), 'callback', 'done', 'paid')`,
      [id],
    );
  if (options.question !== undefined)
    await query(`update confirmation set ${options.question} where invoice_id = $1`, [id]);
  if (came >= 2)
    await query(
      `insert into invoice (id, source, status, type, collection_name, paid_at, amount, asked_at, confirmed_at, digest, document) values ($1, 'default', 'Paid', $2, 'Term 1', $3, $4::numeric, now(), now(), '', '{}')`,
      [id, type, paidAt, storedAmount],
    );
  const eventId = randomUUID();
  if (came >= 3)
    await query(
      `insert into event (id, invoice_id, type, source, invoice_type, state, payload) values ($1, $2, 'invoice.paid', 'default', $3, 'published', $4)`,
      [eventId, id, type, JSON.stringify({ data: { amount: storedAmount } })],
    );
  if (options.event !== undefined) await query(`update event set ${options.event} where id = $1`, [eventId]);
  if (came >= 4)
    await query("insert into publication (event_id, topic_arn, message_id) values ($1, $2, 'm')", [
      eventId,
      TOPIC,
    ]);
  return id;
}

const prove = ({ db, source }: Books, changes = {}) =>
  certify(db, {
    source,
    window: { from: midnight(20), to: new Date(midnight(0).getTime() + DAY_MS) },
    collectionId: null,
    signal: GO_ON,
    ...changes,
  });

describe("the certificate", () => {
  it("adds up days and totals exactly, and is kept as a row (G10)", async () => {
    const given = await books();
    for (const amount of ["0.10", "0.20", "9007199254740993.01"]) await place(given, { amount });
    await place(given, { amount: "5", paidAt: midnight(3) });
    const certificate = await prove(given);
    const day = { count: 3, amount: "9007199254740993.31" };
    const total = { count: 4, amount: "9007199254740998.31" };
    expect(certificate.days).toEqual([
      { day: midnight(3).toISOString().slice(0, 10), ...columns({ count: 1, amount: "5.00" }) },
      { day: midnight(2).toISOString().slice(0, 10), ...columns(day) },
    ]);
    expect(certificate).toMatchObject({ total: columns(total), gaps: 0, differences: [] });
    expect(certificate.collections).toEqual([{ id: COLLECTION, name: "Term 1" }]);
    const rows = await given.query("select id, state, paid, paid_amount, published, gaps from certificate");
    expect(rows).toEqual([
      { id: certificate.id, state: "done", paid: 4, paid_amount: total.amount, published: 4, gaps: 0 },
    ]);
  });

  it.each<[string, Place]>([
    ["missing", { came: 0 }],
    ["not_confirmed", { came: 1, question: "state = 'due', verdict = 'pending'" }],
    ["dead", { came: 1, question: "state = 'dead', verdict = 'pending'" }],
    ["quarantined", { came: 2, question: "verdict = 'quarantined'" }],
    ["not_paid", { came: 1, question: "verdict = 'not_paid'" }],
    ["recorded_only", { came: 2, question: "record_only = true" }],
    ["event_missing", { came: 2 }],
    ["unpublished", { came: 3, event: "state = 'due'" }],
    ["event_dead", { came: 3, event: "state = 'dead'" }],
    ["held", { came: 3, event: "state = 'held'" }],
    ["no_acceptance", { came: 3 }],
  ])("names a gap as %s", async (reason, options) => {
    const given = await books();
    await place(given);
    const invoiceId = await place(given, options);
    const { gaps, differences, total } = await prove(given);
    expect(differences).toMatchObject([{ invoiceId, reason, gap: true, amount: "100.10" }]);
    expect([gaps, total.paid.count, total.published.count]).toEqual([1, 2, 1]);
  });

  it.each<[string, Place]>([
    ["test", { type: "Test", came: 0 }],
    ["before_start", { came: 0, paidAt: daysAgo(15) }],
    ["recent", { came: 0, paidAt: new Date(Date.now() - 540_000) }],
    ["amount_differs", { storedAmount: "100.11" }],
    ["not_at_provider", { listed: false }],
  ])("names %s, which is no gap", async (reason, options) => {
    const given = await books({ servedDays: 10 });
    const invoiceId = await place(given, options);
    const { gaps, differences } = await prove(given);
    expect(differences).toMatchObject([{ invoiceId, reason, gap: false }]);
    expect(gaps).toBe(0);
  });

  it("takes a Live invoice for Live although the provider ignores invoiceType", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, ignoresFilters: true };
    await place(given, { came: 0 });
    expect(await prove(given)).toMatchObject({ gaps: 1, differences: [{ reason: "missing" }] });
  });

  it("calls an undated payment a gap in every period that it may belong to", async () => {
    const given = await books();
    given.provider.invoices.push({
      id: randomUUID(),
      createdAt: daysAgo(25),
      paidAt: daysAgo(25),
      datePaid: null,
    });
    expect(await prove(given)).toMatchObject({ gaps: 1, total: { paid: { count: 1 } } });
  });

  it("does not count a replay to another topic, nor a publication whose event is gone", async () => {
    const given = await books();
    const [elsewhere, hole] = [await place(given), await place(given)];
    await given.query(
      "update publication set replay_id = gen_random_uuid(), topic_arn = 'arn:aws:sns:us-east-1:123456789012:other' where event_id = (select id from event where invoice_id = $1)",
      [elsewhere],
    );
    await given.query("delete from event where invoice_id = $1", [hole]);
    const { differences } = await prove(given);
    expect(Object.fromEntries(differences.map(({ invoiceId, reason }) => [invoiceId, reason]))).toEqual({
      [elsewhere]: "no_acceptance",
      [hole]: "event_missing",
    });
  });

  it("says what to set without COLLECTION_IDS, and proves nothing by half a list", async () => {
    const given = await books();
    const source = { ...given.source, collectionIds: [] };
    await expect(prove(given, { source })).rejects.toThrow(/Set COLLECTION_IDS/);
    await expect(prove(given, { collectionId: randomUUID() })).rejects.toThrow(/none of COLLECTION_IDS/);
    given.provider.faults = [(response) => void response.writeHead(500).end("{}")];
    await expect(prove(given)).rejects.toThrow(/Get Collection Invoices/);
    expect(await given.query("select 1 from certificate")).toEqual([]);
  });
});

describe("the daily certificate", () => {
  // It is due an hour after midnight: the tests do not wait for that, whatever time it is.
  const dueNow = async ({ db, query, source }: Books) => {
    await scheduleDaily(db, source.name, source.collectionIds, source.lookbackMs);
    await query("update certificate set due_at = now() where state = 'due'");
  };
  const anotherDay = ({ query }: Books) => query("update certificate set day = day - 1");

  it("alarms a gap, keeps the alarm while it is one, and clears it when a later one is clean", async () => {
    const given = await books();
    const invoiceId = await place(given, { came: 0 });
    for (let day = 1; day <= 2; day += 1) {
      await dueNow(given);
      await certifyPass(given.context, GO_ON);
      expect(await given.openAlarms()).toEqual(["certificate_gap"]);
      await anotherDay(given);
    }
    const [alarm] = await given.query<{ detail: string; times: number }>("select detail, times from alarm");
    expect(alarm).toMatchObject({ times: 2, detail: expect.stringContaining(`${invoiceId} (missing)`) });

    given.provider.invoices = [];
    await dueNow(given);
    await certifyPass(given.context, GO_ON);
    expect(await given.openAlarms()).toEqual([]);
    expect(await given.query("select state, gaps from certificate order by day")).toEqual([
      { state: "done", gaps: 1 },
      { state: "done", gaps: 1 },
      { state: "done", gaps: 0 },
    ]);
  });

  it("is made once a day by many processes, and tried again after a fault", async () => {
    const given = await books();
    given.provider.faults = [(response) => void response.writeHead(500).end("{}")];
    await dueNow(given);
    await certifyPass(given.context, GO_ON);
    expect(await given.query("select state, faults from certificate")).toEqual([{ state: "due", faults: 1 }]);
    given.provider.faults = [];
    await dueNow(given);
    await Promise.all([1, 2, 3].map(() => certifyPass(given.context, GO_ON)));
    expect(await given.query("select state from certificate")).toEqual([{ state: "done" }]);
  });
});

const columns = <Tally>(tally: Tally) => ({ paid: tally, stored: tally, published: tally });
