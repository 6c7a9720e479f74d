import { expect, it } from "vitest";
import { noteWaiting } from "../../src/operate/backlog.ts";
import { readStatus } from "../../src/operate/status-facts.ts";
import { retryDead } from "../../src/operate/undelivered.ts";
import { openDatabase } from "../support/database.ts";
import { eventually, toEqual, toHaveLength } from "../support/eventually.ts";
import { addAlarm, addConfirmation, addEvents, withDatabase } from "../support/log-rows.ts";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";
import { alarmsOn } from "../support/test-log.ts";

const OPEN = { state: "due", settled_at: null, verdict: null };

const NO_SWEEP_DUE = { sources: null, intervalMs: 86_400_000 };

const note = (db: ReturnType<typeof openDatabase>) => noteWaiting(db, alarmsOn(db));

const waitingLong = async (harness: Harness) => {
  const id = await addConfirmation(harness, { ...OPEN, due_at: new Date() });
  await harness.query("update confirmation set open_since = now() - interval '11 minutes'");
  harness.provider.invoice(id, invoiceAnswer(id));
  return id;
};

// That an open alarm reaches status, metrics and people: test/journeys/drill.test.ts.
it("payments that a slow provider has kept for ten minutes are an alarm, until they are through (G13)", async () => {
  const harness = await startHarness();
  const id = await waitingLong(harness);
  const answers: (() => void)[] = [];
  harness.provider.invoice(id, (_request, response) => void answers.push(() => response.destroy()));
  await startRelay(harness.environment({ CONFIRM_TIMEOUT: "60s", COLLECTION_IDS: "none" }));
  const alarms = () => harness.query("select name, cleared_at is null as open from alarm");
  await eventually(alarms, toEqual([{ name: "payments_waiting", open: true }]));

  harness.provider.invoice(id, invoiceAnswer(id));
  for (const end of answers) end();
  await eventually(() => harness.sns.messages(), toHaveLength(1));
  await note(openDatabase(harness.databaseUrl));
  expect(await alarms()).toEqual([{ name: "payments_waiting", open: false }]);
});

it("what a critical alarm tells already is not told again, nor is a flood", async () => {
  const { harness, db } = await withDatabase();
  await waitingLong(harness);
  await addEvents(harness, 1, { state: "due" });
  /** What is said to be waited for. */
  const told = async () => {
    await note(db);
    const open = await harness.query<{ detail: string }>(
      "select detail from alarm where name = 'payments_waiting' and cleared_at is null",
    );
    await harness.query("update alarm set cleared_at = now() where name = 'payments_waiting'");
    return open.map(({ detail }) => ["provider", "SNS"].filter((one) => detail.includes(one)));
  };
  expect(await told()).toEqual([["provider", "SNS"]]);
  await addAlarm(harness, "topic_paused", "", { source: "", ago: "1 minute" });
  await addAlarm(harness, "source_failing", "default", { ago: "5 minutes" });
  expect(await told()).toEqual([["provider"]]);
  await harness.query("update alarm set raised_at = now() - interval '10 minutes'");
  expect(await told()).toEqual([]);
  await harness.query("delete from alarm where name = 'source_failing'");
  await addAlarm(harness, "unknown_ids_flooding", "default", { ago: "1 minute" });
  expect(await told()).toEqual([]);
});

it("an old event that is sent again by hand is late once a minute passed or a try failed", async () => {
  const { harness, db } = await withDatabase();
  const count = async () => {
    await note(db);
    const open = await harness.query(
      "select from alarm where name = 'payments_waiting' and cleared_at is null",
    );
    // The headline says the same.
    expect((await readStatus(db, NO_SWEEP_DUE)).needs).toHaveLength(open.length);
    return open.length;
  };
  await addEvents(harness, 1, { state: "dead" });
  await retryDead({ db, actor: "cli:ada", selection: { filters: {} } });
  expect(await count()).toBe(0);
  await harness.query("update outbox set attempt = 1");
  expect(await count()).toBe(1);
  await harness.query("update outbox set attempt = 0");
  expect(await count()).toBe(0);
  await harness.query("update outbox set due_at = now() - interval '2 minutes'");
  expect(await count()).toBe(1);
});

/** What needs a person, as severity and alarm. */
const needsIn = async (db: ReturnType<typeof openDatabase>) =>
  (await readStatus(db, NO_SWEEP_DUE)).needs.map(({ severity, alarm }) => [severity, alarm]);

it("an invoice that alone gets no answer is one need, and no backlog", async () => {
  const { harness, db } = await withDatabase();
  const id = await waitingLong(harness);
  await addAlarm(harness, "invoice_unanswered", id, { ago: "8 minutes" });
  const own = ["warning", "invoice_unanswered"];
  await note(db);
  expect(await needsIn(db)).toEqual([own]);
  // Another one waits for no reason that an alarm of its own gives.
  await waitingLong(harness);
  await note(db);
  expect(await needsIn(db)).toEqual([["critical", "payments_waiting"], own]);
});

it("an invoice that is asked in vain is no backlog before its alarm comes; one that is asked no more is", async () => {
  const { harness, db } = await withDatabase();
  await addConfirmation(harness, { ...OPEN, due_at: new Date(), faults: 12 });
  const waits = (openFor: string, due: string) =>
    harness.query(
      `update confirmation set open_since = now() - interval '${openFor}', due_at = now() ${due}`,
    );
  await waits("150 s", "+ interval '5 s'");
  expect(await needsIn(db)).toEqual([]);
  await waits("150 s", "- interval '61 s'");
  expect(await needsIn(db)).toEqual([["critical", null]]);
  // With no alarm after ten minutes, faults come and go.
  await waits("11 minutes", "+ interval '5 s'");
  expect(await needsIn(db)).toEqual([["critical", null]]);
});

it("a snoozed backlog of one source hides no other's", async () => {
  const { harness, db } = await withDatabase();
  await waitingLong(harness);
  await note(db);
  await harness.query("update alarm set snoozed_until = now() + interval '1 hour'");
  expect(await needsIn(db)).toEqual([]);
  await addConfirmation(harness, { ...OPEN, source: "other", due_at: new Date() });
  await harness.query(
    "update confirmation set open_since = now() - interval '3 minutes' where source = 'other'",
  );
  expect(await needsIn(db)).toEqual([["critical", null]]);
});
