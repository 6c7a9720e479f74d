import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkErased, eraseInvoice } from "../../src/operations/erase.ts";
import { listUncheckedErased } from "../../src/pipeline/confirm/erase.ts";
import { eraseCallbacks } from "../../src/pipeline/receive/log/erase-callbacks.ts";
import { eventually, toHaveLength } from "../support/eventually.ts";
import { addCallback, addConfirmation, wholeDatabase, withDatabase } from "../support/log-rows.ts";
import { maxRowsOf } from "../support/max-rows.ts";
import { type Harness, startRelay, TOKEN } from "../support/relay.ts";
import { invoiceAnswer, unpaidAnswer } from "../support/scripted-provider.ts";

const actor = "cli:test";
// Whole words: a hash may hold the letters of a name.
const PERSONAL = /\bAda\b|ada@example|2348012345678|\bHill\b|bursar|\bclass\b/;

/** Everything in the database, as text; a bytea shows as hex, so bodies are decoded. */
async function everything(harness: Harness): Promise<string> {
  const tables = ["callback", "confirmation", "invoice", "invoice_snapshot", "event", "alarm", "audit_entry"];
  const texts = await Promise.all(
    tables.map((table) => harness.query(`select rows::text as text from ${table} as rows`)),
  );
  const bodies = await harness.query<{ body: string }>(
    "select convert_from(body, 'UTF8') as body from callback",
  );
  return [...texts.flat().map((row) => String(row.text)), ...bodies.map((row) => row.body)].join("\n");
}

