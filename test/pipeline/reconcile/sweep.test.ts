import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import { openConfirmations } from "../../../src/pipeline/confirm/queue/open.ts";
import { forgetListWork, reapListWork } from "../../../src/pipeline/reconcile/runs.ts";
import { sourcesToSweep } from "../../../src/pipeline/reconcile/sweep/sweep-row.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { COLLECTION, PLAIN, refusing } from "./list-provider.ts";
import { placePayment } from "./place-payment.ts";
import { type Books, books, DAY_MS, daysAgo, idsDue, pay, sweep } from "./relay-books.ts";

const sweeps = ({ query }: Books) =>
  query<Record<string, unknown>>("select state, listed, missing, opened, faults from sweep order by due_at");

const dueNow = ({ query }: Books) => query("update sweep set due_at = now() where state = 'due'");

/** The next one, after two faults: from the third on days that cannot be read are left out. */
async function afterTwoFaults(given: Books): Promise<void> {
  await sweep(given);
  await given.query("update sweep set faults = 2, due_at = now() where state = 'due'");
}

/** The list is refused for the days up to today, or for those that reach beyond it. */
const refuseDays = ({ provider }: Books, areRecent: boolean) => {
  provider.beforePage = () => {
    const last = Date.parse(provider.queries.at(-1)?.get("endDate") ?? "");
    const isRecent = last > Date.now() - (areRecent ? DAY_MS : 0);
    provider.faults = isRecent === areRecent ? [refusing(500)] : [];
  };
};

const work = ({ provider }: Books) =>
  Object.assign(provider, { beforePage: () => undefined, faults: [], reading: PLAIN });

