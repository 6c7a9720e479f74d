import { describe, expect, it } from "vitest";
import { closeAlarmsByHand } from "../../src/operate/close-alarms.ts";
import { scheduleDaily } from "../../src/reconcile/certificate/certificate-row.ts";
import { certifyPass } from "../../src/reconcile/certificate/certify.ts";
import { readCalendar } from "../../src/reconcile/certified-days.ts";
import { rescueListWork } from "../../src/reconcile/leftovers.ts";
import { listCertificates } from "../../src/reconcile/read-certificates.ts";
import { COLLECTION, PLAIN } from "./list-provider.ts";
import { midnight, place } from "./prove-period.ts";
import { type Books, books, DAY_MS } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

/** It is due an hour after midnight: the tests do not wait for that, whatever time it is. */
const dueNow = async ({ db, query, source }: Books) => {
  await scheduleDaily(db, source);
  await query("update certificate set due_at = now() where state = 'due'");
};

/** A midnight passes over all rows there are. */
const nextDay = ({ query }: Books) =>
  query(`update certificate set day = day - 1, window_to = window_to - interval '1 day',
    window_from = window_from - interval '1 day'`);

const finishedByHand = `update certificate set state = 'done', result = 'equal', gaps = 0, document = '{}',
  finished_at = now()`;

const rows = ({ query }: Books) =>
  query<{ age: number; state: string; result: string | null }>(
    `select (current_timestamp at time zone 'UTC')::date - day as age, state, result
     from certificate order by day`,
  );