/** The sessions of this database that wait for a lock. */
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe("erase", () => {
  it("leaves no personal data of the invoice, but ids, amounts and digests; once more finds nothing to blank", async () => {
    const { harness, db } = await withDatabase();
    const { query, provider, environment } = harness;
    const relay = await startRelay(environment());
    const id = randomUUID();
    const callBackUrl = `https://relay.example.com/callbacks/${TOKEN}/Ada-Obi`;
    const personal = { title: "Fees of Ada Obi", callBackUrl };
    provider.invoice(id, unpaidAnswer(id, personal), invoiceAnswer(id, personal));
    await relay.callback(
      { data: { id, payerName: "Ada Obi", payerEmail: "ada@example.com" } },
      { path: `/callbacks/${TOKEN}/Ada-Obi?payer=Ada` },
    );
    await eventually(() => query("select 1 from publication"), toHaveLength(1));
    expect(await everything(harness)).toMatch(PERSONAL);

    const counts = { callbacks: 1, invoices: 1, events: 1, confirmations: 1 };
    expect(await eraseInvoice({ db, actor, invoiceId: id })).toMatchObject({ ...counts, found: true });
    expect(await everything(harness)).not.toMatch(PERSONAL);
    const [event] = await query<{ payload: string }>("select payload from event");
    const blank = { title: null, reference: null, payer: null, biller: null };
    expect(JSON.parse(event?.payload ?? "")).toMatchObject({
      subject: id,
      data: { invoiceId: id, totalAmount: "1511.25", metadata: {}, ...blank },
    });
    const digests = `select erased_digest ~ '^[0-9a-f]{64}$' as digest from event union all
      select erased_digest ~ '^[0-9a-f]{64}$' from callback where invoice_ids = array[$1::uuid]`;
    expect(await query(digests, [id])).toEqual([{ digest: true }, { digest: true }]);
    expect(await query("select total_amount, erased_at is not null as erased from invoice")).toEqual([
      { total_amount: "1511.25", erased: true },
    ]);

    await relay.stop();
    const before = await wholeDatabase(harness);
    expect(await eraseInvoice({ db, actor, invoiceId: id })).toEqual({
      ...{ dryRun: false, invoiceId: id, found: true },
      ...{ callbacks: 0, snapshots: 0, invoices: 0, events: 0, confirmations: 0 },
    });
    const { audit_entry, confirmation, ...others } = await wholeDatabase(harness);
    expect(before).toMatchObject(others);
    const audited = { actor, action: "erase", subject: id };
    expect(await query("select actor, action, subject from audit_entry")).toEqual([audited, audited]);
  });

  it("is about every source that sees the invoice", async () => {
    const { harness, db } = await withDatabase();
    const id = randomUUID();
    for (const source of ["one", "two"]) {
      await addConfirmation(harness, { invoice_id: id, source });
      await addCallback(harness, { invoice_ids: [id], source });
    }
    const both = { confirmations: 2, callbacks: 2 };
    expect(await eraseInvoice({ db, actor, invoiceId: id })).toMatchObject(both);
    expect(await everything(harness)).not.toMatch(PERSONAL);
  });

  it("of two invoices of one callback at the same time blanks it once, and keeps its digest", async () => {
    const { harness, db } = await withDatabase();
    const [first, second] = [randomUUID(), randomUUID()];
    await addCallback(harness, { invoice_ids: [first, second] });
    const digest = "select encode(sha256(body), 'hex') as digest from callback";
    const [before] = await harness.query(digest);
    let other: ReturnType<typeof eraseInvoice> | undefined;
    await db.transaction().execute(async (trx) => {
      await eraseCallbacks(trx, first);
      other = eraseInvoice({ db, actor, invoiceId: second });
      await eventually(() => harness.query(WAITING), toHaveLength(1));
    });
    expect(await other).toMatchObject({ found: true });
    expect(await harness.query("select erased_digest as digest from callback")).toEqual([before]);
  });

  it.each([
    ["a minute later", "now() - interval '61 seconds'"],
    ["at once when Postgres' clock was ahead", "now() + interval '40 days'"],
  ])("is done once more %s, for what was being recorded just then; for no others", async (_, erasedAt) => {
    const { harness, db } = await withDatabase();
    const id = await addConfirmation(harness);
    await eraseInvoice({ db, actor, invoiceId: id });
    await addCallback(harness, { invoice_ids: [id] });
    expect(await checkErased(db)).toBe(0);
    await harness.query(
      "insert into erased_invoice (id, checked_at) select gen_random_uuid(), now() from generate_series(1, 2000)",
    );
    await harness.query(`update erased_invoice set erased_at = ${erasedAt}`);
    expect(await maxRowsOf(harness.databaseUrl, (of) => listUncheckedErased(of, 100))).toBeLessThan(10);
    expect(await checkErased(db)).toBe(1);
    expect(await everything(harness)).not.toMatch(PERSONAL);
    expect(await listUncheckedErased(db, 100)).toEqual([]);
  });

  it("is not undone by answers: of an invoice that is paid only then, and of one that was under way", async () => {
    const { harness, db } = await withDatabase();
    const { provider, query } = harness;
    const relay = await startRelay(harness.environment());
    const [later, underWay] = [randomUUID(), randomUUID()];
    provider.invoice(later, unpaidAnswer(later));
    await relay.callback({ data: { id: later } });
    await eventually(() => query("select 1 from invoice"), toHaveLength(1));
    const { asked, release } = provider.held(underWay);
    await relay.callback({ id: underWay });
    await asked;
    for (const invoiceId of [later, underWay]) await eraseInvoice({ db, actor, invoiceId });
    release();
    provider.invoice(later, invoiceAnswer(later));
    await relay.callback({ id: later });
    const events = await eventually(() => harness.sns.messages(), toHaveLength(2));
    expect(provider.requests.filter((path) => path.includes(underWay))).toHaveLength(2);
    for (const { message } of events) expect(message).not.toMatch(PERSONAL);
    const paid = { status: "Paid", total_amount: "1511.25" };
    expect(await query("select status, total_amount from invoice")).toEqual([paid, paid]);
    expect(await everything(harness)).not.toMatch(PERSONAL);
  });
});
