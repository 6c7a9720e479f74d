import { describe, expect, it } from "vitest";
import { closeAlarmsByHand } from "../../../src/operations/close-alarms.ts";
import { scheduleDaily } from "../../../src/pipeline/reconcile/certificate/certificate-row.ts";
import { runCertifyJob } from "../../../src/pipeline/reconcile/certificate/certify.ts";
import { readCalendar } from "../../../src/pipeline/reconcile/certified-days.ts";
import { reapListWork } from "../../../src/pipeline/reconcile/runs.ts";
import { dayOf } from "../../../src/platform/values/time.ts";
import { COLLECTION, PLAIN, refusing } from "./list-provider.ts";
import { midnight, place } from "./prove-period.ts";
import { type Books, books, DAY_MS } from "./relay-books.ts";

/** It is due an hour after midnight: the tests do not wait for that, whatever time it is. */
async function dueNow({ db, query }: Books, { source }: Pick<Books, "source">): Promise<void> {
  await scheduleDaily(db, source);
  await query("update certificate set due_at = now() where state = 'due'");
}

/** Makes what is due today, in a process with these settings. */
async function make(given: Books, source = given.source): Promise<void> {
  await dueNow(given, { source });
  await runCertifyJob({ ...given.context, source }, given.context.signal);
}

/** A midnight passes over all rows there are. */
const nextDay = ({ query }: Books) =>
  query(`update certificate set day = day - 1, window_to = window_to - interval '1 day',
    window_from = window_from - interval '1 day'`);

const rows = ({ query }: Books) =>
  query<{ age: number; state: string; result: string | null }>(
    `select (current_timestamp at time zone 'UTC')::date - day as age, state, result
     from certificate order by day`,
  );

/** A process is making it. */
const claim = ({ query }: Books) =>
  query(`update certificate set state = 'claimed', lease_token = gen_random_uuid(), document = null, gaps = null,
    result = null, finished_at = null, claimed_until = now() + interval '1 hour'`);

/** Somebody has made the one in this state, and this came of it. */
const finish = ({ query }: Books, state: "due" | "claimed", result: "equal" | "not_equal") =>
  query(
    `update certificate set state = 'done', lease_token = null, claimed_until = null, document = '{}', result = $1,
       gaps = $2, finished_at = now() where state = $3`,
    [result, result === "equal" ? 0 : 1, state],
  );

describe("the daily certificate", () => {
  it("alarms a gap, keeps the alarm while it is one, and clears it when a later one is equal", async () => {
    const given = await books();
    const invoiceId = await place(given, { came: 0 });
    for (let times = 1; times <= 2; times += 1) {
      await make(given);
      expect(await given.query("select name, times, detail, cleared_at from alarm")).toEqual([
        { name: "certificate_gap", times, detail: expect.stringContaining(invoiceId), cleared_at: null },
      ]);
      await given.query("update certificate set day = day - 1");
    }
    given.provider.invoices = [];
    await make(given);
    expect(await given.openAlarms()).toEqual([]);
    expect((await rows(given)).map(({ result }) => result)).toEqual(["not_equal", "not_equal", "equal"]);
  });

  // What a third time comes to: notified-with-its-row.test.ts.
  it.each([
    ["cannot be read", { faults: [refusing(500)] }],
    ["contradicts itself", { reading: { ...PLAIN, hides: 1 } }],
  ])("is tried again after a list that %s, and made once by many processes", async (_, trouble) => {
    const given = await books();
    await place(given);
    Object.assign(given.provider, trouble);
    await make(given);
    expect(await given.query("select state, faults from certificate")).toEqual([{ state: "due", faults: 1 }]);
    expect(await given.openAlarms()).toEqual([]);
    Object.assign(given.provider, { faults: [], reading: PLAIN });
    await dueNow(given, given);
    await Promise.all([1, 2, 3].map(() => runCertifyJob(given.context, given.context.signal)));
    expect(await rows(given)).toMatchObject([{ state: "done", result: "equal" }]);
  });
});