describe("the daily certificate", () => {
  const anotherDay = ({ query }: Books) => query("update certificate set day = day - 1");

  it("alarms a gap, keeps the alarm while it is one, and clears it when a later one is equal", async () => {
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
    expect(await given.query("select state, result from certificate order by day")).toEqual([
      { state: "done", result: "not_equal" },
      { state: "done", result: "not_equal" },
      { state: "done", result: "equal" },
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

  it("that cannot be made is an alarm of its own, and no sweep's, until one is made", async () => {
    const given = await books();
    given.provider.faults = [(response) => void response.writeHead(500).end("{}")];
    for (let fault = 1; fault <= 3; fault += 1) {
      await dueNow(given);
      await certifyPass(given.context, GO_ON);
      expect(await given.openAlarms()).toEqual(fault < 3 ? [] : ["certificate_failing"]);
    }
    await anotherDay(given);
    given.provider.faults = [];
    await dueNow(given);
    await certifyPass(given.context, GO_ON);
    expect(await given.openAlarms()).toEqual([]);
  });

  it("is tried again while the list contradicts itself, then refused, with an alarm", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, hides: 1 };
    await place(given);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await dueNow(given);
      await certifyPass(given.context, GO_ON);
    }
    expect(await given.query("select state, result from certificate")).toEqual([
      { state: "done", result: "refused" },
    ]);
    expect(await given.openAlarms()).toContain("certificate_gap");
  });
});

describe("a gap that is older than RECONCILE_LOOKBACK", () => {
  /** A source whose daily certificate has told of a gap, and the midnight after: it is two days old now. */
  async function toldOfGap() {
    const given = await books();
    given.source.lookbackMs = DAY_MS;
    await place(given, { came: 0, paidAt: midnight(1) });
    const made = async () => {
      await dueNow(given);
      await certifyPass(given.context, GO_ON);
    };
    const passMidnight = async () => {
      await nextDay(given);
      for (const invoice of given.provider.invoices)
        Object.assign(invoice, { paidAt: midnight(2), createdAt: midnight(2) });
    };
    await made();
    expect(await given.openAlarms()).toEqual(["certificate_gap"]);
    await passMidnight();
    return { given, made, passMidnight };
  }

  const newest = async ({ query }: Books) =>
    (await query("select result, window_from from certificate order by day desc limit 1"))[0];

  it("stays in the daily one, and alarmed, until one of its days finds them whole (G10, G13)", async () => {
    const { given, made, passMidnight } = await toldOfGap();
    await made();
    expect(await given.openAlarms()).toEqual(["certificate_gap"]);
    expect(await newest(given)).toMatchObject({ result: "not_equal" });

    await passMidnight();
    given.provider.invoices = [];
    await made();
    expect(await newest(given)).toMatchObject({ result: "equal" });
    expect(await given.openAlarms()).toEqual([]);

    await passMidnight();
    await made();
    expect(await newest(given)).toEqual({ result: "equal", window_from: midnight(1) });
  });

  it("stays in it where today's was scheduled before the one that found it was made (G13)", async () => {
    const { given, made } = await toldOfGap();
    await given.query(
      "update certificate set state = 'claimed', lease_token = gen_random_uuid(), document = null, gaps = null, result = null, claimed_until = now() + interval '1 hour'",
    );
    await made();
    await given.query(
      "update certificate set state = 'done', lease_token = null, claimed_until = null, document = '{}', gaps = 1, result = 'not_equal' where state = 'claimed'",
    );
    await made();
    expect(await given.openAlarms()).toEqual(["certificate_gap"]);
  });

  it("leaves it when a person has closed its alarm", async () => {
    const { given, made } = await toldOfGap();
    const alarm = { name: "certificate_gap", source: "default", subject: "default" } as const;
    await closeAlarmsByHand({ db: given.db, actor: "cli:test", alarms: [alarm], reason: "refunded" });
    await made();
    expect(await newest(given)).toEqual({ result: "equal", window_from: midnight(1) });
    expect(await given.openAlarms()).toEqual([]);
  });
});

describe("a daily certificate that was not made in time", () => {
  it("gives way to today's: no older one closes its alarm (G13)", async () => {
    const given = await books();
    given.provider.faults = [(response) => void response.writeHead(500).end("{}")];
    for (let day = 1; day <= 2; day += 1) {
      await dueNow(given);
      await certifyPass(given.context, GO_ON);
      await nextDay(given);
    }
    given.provider.faults = [];
    const yesterday = midnight(1).getTime() + 3_600_000;
    await place(given, { came: 0, paidAt: new Date(yesterday) });
    for (let pass = 1; pass <= 3; pass += 1) {
      await dueNow(given);
      await certifyPass(given.context, GO_ON);
      expect(await given.openAlarms()).toEqual(["certificate_gap"]);
    }
    expect(await rows(given)).toEqual([{ age: 0, state: "done", result: "not_equal" }]);
    expect(await given.query("select 1 from asked_payment")).toEqual([]);
  });

  it("is covered by today's, however short RECONCILE_LOOKBACK is (G10)", async () => {
    const given = await books();
    given.source.lookbackMs = DAY_MS;
    given.provider.faults = [(response) => void response.writeHead(500).end("{}")];
    await given.query("update source set first_served_at = $1", [midnight(4)]);
    for (let day = 1; day <= 3; day += 1) {
      await dueNow(given);
      await certifyPass(given.context, GO_ON);
      if (day === 1) await given.query(finishedByHand);
      await nextDay(given);
    }
    await dueNow(given);
    const [today] = await given.query("select window_from, window_to from certificate where state = 'due'");
    // The first was made, of what was paid until three midnights ago.
    expect(today).toEqual({ window_from: midnight(3), window_to: midnight(0) });
  });

  it("is finished first while a process is making it: today's waits for it (G13)", async () => {
    const given = await books();
    await dueNow(given);
    await given.query(
      `update certificate set state = 'claimed', lease_token = gen_random_uuid(),
         claimed_until = now() + interval '1 hour'`,
    );
    await nextDay(given);
    await dueNow(given);
    await certifyPass(given.context, GO_ON);
    expect(await rows(given)).toEqual([
      { age: 1, state: "claimed", result: null },
      { age: 0, state: "due", result: null },
    ]);
    // That process is dead: its work is nobody's now.
    await given.query(
      "update certificate set claimed_until = now() - interval '1 s' where state = 'claimed'",
    );
    await rescueListWork(given.db);
    await certifyPass(given.context, GO_ON);
    expect(await rows(given)).toEqual([{ age: 0, state: "done", result: "equal" }]);
  });
});

describe("a daily certificate of collections that changed before it was made", () => {
  it("names those whose lists were read, and proves nothing about others (G10)", async () => {
    const given = await books();
    const both = [COLLECTION, given.provider.second];
    const of = (collectionIds: readonly string[]) => {
      const source = { ...given.source, collectionIds: [...collectionIds] };
      return { ...given, source, context: { ...given.context, source } };
    };
    const calendar = (collectionIds: readonly string[]) =>
      readCalendar(given.db, {
        from: midnight(3).toISOString().slice(0, 10),
        to: midnight(1).toISOString().slice(0, 10),
        sources: [{ name: "default", collectionIds, zone: "UTC" }],
      });
    given.provider.faults = [(response) => void response.writeHead(500).end("{}")];
    await dueNow(of(both));
    await certifyPass(of(both).context, GO_ON);
    given.provider.faults = [];
    await dueNow(of([COLLECTION]));
    await certifyPass(of([COLLECTION]).context, GO_ON);

    expect(await given.query("select result, collection_ids::text as ids from certificate")).toEqual([
      { result: "equal", ids: `{${COLLECTION}}` },
    ]);
    expect(await calendar([COLLECTION])).toHaveLength(3);
    expect(await calendar(both)).toEqual([]);
    const listed = await listCertificates(given.db, { collection: given.provider.second }, 10);
    expect(listed).toEqual([]);
  });
});
