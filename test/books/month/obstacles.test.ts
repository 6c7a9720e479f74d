import { describe, expect, it } from "vitest";
import { matchStatement } from "../../../src/books/statement/match-statement.ts";
import type { GivenPayment } from "../add-payments.ts";
import { closableMonth, codesOf } from "./closable-month.ts";

const OCTOBER = { from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z" };
const PAID: GivenPayment = { amount: "10.00", paidAt: "2026-10-10T12:00:00Z" };
const STORED = { days: { "2026-10-10": [1000] } };
const later = (hours: number) =>
  new Date(Date.parse("2026-11-02T00:00:00Z") + hours * 3_600_000).toISOString();

describe("what keeps a month from being closed", () => {
  it("is a certificate that may lack its last payments, until a later one has them", async () => {
    const { certify, close } = await closableMonth([PAID]);
    await certify({ ...OCTOBER, ...STORED, isProvisional: true });
    expect(codesOf(await close())).toEqual(["provisional"]);
    await certify({ from: "2026-10-31T00:00:00Z", to: OCTOBER.to, madeAt: later(1) });
    expect(codesOf(await close())).toEqual([]);
  });

  it("is a day that no certificate covers", async () => {
    const { certify, close } = await closableMonth([PAID]);
    await certify({ from: OCTOBER.from, to: "2026-10-20T00:00:00Z", ...STORED });
    await certify({ from: "2026-10-21T00:00:00Z", to: "2026-10-31T00:00:00Z" });
    const { obstacles } = await close();
    expect(obstacles).toMatchObject([
      { code: "no_certificate", detail: expect.stringContaining("covers 2026-10-20, 2026-10-31.") },
    ]);
  });

  it("is a dead letter that may be a payment of it, until it is dismissed", async () => {
    const { around, ids, certify, close } = await closableMonth([
      PAID,
      { amount: "20.00", status: "Odd", paidAt: "2026-10-31T23:59:59Z" },
      { amount: "30.00", status: "Odd", paidAt: OCTOBER.to },
      { amount: "40.00", status: "Odd", paidAt: null, createdAt: "2026-10-31T12:00:00Z" },
      { amount: "50.00", status: "Odd", paidAt: null, createdAt: "2026-11-01T12:00:00Z" },
    ]);
    await certify({ ...OCTOBER, ...STORED });
    await around.query(
      `update confirmation set state = 'dead', verdict = null, settled_at = now() from invoice
       where invoice.id = invoice_id and status = 'Odd'`,
    );
    // Nobody has an answer about it: it may be anything.
    const [unknown] = await around.query<{ id: string }>(
      `insert into confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state, settled_at)
       values (gen_random_uuid(), 'default', now(), now(), now(), 'callback', 'dead', now())
       returning invoice_id as id`,
    );
    const { obstacles } = await close();
    expect(obstacles).toMatchObject([
      { code: "dead_letters", detail: expect.stringMatching(/^3 dead letters/) },
    ]);
    for (const id of [ids[1], ids[3], unknown?.id]) expect(obstacles[0]?.detail).toContain(id);
    await around.query("update confirmation set dismissed_at = now() where state = 'dead'");
    expect(codesOf(await close())).toEqual([]);
  });

  it("is an event that was given up", async () => {
    const { around, certify, close } = await closableMonth([
      { ...PAID, publishedAt: "2026-10-10T12:00:05Z" },
    ]);
    await certify({ ...OCTOBER, ...STORED });
    await around.query(
      `insert into outbox (source, event_id, invoice_type, state, due_at)
       select source, id, invoice_type, 'dead', now() from event`,
    );
    expect(codesOf(await close())).toEqual(["dead_letters"]);
  });

  it("is two changes of one day that cancel each other, each named, until it is proven anew", async () => {
    const month = await closableMonth([
      PAID,
      { ...PAID, amount: "20.00" },
      { ...PAID, amount: "40.00" },
      { ...PAID, amount: "80.00", verdict: "quarantined" },
    ]);
    const { around, ids, certify, close } = month;
    const stored = { days: { "2026-10-10": [1000, 2000, 4000] } };
    await certify({ ...OCTOBER, ...stored });
    expect(codesOf(await close())).toEqual(["quarantine"]);
    await around.query(
      "update confirmation set dismissed_at = now(), settled_at = now() - interval '1 h' where verdict = 'quarantined'",
    );
    expect(codesOf(await close())).toEqual([]);
    await around.query(
      "update month set reopened_at = now(), reopened_by = 'cli:test', reopen_reason = 'again'",
    );
    // As each answer that differs does: the one before is kept.
    await around.query(
      `insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document)
       select id, source, asked_at, status, digest, document from invoice where id = any($1::uuid[])`,
      [ids.slice(0, 2)],
    );
    await around.query("update invoice set amount = 30 - amount where id = any($1::uuid[])", [
      ids.slice(0, 2),
    ]);
    const { obstacles } = await close();
    expect(obstacles).toMatchObject([
      {
        code: "changed_since_certificate",
        detail: expect.stringContaining("payments of 2026-10-10 came or"),
      },
    ]);
    for (const [index, id] of ids.entries())
      expect(obstacles[0]?.detail.includes(id), `${index}`).toBe(index < 2);
    await certify({ ...OCTOBER, ...stored, madeAt: later(24 * 36_500) });
    expect(codesOf(await close())).toEqual([]);
  });

  it("is a payment that came after the bank statement was matched, also one without a settleable amount", async () => {
    const { db, around, source, certify, close } = await closableMonth([PAID]);
    await certify({ ...OCTOBER, ...STORED });
    await around.query(`update invoice set document = '{"settlementFrequency":"Instant"}'`);
    const match = await matchStatement(
      db,
      {
        ...{
          source,
          fileName: "october.csv",
          given: {},
          days: null,
          keepDuplicates: false,
          actor: "cli:test",
        },
        ...{ from: "2026-10-01", to: "2026-10-31" },
        file: (async function* () {
          yield Buffer.from("Date,Credit\n2026-10-10,10.00\n");
        })(),
      },
      () => undefined,
    );
    expect(match.clean).toBe(true);
    expect(codesOf(await close({ waiveStatement: undefined }))).toEqual([]);
    await around.query(
      "update month set reopened_at = now(), reopened_by = 'cli:test', reopen_reason = 'late'",
    );
    await around.query(
      `insert into invoice (id, source, status, type, collection_name, amount, paid_at, created_at, asked_at,
         confirmed_at, document, digest)
       select gen_random_uuid(), source, status, type, collection_name, 5, paid_at, created_at, asked_at, confirmed_at,
         document, digest from invoice`,
    );
    await certify({ ...OCTOBER, days: { "2026-10-10": [1000, 500] }, madeAt: later(1) });
    expect(codesOf(await close({ waiveStatement: undefined }))).toEqual(["statement_not_matched"]);

    // Before the month was over, or in another currency, its statement says nothing of it.
    for (const changed of ["made_at = '2026-10-31T23:59:59Z'", "made_at = now(), currency = 'GBP'"]) {
      await around.query(`update statement_match set ${changed}`);
      expect(codesOf(await close({ waiveStatement: undefined })), changed).toEqual(["no_statement"]);
    }
  });
});

describe("a month in a zone of its own", () => {
  const LAGOS = { from: "2026-09-30T23:00:00Z", to: "2026-10-31T23:00:00Z" };
  const AT_EDGES: GivenPayment[] = [
    { amount: "1.00", paidAt: "2026-09-30T22:59:59Z" },
    { amount: "2.00", paidAt: LAGOS.from },
    { amount: "4.00", paidAt: "2026-10-31T22:59:59Z" },
    { amount: "8.00", paidAt: LAGOS.to },
  ];

  it.each([
    ["Africa/Lagos", LAGOS, { "2026-10-01": [200], "2026-10-31": [400] }, "6.00"],
    ["UTC", OCTOBER, { "2026-10-31": [400, 800] }, "12.00"],
  ])("begins and ends with its days: %s", async (zone, period, days, amount) => {
    const { certify, close } = await closableMonth(AT_EDGES, zone);
    await certify({ ...period, days });
    expect((await close()).closing).toMatchObject({
      ...{ timeZone: zone, all: { payments: 2, amount } },
      ...{ from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() },
    });
  });

  it("is not proven by a certificate of another zone, and open while one of those finds a payment of it missing", async () => {
    const { certify, close } = await closableMonth([PAID], "Africa/Lagos");
    await certify({ ...OCTOBER, ...STORED, zone: "UTC" });
    expect(codesOf(await close())).toEqual(["no_certificate"]);
    const unequal = { zone: "UTC", result: "not_equal" as const };
    // A gap of the last day in UTC, of which Lagos has proven its own part since.
    await certify({ ...{ ...OCTOBER, ...unequal }, days: { "2026-10-31": [100] } });
    await certify({ ...LAGOS, ...STORED, madeAt: later(1) });
    expect(codesOf(await close({}))).toEqual([]);
  });

  it("is open while a newer certificate of another zone finds its first hour wanting", async () => {
    const { certify, close } = await closableMonth([PAID], "Africa/Lagos");
    await certify({ ...LAGOS, ...STORED });
    // In UTC it is a day of September.
    await certify({
      ...{ from: "2026-09-30T00:00:00Z", to: OCTOBER.from, zone: "UTC", result: "not_equal" },
      ...{ days: { "2026-09-30": [100] }, madeAt: later(1) },
    });
    expect(codesOf(await close())).toEqual(["not_equal"]);
    // A payment that is missing here is no difference to accept.
    expect(codesOf(await close({ acceptDifferences: "it is small" }))).toEqual(["not_equal"]);
    await certify({ ...LAGOS, ...STORED, madeAt: later(2) });
    expect(codesOf(await close())).toEqual([]);
  });
});
