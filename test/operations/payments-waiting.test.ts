import { expect, it } from "vitest";
import { noteWaiting } from "../../src/operations/backlog.ts";
import { pause, resume } from "../../src/operations/pause.ts";
import { retryDead } from "../../src/operations/undelivered.ts";
import { eventually, toEqual, toHaveLength } from "../support/eventually.ts";
import { addAlarm, addConfirmation, addEvents } from "../support/log-rows.ts";
import { startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";
import { alarmsOn } from "../support/test-log.ts";
import { withStatus } from "./with-status.ts";

const OPEN = { state: "due", settled_at: null, verdict: null };

async function withWaiting() {
  const given = await withStatus();
  const { harness, db, query } = given;
  const open = "select detail from alarm where name = 'payments_waiting' and cleared_at is null";
  return {
    ...given,
    /** An invoice whose confirmation has waited for eleven minutes. */
    async waitingLong() {
      const id = await addConfirmation(harness, { ...OPEN, due_at: new Date() });
      await query("update confirmation set open_since = now() - interval '11 minutes'");
      return id;
    },
    note: () => noteWaiting(db, alarmsOn(db)),
    open: () => query<{ detail: string }>(open),
  };
}

// That an open alarm reaches status, metrics and people: test/journeys/drill.test.ts.
it("payments that a slow provider keeps are an alarm, until they are through (G13)", async () => {
  const { harness, query, waitingLong, note } = await withWaiting();
  const id = await waitingLong();
  const answers: (() => void)[] = [];
  harness.provider.invoice(id, (_request, response) => void answers.push(() => response.destroy()));
  await startRelay(harness.environment({ CONFIRM_TIMEOUT: "60s", COLLECTION_IDS: "none" }));
  const alarms = () => query("select name, cleared_at is null as open from alarm");
  await eventually(alarms, toEqual([{ name: "payments_waiting", open: true }]));
  harness.provider.invoice(id, invoiceAnswer(id));
  for (const end of answers) end();
  await eventually(() => harness.sns.messages(), toHaveLength(1));
  await note();
  expect(await alarms()).toEqual([{ name: "payments_waiting", open: false }]);
});

it("what a critical alarm tells already is not told again, nor is a flood", async () => {
  const { harness, query, waitingLong, note, open } = await withWaiting();
  await waitingLong();
  await addEvents(harness, 1, { state: "due" });
  /** What is said to be waited for. */
  const told = async () => {
    await note();
    const words = (await open()).map(({ detail }) =>
      ["provider", "SNS"].filter((one) => detail.includes(one)),
    );
    await query("update alarm set cleared_at = now() where name = 'payments_waiting'");
    return words;
  };
  expect(await told()).toEqual([["provider", "SNS"]]);
  await addAlarm(harness, "topic_paused", "", { source: "", ago: "1 minute" });
  await addAlarm(harness, "source_failing", "default", { ago: "5 minutes" });
  expect(await told()).toEqual([["provider"]]);
  await query("update alarm set raised_at = now() - interval '10 minutes'");
  expect(await told()).toEqual([]);
  await query("delete from alarm where name = 'source_failing'");
  await addAlarm(harness, "unknown_ids_flooding", "default", { ago: "1 minute" });
  expect(await told()).toEqual([]);
});

it("an old event that is sent again by hand is late once a minute passed or a try failed", async () => {
  const { harness, db, query, note, open } = await withWaiting();
  await addEvents(harness, 1, { state: "dead" });
  await retryDead({ db, actor: "cli:ada", selection: { filters: {} } });
  for (const [change, count] of [
    ["attempt = 0", 0],
    ["attempt = 1", 1],
    ["attempt = 0", 0],
    ["due_at = now() - interval '2 minutes'", 1],
  ] as const) {
    await query(`update outbox set ${change}`);
    await note();
    expect(await open(), change).toHaveLength(count);
  }
});

it("an invoice that alone gets no answer is no backlog; another one is", async () => {
  const { harness, waitingLong, note, open } = await withWaiting();
  await addAlarm(harness, "invoice_unanswered", await waitingLong(), { ago: "8 minutes" });
  await note();
  expect(await open()).toEqual([]);
  await waitingLong();
  await note();
  expect(await open()).toHaveLength(1);
});

it.each([
  ["no backlog while its next try is ahead", "150 s", "5 s", 0],
  ["one when it is asked no more", "150 s", "-61 s", 1],
  ["one after ten minutes: faults come and go", "11 minutes", "5 s", 1],
])("an invoice that is asked in vain is %s", async (_, openFor, dueIn, count) => {
  const { harness, query, note, open } = await withWaiting();
  await addConfirmation(harness, { ...OPEN, due_at: new Date(), faults: 12 });
  await query("update confirmation set open_since = now() - $1::interval, due_at = now() + $2::interval", [
    ...[openFor, dueIn],
  ]);
  await note();
  expect(await open()).toHaveLength(count);
});

it("a minute is too long where nothing says why, ten minutes whatever does; it stays while faults come and go", async () => {
  const { harness, db, query, waitingLong, note, open } = await withWaiting();
  await query("insert into source (name) values ('default')");
  await waitingLong();
  const waits = async (time: string) => {
    await query("update confirmation set open_since = now() - $1::interval", [time]);
    await note();
    return (await open()).length;
  };
  expect(await waits("50 s")).toBe(0);
  expect(await waits("70 s")).toBe(1);
  expect(await waits("50 s")).toBe(0);
  const paused = { db, actor: "cli:ada", work: "confirm", names: "all" } as const;
  await pause(paused);
  expect(await waits("9 minutes")).toBe(0);
  expect(await waits("11 minutes")).toBe(1);
  await resume(paused);
  await query("update alarm set cleared_at = now()");
  await addAlarm(harness, "source_failing", "default", { ago: "2 minutes" });
  expect(await waits("9 minutes")).toBe(0);
  await query("update alarm set cleared_at = now()");
  expect(await waits("2 minutes")).toBe(1);
  await addAlarm(harness, "source_failing", "default", { ago: "1 minute" });
  expect(await waits("2 minutes")).toBe(1);
});
