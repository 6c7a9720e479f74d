import { describe, expect, it } from "vitest";
import { applyRetention } from "../../src/operate/retention.ts";
import { openDatabase, openSession } from "../support/database.ts";
import {
  addCallback,
  addConfirmation,
  addEvents,
  addInvoice,
  wholeDatabase,
  withDatabase,
} from "../support/log-rows.ts";
import { type Harness, startHarness } from "../support/relay.ts";

const DAY = 86_400_000;
const OLD = "2020-03-10T00:00:00Z";
const retention = { actor: "cli:test", retentionMs: 400 * DAY, personalDataMs: 90 * DAY };

async function withOldMonths(harness: Harness) {
  for (const [name, from, to] of [
    ["callback_2020_03", "2020-03-01", "2020-04-01"],
    ["callback_2020_04", "2020-04-01", "2020-05-01"],
  ])
    await harness.query(
      `create table ${name} partition of callback for values from ('${from}') to ('${to}')`,
    );
  return openDatabase(harness.databaseUrl);
}

const ids = async (harness: Harness) =>
  (await harness.query<{ id: string }>("select id from callback order by id")).map((row) => row.id);

describe("retention", () => {
  it("drops whole months that are past, keeps what is younger, and says so in the audit log", async () => {
    const harness = await startHarness();
    const db = await withOldMonths(harness);
    await addCallback(harness, { received_at: OLD });
    const young = await addCallback(harness, { received_at: new Date().toISOString() });

    const before = await wholeDatabase(harness);
    const plan = await applyRetention({ db, actor: "cli:test", retentionMs: 400 * DAY, dryRun: true });
    expect(plan.partitions).toMatchObject([
      { name: "callback_2020_03", callbacks: 1, kept: 0 },
      { name: "callback_2020_04", callbacks: 0, kept: 0 },
    ]);
    expect(await wholeDatabase(harness)).toEqual(before);

    await applyRetention({ db, actor: "cli:test", reason: "the disk is full", retentionMs: 400 * DAY });

    expect(await ids(harness)).toEqual([young.id]);
    expect(await harness.query("select to_regclass('callback_2020_03') as there")).toEqual([{ there: null }]);
    expect(
      await harness.query("select action, subject, detail->>'reason' as reason from audit_entry order by id"),
    ).toEqual([
      { action: "retention", subject: "callback_2020_03", reason: "the disk is full" },
      { action: "retention", subject: "callback_2020_04", reason: "the disk is full" },
    ]);
  });

  it("never drops a callback of what is still open, and does so once it is over", async () => {
    const harness = await startHarness();
    const db = await withOldMonths(harness);
    const about = async (columns: Record<string, unknown>) => {
      const callback = await addCallback(harness, { received_at: OLD });
      await addConfirmation(harness, { invoice_id: callback.invoiceId, ...columns });
      return callback.id;
    };
    const open = [
      await about({ state: "due", settled_at: null }),
      await about({ state: "dead" }),
      await about({ verdict: "quarantined" }),
    ];
    await about({});
    await about({ state: "dead", dismissed_at: "2026-11-01T00:00:00Z" });
    await about({ verdict: "quarantined", released_at: "2026-11-01T00:00:00Z" });
    const [unpublished] = await addEvents(harness, 1, { state: "due" });
    open.push((await addCallback(harness, { received_at: OLD, invoice_ids: [unpublished?.invoiceId] })).id);
    const second = await addConfirmation(harness, { state: "due" });
    open.push(
      (await addCallback(harness, { received_at: OLD, invoice_ids: [unpublished?.invoiceId, second] })).id,
    );

    await applyRetention({ db, ...retention });
    expect(await ids(harness)).toEqual(open.sort());

    await harness.query("update confirmation set state = 'done', verdict = 'paid'");
    await harness.query("delete from outbox");
    expect(await applyRetention({ db, ...retention })).toMatchObject({
      stragglers: 5,
    });
    expect(await ids(harness)).toEqual([]);
  });

  it("leaves a busy log alone: callbacks wait for nobody longer than for a lock, and the next run takes the month", async () => {
    const harness = await startHarness();
    const db = await withOldMonths(harness);
    const reader = await openSession(harness.databaseUrl);
    await reader.query("begin");
    await reader.query("select count(*) from callback");
    const [result] = await Promise.all([applyRetention({ db, ...retention }), addCallback(harness, {})]);
    expect(result).toMatchObject({ partitions: [], stays: { name: "callback_2020_03", why: "busy" } });
    expect(await harness.query("select from audit_entry")).toEqual([]);
    await reader.query("rollback");
    expect(await applyRetention({ db, ...retention })).toMatchObject({ partitions: [{}, {}], stays: null });
  });

  it("forgets ids that stayed unknown for a week, and keeps their callbacks; all others stay for ever", async () => {
    const { harness, db } = await withDatabase();
    const at = (days: number) => new Date(Date.now() - days * DAY).toISOString();
    const old = { requested_at: at(8), settled_at: at(8), opened_at: at(8) };
    const forgotten = await addCallback(harness, { received_at: at(8) });
    await addConfirmation(harness, { ...old, invoice_id: forgotten.invoiceId, verdict: "unknown_invoice" });
    const asked = await addConfirmation(harness, { ...old, verdict: "unknown_invoice", state: "due" });
    const paid = await addConfirmation(harness, old);
    const recent = await addConfirmation(harness, {
      verdict: "unknown_invoice",
      requested_at: at(8),
      settled_at: at(6),
    });

    const stop = AbortSignal.abort();
    expect(await applyRetention({ db, actor: "relay", retentionMs: 400 * DAY, stop })).toMatchObject({
      unknownConfirmations: 0,
    });
    expect(await applyRetention({ db, ...retention })).toMatchObject({
      unknownConfirmations: 1,
    });
    const left = await harness.query<{ id: string }>("select invoice_id as id from confirmation order by 1");
    expect(left.map((row) => row.id)).toEqual([asked, paid, recent].sort());
    expect(await ids(harness)).toEqual([forgotten.id]);
  });

  it("does all that it can when one step fails: a person is told after a day, until it works (G13)", async () => {
    const { harness, db } = await withDatabase();
    await withOldMonths(harness);
    await addCallback(harness, { received_at: OLD });
    await harness.query(
      "insert into history_entry (invoice_id, source, at, kind, detail) values (gen_random_uuid(), 'a', '2020-03-10', 'verdict', '')",
    );
    const add = async () => {
      const id = await addConfirmation(harness, { settled_at: OLD });
      return await addInvoice(harness, { id, confirmed_at: OLD, document: '{"payerName": "Ada Obi"}' });
    };
    const [stuck, other] = [await add(), await add()];
    await harness.query(
      `create function refuse() returns trigger language plpgsql as $$
       begin raise exception 'no room'; end $$`,
    );
    await harness.query(
      `create trigger refuse before update on invoice for each row when (old.id = '${stuck}')
       execute function refuse()`,
    );
    const legible = async () =>
      (
        await harness.query<{ id: string }>("select id from invoice where document::text like '%Ada Obi%'")
      ).map(({ id }) => id);
    const alarms = () =>
      harness.query("select name, subject, cleared_at is null as open from alarm order by id");

    const first = await applyRetention({ db, ...retention });
    expect(first.failed).toEqual([{ chore: "personal_data", error: expect.stringContaining("no room") }]);
    expect(first.partitions).toHaveLength(2);
    expect(await legible()).toEqual([stuck]);
    expect(first.personalData).toMatchObject({ invoices: 1 });
    expect(other).not.toBe(stuck);
    expect(await harness.query("select from history_entry")).toEqual([]);
    expect(await alarms()).toEqual([]);

    await harness.query("update failing_chore set failing_since = now() - interval '25 hours'");
    await applyRetention({ db, ...retention });
    const alarm = { name: "maintenance_failing", subject: "personal_data" };
    expect(await alarms()).toEqual([{ ...alarm, open: true }]);

    // A command that does not know the setting has blanked nothing.
    await applyRetention({ db, ...retention, personalDataMs: undefined });
    expect(await alarms()).toEqual([{ ...alarm, open: true }]);

    await harness.query("drop trigger refuse on invoice");
    expect(await applyRetention({ db, ...retention })).toMatchObject({ failed: [] });
    expect(await legible()).toEqual([]);
    expect(await alarms()).toEqual([{ ...alarm, open: false }]);
    expect(await harness.query("select from failing_chore")).toEqual([]);
  });

  it("drops the months after one that cannot be dropped, and says why that one stays (G8)", async () => {
    const harness = await startHarness();
    const db = await withOldMonths(harness);
    await harness.query("create view somebodys as select * from callback_2020_03");
    const { partitions, failed } = await applyRetention({ db, ...retention });
    expect(partitions).toMatchObject([{ name: "callback_2020_04" }]);
    expect(failed).toEqual([
      { chore: "old_callbacks", error: expect.stringMatching(/callback_2020_03 stays: .*depend/) },
    ]);
  });
});