describe("a gap that is older than RECONCILE_LOOKBACK", () => {
  /** A source whose daily certificate has told of a gap, and the midnight after: it is two days old now. */
  async function toldOfGap() {
    const given = await books();
    given.source.lookbackMs = DAY_MS;
    await place(given, { came: 0, paidAt: midnight(1) });
    await make(given);
    expect(await given.openAlarms()).toEqual(["certificate_gap"]);
    await nextDay(given);
    for (const invoice of given.provider.invoices)
      Object.assign(invoice, { paidAt: midnight(2), createdAt: midnight(2) });
    return given;
  }

  const newest = async ({ query }: Books) =>
    (await query("select result, window_from from certificate order by day desc limit 1"))[0];

  it("stays in the daily one, and alarmed, until one of its days finds them whole (G10, G13)", async () => {
    const given = await toldOfGap();
    await make(given);
    expect(await given.openAlarms()).toEqual(["certificate_gap"]);
    expect(await newest(given)).toMatchObject({ result: "not_equal" });

    given.provider.invoices = [];
    for (const _ of ["finds them whole", "leaves them"]) {
      await nextDay(given);
      await make(given);
      expect(await newest(given)).toMatchObject({ result: "equal" });
      expect(await given.openAlarms()).toEqual([]);
    }
    expect(await newest(given)).toMatchObject({ window_from: midnight(1) });
  });

  it("stays in it where today's was scheduled before the one that found it was made (G13)", async () => {
    const given = await toldOfGap();
    await claim(given);
    await make(given);
    await finish(given, "claimed", "not_equal");
    await make(given);
    expect(await given.openAlarms()).toEqual(["certificate_gap"]);
  });

  it("leaves it when a person has closed its alarm", async () => {
    const given = await toldOfGap();
    const alarm = { name: "certificate_gap", source: "default", subject: "default" } as const;
    await closeAlarmsByHand({ db: given.db, actor: "cli:test", alarms: [alarm], reason: "refunded" });
    await make(given);
    expect(await newest(given)).toEqual({ result: "equal", window_from: midnight(1) });
    expect(await given.openAlarms()).toEqual([]);
  });
});

describe("a daily certificate that was not made in time", () => {
  it("gives way to today's: no older one closes its alarm (G13)", async () => {
    const given = await books();
    given.provider.faults = [refusing(500)];
    for (let day = 1; day <= 2; day += 1) {
      await make(given);
      await nextDay(given);
    }
    given.provider.faults = [];
    await place(given, { came: 0, paidAt: new Date(midnight(1).getTime() + 3_600_000) });
    for (let pass = 1; pass <= 3; pass += 1) {
      await make(given);
      expect(await given.openAlarms()).toEqual(["certificate_gap"]);
    }
    expect(await rows(given)).toEqual([{ age: 0, state: "done", result: "not_equal" }]);
    expect(await given.query("select 1 from asked_payment")).toEqual([]);
  });

  it("is covered by today's, however short RECONCILE_LOOKBACK is (G10)", async () => {
    const given = await books();
    given.source.lookbackMs = DAY_MS;
    given.provider.faults = [refusing(500)];
    await given.query("update source set first_served_at = $1", [midnight(4)]);
    for (let day = 1; day <= 3; day += 1) {
      await make(given);
      if (day === 1) await finish(given, "due", "equal");
      await nextDay(given);
    }
    await dueNow(given, given);
    const [today] = await given.query("select window_from, window_to from certificate where state = 'due'");
    // The first was made, of what was paid until three midnights ago.
    expect(today).toEqual({ window_from: midnight(3), window_to: midnight(0) });
  });

  it("is finished first while a process is making it: today's waits for it (G13)", async () => {
    const given = await books();
    await dueNow(given, given);
    await claim(given);
    await nextDay(given);
    await make(given);
    expect(await rows(given)).toEqual([
      { age: 1, state: "claimed", result: null },
      { age: 0, state: "due", result: null },
    ]);
    // That process is dead: its work is nobody's now.
    await given.query(
      "update certificate set claimed_until = now() - interval '1 s' where state = 'claimed'",
    );
    await reapListWork(given.db);
    await make(given);
    expect(await rows(given)).toEqual([{ age: 0, state: "done", result: "equal" }]);
  });

  it("names the collections whose lists were read then, and proves nothing about others (G10)", async () => {
    const given = await books();
    const both = [COLLECTION, given.provider.second];
    const of = (collectionIds: string[]) => ({ ...given.source, collectionIds });
    const calendar = (collectionIds: string[]) =>
      readCalendar(given.db, {
        ...{ from: dayOf(midnight(3)), to: dayOf(midnight(1)) },
        sources: [{ name: "default", collectionIds, zone: "UTC" }],
      });
    given.provider.faults = [refusing(500)];
    await make(given, of(both));
    given.provider.faults = [];
    await make(given, of([COLLECTION]));

    expect(await given.query("select result, collection_ids::text as ids from certificate")).toEqual([
      { result: "equal", ids: `{${COLLECTION}}` },
    ]);
    expect(await calendar([COLLECTION])).toHaveLength(3);
    expect(await calendar(both)).toEqual([]);
  });
});
