import { describe, expect, it } from "vitest";
import { applyRetention } from "../../src/operations/retention.ts";
import { maxRowsOf } from "../../test/support/max-rows.ts";
import { type Harness, startHarness } from "../../test/support/relay.ts";

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
      const most = await maxRowsOf(
        harness.databaseUrl,
        (db) => applyRetention({ db, ...retention }),
        undefined,
        "force_custom_plan",
      );
      expect(most).toBeLessThan(MOST);
    },
  );
});
