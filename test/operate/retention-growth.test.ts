import { describe, expect, it } from "vitest";
import { applyRetention } from "../../src/operate/retention.ts";
import { openDatabase } from "../support/database.ts";
import { addCallback, addConfirmation, withDatabase } from "../support/log-rows.ts";
import { maxRowsOf } from "../support/max-rows.ts";
import { type Harness, startHarness } from "../support/relay.ts";

const DAY = 86_400_000;
const OLD = "2020-03-10T00:00:00Z";
const retention = { actor: "cli:test", retentionMs: 400 * DAY, personalDataMs: 90 * DAY };

/** More than any statement may look at. */
const MANY = 24_000;
const MOST = 10_100;

const oldMonth = (harness: Harness) =>
  harness.query(
    "create table callback_2020_03 partition of callback for values from ('2020-03-01') to ('2020-04-01')",
  );

const callbacks = (at: string) => `
  insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
  select gen_random_uuid(), '${at}'::timestamptz + n * interval '1 ms', 'default', 'POST', '/', '',
    array[md5('${at}' || n)::uuid], '[]', '' from generate_series(1, ${MANY}) as n`;

const confirmations = (at: string, columns: Record<string, string>) => `
  insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, settled_at,
    ${Object.keys(columns).join(", ")})
  select md5('${at}' || n)::uuid, 'default', 'callback', moment, moment, moment,
    moment + n * interval '1 ms', ${Object.values(columns).join(", ")}
  from generate_series(1, ${MANY}) as n, cast('${at}' as timestamptz) as moment`;

const invoices = (at: string, erasedAt: string) => `
  insert into invoice (id, source, asked_at, confirmed_at, erased_at, status, digest, document)
  select md5('${at}' || n)::uuid, 'default', moment, moment, ${erasedAt}, 'Paid', '', '{}'
  from generate_series(1, ${MANY}) as n, cast('${at}' as timestamptz) as moment`;

/** What Postgres knows of the tables when it plans: autovacuum comes by at any time, or never. */
const KNOWN = { nothing: "select 1", "its size": "vacuum" };

/** What each part of retention must pass over, or has to take away. */
const GROWN = {
  "a month of callbacks": [callbacks(OLD)],
  "callbacks that were kept for invoices that are still open": [
    callbacks("2020-01-01"),
    confirmations("2020-01-01", { state: "'done'", verdict: "'quarantined'" }),
  ],
  "callbacks that were kept for invoices that are no longer open": [callbacks("2020-01-01")],
  "invoices that were erased long ago": [
    confirmations("2020-02-01", { state: "'done'", verdict: "'paid'", erased_at: "now()" }),
    invoices("2020-02-01", "now()"),
  ],
  "ids that stayed unknown": [confirmations("2020-02-02", { state: "'done'", verdict: "'unknown_invoice'" })],
  "ids that were known once": [
    confirmations("2020-02-03", { state: "'done'", verdict: "'unknown_invoice'", erased_at: "now()" }),
    invoices("2020-02-03", "now()"),
  ],
  "the history of a month": [
    `insert into history_entry (invoice_id, source, at, kind, detail)
     select gen_random_uuid(), 'default', '${OLD}'::timestamptz + n * interval '1 ms', 'ask_failed', ''
     from generate_series(1, ${MANY}) as n`,
  ],
};

describe("retention", () => {
  it.each(
    Object.entries(GROWN).flatMap(([what, rows]) =>
      Object.entries(KNOWN).map(([known, vacuum]) => [what, known, [...rows, vacuum]] as const),
    ),
  )(
    "looks at a few thousand rows in one statement, however much there is of %s and Postgres knows %s of it (G11)",
    async (_what, _known, statements) => {
      const harness = await startHarness();
      await oldMonth(harness);
      for (const statement of statements) await harness.query(statement);
      const most = (given: { dryRun: boolean }) =>
        maxRowsOf(
          harness.databaseUrl,
          (db) => applyRetention({ db, ...retention, ...given }),
          undefined,
          "force_custom_plan",
        );
      expect(await most({ dryRun: true })).toBeLessThan(MOST);
      expect(await most({ dryRun: false })).toBeLessThan(MOST);
    },
  );

  it("does all that it can when one step fails: a person is told after a day, until it works (G13)", async () => {
    const { harness, db } = await withDatabase();
    await oldMonth(harness);
    await addCallback(harness, { received_at: OLD });
    await harness.query(
      "insert into history_entry (invoice_id, source, at, kind, detail) values (gen_random_uuid(), 'a', '2020-03-10', 'verdict', '')",
    );
    const add = async () => {
      const id = await addConfirmation(harness, { settled_at: OLD });
      await harness.query(
        `insert into invoice (id, source, asked_at, confirmed_at, status, digest, document)
         values ($1, 'default', $2, $2, 'Paid', '', '{"payerName": "Ada Obi"}')`,
        [id, OLD],
      );
      return id;
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
    expect(first.partitions).toMatchObject([{ name: "callback_2020_03" }]);
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
    await oldMonth(harness);
    await harness.query(
      "create table callback_2020_04 partition of callback for values from ('2020-04-01') to ('2020-05-01')",
    );
    await harness.query("create view somebodys as select * from callback_2020_03");
    const { partitions, failed } = await applyRetention({
      db: openDatabase(harness.databaseUrl),
      ...retention,
    });
    expect(partitions).toMatchObject([{ name: "callback_2020_04" }]);
    expect(failed).toEqual([
      { chore: "old_callbacks", error: expect.stringMatching(/callback_2020_03 stays: .*depend/) },
    ]);
  });
});
