import { describe, expect, it } from "vitest";
import { applyRetention } from "../../src/operations/retention.ts";
import { openSession } from "../support/database.ts";
import { addCallback, addConfirmation, addInvoice, withDatabase } from "../support/log-rows.ts";
import type { Harness } from "../support/relay.ts";

const DAY = 86_400_000;
const OLD = "2020-03-10T00:00:00Z";
const retention = { actor: "cli:test", retentionMs: 400 * DAY, personalDataMs: 90 * DAY };

async function withOldMonths() {
  const given = await withDatabase();
  await given.harness.query(
    `create table callback_2020_03 partition of callback for values from ('2020-03-01') to ('2020-04-01');
     create table callback_2020_04 partition of callback for values from ('2020-04-01') to ('2020-05-01')`,
  );
  return given;
}

const ids = async (harness: Harness) =>
  (await harness.query<{ id: string }>("select id from callback order by id")).map((row) => row.id);

describe("retention", () => {
  it("drops whole months that are past, keeps what is younger, and says so in the audit log", async () => {
    const { harness, db } = await withOldMonths();
    await addCallback(harness, { received_at: OLD });
    const young = await addCallback(harness, { received_at: new Date().toISOString() });

    const { partitions } = await applyRetention({ db, ...retention, reason: "the disk is full" });
    expect(partitions).toMatchObject([{ name: "callback_2020_03" }, { name: "callback_2020_04" }]);
    expect(await ids(harness)).toEqual([young.id]);
    expect(await harness.query("select to_regclass('callback_2020_03') as there")).toEqual([{ there: null }]);
    expect(
      await harness.query("select action, subject, detail->>'reason' as reason from audit_entry order by id"),
    ).toEqual([
      { action: "retention", subject: "callback_2020_03", reason: "the disk is full" },
      { action: "retention", subject: "callback_2020_04", reason: "the disk is full" },
    ]);
  });

  it("drops callbacks of open invoices too, and old ones that no partition held", async () => {
    const { harness, db } = await withOldMonths();
    const { invoiceId } = await addCallback(harness, { received_at: OLD });
    await addConfirmation(harness, { invoice_id: invoiceId, state: "dead" });
    await addCallback(harness, { received_at: "2019-03-10T00:00:00Z" });
    expect(await applyRetention({ db, ...retention })).toMatchObject({ stragglers: 1, failed: [] });
    expect(await ids(harness)).toEqual([]);
    expect(await harness.query("select state from confirmation")).toEqual([{ state: "dead" }]);
  });

  it("leaves a busy log alone: callbacks wait for nobody longer than for a lock, and the next run takes the month", async () => {
    const { harness, db } = await withOldMonths();
    const reader = await openSession(harness.databaseUrl);
    await reader.query("begin");
    await reader.query("select count(*) from callback");
    const [result] = await Promise.all([applyRetention({ db, ...retention }), addCallback(harness, {})]);
    expect(result).toMatchObject({ partitions: [], failed: [{ chore: "old_callbacks" }] });
    expect(await harness.query("select from audit_entry")).toEqual([]);
    await reader.query("rollback");
    expect(await applyRetention({ db, ...retention })).toMatchObject({ partitions: [{}, {}], failed: [] });
  });

  it("forgets ids that stayed unknown for a week, and keeps their callbacks; all others stay for ever", async () => {
    const { harness, db } = await withDatabase();
    const at = (days: number) => new Date(Date.now() - days * DAY).toISOString();
    const old = { requested_at: at(8), settled_at: at(8), opened_at: at(8) };
    const forgotten = await addCallback(harness, { received_at: at(8) });
    await addConfirmation(harness, { ...old, invoice_id: forgotten.invoiceId, verdict: "unknown_invoice" });
    const asked = await addConfirmation(harness, { ...old, verdict: "unknown_invoice", state: "due" });
    const paid = await addConfirmation(harness, old);
    const lately = { requested_at: at(8), settled_at: at(6) };
    const recent = await addConfirmation(harness, { ...lately, verdict: "unknown_invoice" });

    const stopped = await applyRetention({ db, ...retention, stop: AbortSignal.abort() });
    expect(stopped).toMatchObject({ unknownConfirmations: 0 });
    expect(await applyRetention({ db, ...retention })).toMatchObject({ unknownConfirmations: 1 });
    const left = await harness.query<{ id: string }>("select invoice_id as id from confirmation order by 1");
    expect(left.map((row) => row.id)).toEqual([asked, paid, recent].sort());
    expect(await ids(harness)).toEqual([forgotten.id]);
  });

  it("does all that it can when something fails: a person is told after a day, until it works (G8, G13)", async () => {
    const { harness, db } = await withOldMonths();
    await addCallback(harness, { received_at: OLD });
    await harness.query(
      "insert into history_entry (invoice_id, source, at, kind, detail) values (gen_random_uuid(), 'a', '2020-03-10', 'verdict', '')",
    );
    const add = async () => {
      const id = await addConfirmation(harness, { settled_at: OLD });
      return await addInvoice(harness, { id, confirmed_at: OLD, document: '{"payerName": "Ada Obi"}' });
    };
    const [stuck] = [await add(), await add()];
    await harness.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
       create trigger refuse before update on invoice for each row when (old.id = '${stuck}')
         execute function refuse()`,
    );
    const legible = () => harness.query("select id from invoice where document::text like '%Ada Obi%'");
    const alarms = () =>
      harness.query("select name, subject, cleared_at is null as open from alarm order by id");

    await harness.query("create view somebodys as select * from callback_2020_03");
    expect(await applyRetention({ db, ...retention })).toMatchObject({
      failed: [
        { chore: "old_callbacks", error: expect.stringContaining("callback_2020_03") },
        { chore: "personal_data" },
      ],
      partitions: [{ name: "callback_2020_04" }],
      personalData: { invoices: 1 },
    });
    await harness.query("drop view somebodys");
    expect(await legible()).toEqual([{ id: stuck }]);
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
    expect(await alarms()).toEqual([{ ...alarm, open: false }]);
  });
});