describe("an automatic sweep", () => {
  it("opens a confirmation for what was paid since the first serve and has no event, and has the rest dated", async () => {
    const given = await books({ servedDays: 10 });
    const [missed, test] = [pay(given, 3), pay(given, 2, { type: "Test" })];
    // The list dates it before the first serve: that is only a hint.
    const earlier = pay(given, 11);
    pay(given, 3, { paidAt: null });
    await placePayment(given, { paidAt: daysAgo(4) });
    await sweep(given);
    expect(await idsDue(given)).toEqual([missed, test, earlier].sort());
    const how = { priority: "known", opened_by: "reconcile" };
    expect(
      await given.query(
        "select distinct priority, opened_by, record_only, invoice_id = $1 as earlier from confirmation where state = 'due' order by earlier",
        [earlier],
      ),
    ).toEqual([false, true].map((isEarlier) => ({ ...how, record_only: isEarlier, earlier: isEarlier })));
    expect(await sweeps(given)).toEqual([{ state: "done", listed: 4, missing: 3, opened: 3, faults: 0 }]);
    await sweep(given);
    expect(await given.query("select state from sweep where due_at > now() + interval '590 s'")).toEqual([
      { state: "due" },
    ]);
  });

  it("puts ids that it lists before those that nobody knows, and has them asked about at once (G12)", async () => {
    const given = await books({ servedDays: 10 });
    const toOpen = [pay(given, 3), randomUUID()].map((invoiceId) => ({ invoiceId, source: "default" }));
    await openConfirmations(given.db, toOpen, { openedBy: "callback", priority: "unknown" });
    await given.query("update confirmation set attempt = 5, due_at = now() + interval '10 min'");
    await sweep(given);
    expect(
      await given.query(
        "select invoice_id as id, due_at <= now() as due from confirmation where priority = 'known'",
      ),
    ).toEqual([{ id: toOpen[0]?.invoiceId, due: true }]);
  });

  it("has what the list calls something else asked about once, and again when its item changed (G10)", async () => {
    const given = await books();
    const id = pay(given, 0, { label: "On hold", datePaid: null });
    for (const label of ["On hold", "Under review"]) {
      for (const item of given.provider.invoices) item.label = label;
      await sweep(given, { intervalMs: 0 });
      expect(await idsDue(given)).toEqual([id]);
      await given.query("update confirmation set state = 'done', verdict = 'not_paid'");
      await sweep(given, { intervalMs: 0 });
      expect(await idsDue(given)).toEqual([]);
    }
  });

  it("leaves a payment of no type on its retry schedule: the provider has said Paid, and the list adds nothing", async () => {
    const given = await books();
    const waits =
      "state = 'due', priority = 'known', verdict = 'pending', attempt = 6, due_at = now() + interval '1 hour'";
    const waiting = { paidAt: daysAgo(2), came: 2 } as const;
    const typeless = `${waits}, last_error = 'its type is missing'`;
    await placePayment(given, { ...waiting, type: null, confirmation: typeless });
    // The list is ahead of Get Invoice here.
    const edited = "status = 'Unpaid'";
    const behind = await placePayment(given, { ...waiting, confirmation: waits, edited });
    await sweep(given);
    expect(
      await given.query("select invoice_id as id from confirmation where due_at <= now() and attempt = 0"),
    ).toEqual([{ id: behind }]);
    expect(await sweeps(given)).toMatchObject([{ missing: 2, opened: 1 }]);
  });

  it("is made by one process at a time, and taken up by the next when that one dies (G7)", async () => {
    const given = await books();
    pay(given, 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    given.provider.beforePage = () => promise;
    const slow = sweep(given, { lease: leaseOf(600_000) });
    await vi.waitFor(() => expect(given.provider.queries).toHaveLength(1));
    work(given);
    await sweep(given);
    expect(given.provider.queries).toHaveLength(1);

    await given.query("update sweep set claimed_until = now() - interval '1 second'");
    await reapListWork(given.db);
    await sweep(given);
    const done = [{ state: "done", listed: 1, opened: 1 }];
    expect(await sweeps(given)).toMatchObject(done);
    resolve();
    await slow;
    expect(await sweeps(given)).toMatchObject(done);
  });
});

describe("when a sweep is due", () => {
  it("nothing is without COLLECTION_IDS, nor before the first serve", async () => {
    const given = await books({ servedDays: null });
    await sweep(given, { source: { ...given.source, collectionIds: [] } });
    await sweep(given);
    expect(given.provider.queries).toEqual([]);
  });

  it("the last one of its collection says, which is kept when others are forgotten after 35 days", async () => {
    const given = await books();
    const [ours] = given.source.collectionIds;
    await given.query(
      `insert into sweep (id, source, collection_id, state, started_at, finished_at, window_to)
       select gen_random_uuid(), 'default', collection, 'done', at, at, at
       from unnest($1::uuid[]) as collection,
         generate_series(now() - interval '100 days', now() - interval '20 days', interval '2 days') as at
       where collection = $2 or at <= now() - interval '50 days'`,
      [[ours, randomUUID()], ours],
    );
    await sweep(given);
    await forgetListWork(given.db);
    const left = await given.query<{ days: number; ours: boolean }>(
      `select extract(day from now() - started_at)::int as days, collection_id = $1 as ours from sweep
       where started_at < now() - interval '1 hour' order by ours, started_at`,
      [ours],
    );
    expect(left.filter(({ ours }) => !ours)).toMatchObject([{ days: 50 }]);
    const days = left.filter(({ ours }) => ours).map(({ days }) => days);
    expect([days.length, Math.max(...days) < 35]).toEqual([8, true]);
  });

  it.each([
    ["of a collection that is listed no longer", "update sweep set collection_id = gen_random_uuid()"],
    ["while its source is paused", "update source set paused_at = now(), paused_by = 'operator'"],
    ["while its source is refused", "update source set paused_at = now(), paused_by = 'refused'"],
    ["while its source backs off", "update source set opens_at = now() + interval '1 hour'"],
  ])("one %s is not looked for again and again", async (_, change) => {
    const given = await books();
    for (const _ of [1, 2]) await sweep(given);
    await given.query(change);
    await dueNow(given);
    // One sweeps what is due and the next one schedules what follows.
    for (const _ of [1, 2]) await sweep(given);
    const lists = sql`(values ('default', ${COLLECTION}::uuid)) as list (source, collection_id)`;
    expect((await sql`${sourcesToSweep(lists)}`.execute(given.db)).rows).toEqual([]);
  });
});

describe("a list that a sweep cannot read", () => {
  it("is left, without a fault, when the source is paused meanwhile", async () => {
    const given = await books();
    given.provider.beforePage = async () => {
      await given.query("update source set paused_by = 'refused', paused_at = now()");
    };
    await sweep(given);
    expect(given.provider.queries).toHaveLength(1);
    expect(await sweeps(given)).toMatchObject([{ state: "due", faults: 0 }]);
  });

  it.each([true, false])(
    "is read without the days that cannot be, from the third time on, with an alarm: recent %s",
    async (areRecent) => {
      // Enough days for parts of a week, of which at any hour only the newest reaches into today.
      const given = await books({ servedDays: 12 });
      given.source.lookbackMs = 14 * DAY_MS;
      const [recent, old] = [pay(given, 0), pay(given, 11)];
      refuseDays(given, areRecent);
      await sweep(given);
      expect(await sweeps(given)).toMatchObject([{ state: "due", faults: 1 }]);
      expect(await given.openAlarms()).toEqual([]);
      await afterTwoFaults(given);
      await sweep(given);
      expect(await sweeps(given)).toMatchObject([{ state: "done", missing: 1, opened: 1 }]);
      expect(await idsDue(given)).toEqual([areRecent ? old : recent]);
      expect(await given.openAlarms()).toEqual(["sweep_failing"]);

      work(given);
      await sweep(given, { intervalMs: 0 });
      expect(await idsDue(given)).toEqual([recent, old].sort());
      expect(await given.openAlarms()).toEqual([]);
    },
  );

  it("is used as far as it goes where it contradicts itself, alarmed, and read again", async () => {
    const given = await books({ servedDays: 60 });
    const [recent, hidden, old] = [pay(given, 1), pay(given, 1.1), pay(given, 30)];
    const recentDay = Date.now() - 4 * DAY_MS;
    given.provider.beforePage = () => {
      const last = Date.parse(given.provider.queries.at(-1)?.get("endDate") ?? "");
      given.provider.reading = { ...PLAIN, hides: last > recentDay ? 1 : 0 };
    };
    await sweep(given);
    expect(await idsDue(given)).toEqual([hidden, old].sort());
    expect(await sweeps(given)).toMatchObject([{ state: "done", opened: 2, faults: 0 }]);
    expect(await given.openAlarms()).toEqual(["sweep_failing"]);

    work(given);
    await given.query("update sweep set started_at = now() - interval '1 hour'");
    await sweep(given);
    expect(await idsDue(given)).toEqual([recent, hidden, old].sort());
    expect(await given.openAlarms()).toEqual([]);
  });

  it("at all is not over: its alarm has one text, none while its source's tells of the same, and it is due once that works again", async () => {
    const given = await books({ servedDays: 6 });
    given.source.lookbackMs = 7 * DAY_MS;
    const missed = pay(given, 5);
    given.provider.faults = [refusing(503)];
    await afterTwoFaults(given);
    const texts = new Set<unknown>();
    for (const [ofSource, faults, alarms] of [
      [5, 3, []],
      [0, 4, ["sweep_failing"]],
      [0, 5, ["sweep_failing"]],
    ] as const) {
      await given.query("update source set faults = $1", [ofSource]);
      await dueNow(given);
      await sweep(given);
      expect(await sweeps(given)).toMatchObject([{ state: "due", faults }]);
      expect(await given.openAlarms()).toEqual(alarms);
      for (const told of await given.query("select detail from alarm")) texts.add(JSON.stringify(told));
    }
    expect(texts.size).toBe(1);

    work(given);
    await sweep(given);
    expect(await idsDue(given)).toEqual([]);
    await dueNow(given);
    await sweep(given);
    expect(await idsDue(given)).toEqual([missed]);
    expect(await given.openAlarms()).toEqual([]);
  });
});
