import { describe, expect, it } from "vitest";
import { openSession } from "../../support/database.ts";
import { closableMonth } from "./closable-month.ts";

const OCTOBER = { from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z" };
const AT = "2026-10-10T12:00:00Z";

/** A month with one payment of ours, and two that wait in quarantine, dismissed. */
async function world() {
  const month = await closableMonth([
    { amount: "10.00", paidAt: AT },
    { amount: "20.00", paidAt: AT, verdict: "quarantined" },
    { amount: "30.00", paidAt: AT, verdict: "quarantined" },
  ]);
  await month.around.query(
    "update confirmation set dismissed_at = now(), settled_at = now() - interval '1 h' where verdict = 'quarantined'",
  );
  await month.certify({ ...OCTOBER, days: { "2026-10-10": [1000] } });
  await month.around.query("delete from late_change");
  return month;
}

type Month = Awaited<ReturnType<typeof world>>;

/** A transaction of its own. */
async function session({ around }: Month) {
  const client = await openSession(around.databaseUrl);
  await client.query("begin");
  return client;
}

const waitsFor = ({ around }: Month, table: string) =>
  expect
    .poll(() => around.query("select from pg_locks where not granted and relation = $1::regclass", [table]))
    .toHaveLength(1);

/** What somebody writes about one of the payments, what the month then holds, in hundredths, and what its addendum says. */
const CHANGES = {
  "another amount": {
    write: "update invoice set amount = 11 where id = $1",
    of: 0,
    left: [1100],
    notes: { before: "10.00", after: "11.00" },
  },
  "a payment that is one no longer": {
    write: "update invoice set status = 'Invalid' where id = $1",
    of: 0,
    left: [],
    notes: { before: "10.00", after: null },
  },
  "a release": {
    write: "update confirmation set verdict = 'paid', released_at = now() where invoice_id = $1",
    of: 1,
    left: [1000, 2000],
    notes: { before: null, after: "20.00" },
  },
  "a late payment": {
    write: `insert into invoice (id, source, status, type, collection_name, amount, paid_at, created_at, asked_at,
      confirmed_at, document, digest)
      select gen_random_uuid(), source, status, type, collection_name, 5, paid_at, created_at, asked_at, confirmed_at,
        document, digest from invoice where id = $1`,
    of: 0,
    left: [1000, 500],
    notes: { before: null, after: "5.00" },
  },
} as const;

describe.each(Object.entries(CHANGES))("%s while a month is closed", (_, { write, of, left, notes }) => {
  it("and committed after the closing has read is an addendum, once the closing stands", async () => {
    const month = await world();
    // The closing has read everything, and cannot commit yet.
    const audit = await session(month);
    await audit.query("lock table audit_entry in share mode");
    const closing = month.close();
    await waitsFor(month, "audit_entry");
    await month.around.query(write, [month.ids[of]]);
    const noting = month.noteChanges();
    await waitsFor(month, "month");

    await audit.query("commit");

    expect((await closing).closing?.all.amount).toBe("10.00");
    expect((await noting).raised).toHaveLength(1);
    expect(await month.changes()).toMatchObject([notes]);
  });

  it("and begun before the closing, which does not wait for it, is an addendum", async () => {
    const month = await world();
    const writer = await session(month);
    await writer.query(write, [month.ids[of]]);

    const { closing } = await month.close();
    await month.noteChanges();
    await writer.query("commit");
    await month.noteChanges();

    expect(closing?.all.amount).toBe("10.00");
    expect(await month.changes()).toMatchObject([notes]);
  });

  it("and committed while the closing waits for its turn is seen by it", async () => {
    const month = await world();
    const turn = await session(month);
    // As comparing what came late does: it finds no closed month, and forgets the change.
    await turn.query("lock table month in share row exclusive mode");
    const closing = month.close({ acceptDifferences: "agreed" });
    await waitsFor(month, "month");
    await month.around.query(write, [month.ids[of]]);
    await turn.query("delete from late_change");

    await turn.query("commit");

    const { obstacles } = await closing;
    expect(obstacles.map(({ code }) => code)).toEqual(["changed_since_certificate"]);
    expect(await month.around.query("select from month")).toEqual([]);
    await month.certify({ ...OCTOBER, madeAt: "2126-11-03T00:00:00Z", days: { "2026-10-10": left } });
    const sum = left.reduce((all: number, one) => all + one, 0);
    expect((await month.close()).closing?.all.amount).toBe((sum / 100).toFixed(2));
  });
});

it("dismissing while a month is closed leaves it in the way, or closes it without an addendum", async () => {
  const month = await world();
  await month.around.query("update confirmation set dismissed_at = null where invoice_id = $1", [
    month.ids[1],
  ]);
  const turn = await session(month);
  await turn.query("update confirmation set dismissed_at = now() where invoice_id = $1", [month.ids[1]]);
  expect((await month.close()).obstacles.map(({ code }) => code)).toEqual(["quarantine"]);
  await turn.query("commit");
  expect((await month.close()).closing?.all).toMatchObject({ payments: 1, amount: "10.00" });
  await month.noteChanges();
  expect(await month.changes()).toEqual([]);
});
