import { expect, it, vi } from "vitest";
import { noteWaiting } from "../../src/operate/backlog.ts";
import { readStatus } from "../../src/operate/status-facts.ts";
import { retryDead } from "../../src/operate/undelivered.ts";
import { startAlarmReceiver } from "../support/alarm-receiver.ts";
import { runCli } from "../support/cli-process.ts";
import { openDatabase } from "../support/database.ts";
import { addConfirmation, addEvents, withDatabase } from "../support/log-rows.ts";
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

it("payments that a slow provider has kept for ten minutes are critical everywhere, and their end is told (G13)", async () => {
  const harness = await startHarness();
  const receiver = await startAlarmReceiver();
  const id = await waitingLong(harness);
  const answers: (() => void)[] = [];
  harness.provider.invoice(id, (_request, response) => void answers.push(() => response.destroy()));
  const environment = harness.environment({
    ...{ ALARM_WEBHOOK_URL: receiver.url, OPS_PORT: "0", CONFIRM_TIMEOUT: "60s" },
    COLLECTION_IDS: "none",
  });
  const relay = await startRelay(environment);
  const texts = () => receiver.messages.map(({ text }) => text).join("\n");
  await vi.waitFor(() =>
    expect(texts()).toMatch(
      /^CRITICAL: payments wait too long for their events \(payments_waiting: default\)\./m,
    ),
  );
  const { stdout, code } = await runCli(["status"], environment);
  expect(code).toBe(1);
  expect(stdout).toMatch(/A person is needed: 1 confirmation of source default has waited for an answer/);
  expect(stdout).toMatch(/^ {2}payments_waiting +critical/m);
  await vi.waitFor(async () => {
    const page = await (await fetch(`${relay.opsUrl}/metrics`)).text();
    expect(page).toContain('invoice_relay_alarms_open{alarm="payments_waiting"} 1');
  });

  harness.provider.invoice(id, invoiceAnswer(id));
  for (const end of answers) end();
  await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
  await note(openDatabase(harness.databaseUrl));
  await vi.waitFor(() => expect(texts()).toMatch(/^OVER: payments wait too long/m));
  expect((await runCli(["status"], environment)).stdout).toMatch(/^All is well/);
});

it("what a critical alarm tells already is not told again, nor is a flood", async () => {
  const { harness, db } = await withDatabase();
  await waitingLong(harness);
  await addEvents(harness, 1, { state: "due" });
  const raise = (name: string, source: string, ago: string) =>
    harness.query(
      `insert into alarm (name, source, subject, detail, raised_at) values ($1, $2, $2, '', now() - $3::interval)`,
      [name, source, ago],
    );
  const details = async () => {
    await note(db);
    const open = await harness.query<{ detail: string }>(
      "select detail from alarm where name = 'payments_waiting' and cleared_at is null",
    );
    await harness.query("update alarm set cleared_at = now() where name = 'payments_waiting'");
    return open.map(({ detail }) => detail);
  };
  const said = (what: string) => [
    `Payments of source default have waited for more than ten minutes: ${what}.`,
  ];
  expect(await details()).toEqual(said("for an answer of the provider, and to be sent to SNS"));
  await raise("topic_paused", "", "1 minute");
  await raise("source_failing", "default", "5 minutes");
  expect(await details()).toEqual(said("for an answer of the provider"));
  await harness.query("update alarm set raised_at = now() - interval '10 minutes'");
  expect(await details()).toEqual([]);
  await harness.query("delete from alarm where name = 'source_failing'");
  await raise("unknown_ids_flooding", "default", "1 minute");
  expect(await details()).toEqual([]);
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

it("an invoice that alone gets no answer is one need, and no backlog", async () => {
  const { harness, db } = await withDatabase();
  const id = await waitingLong(harness);
  await harness.query(
    `insert into alarm (name, source, subject, detail, raised_at)
     values ('invoice_unanswered', 'default', $1, '', now() - interval '8 minutes')`,
    [id],
  );
  const look = async () => {
    await note(db);
    const { needs } = await readStatus(db, NO_SWEEP_DUE);
    return needs.map(({ severity, alarm, what }) => [severity, alarm, what]);
  };
  const own = ["warning", "invoice_unanswered", `an invoice gets no usable answer (${id})`];
  expect(await look()).toEqual([own]);
  // Another one waits for no reason that an alarm of its own gives.
  await waitingLong(harness);
  expect(await look()).toEqual([
    ["critical", "payments_waiting", expect.stringMatching(/^1 confirmation of source default has waited/)],
    own,
  ]);
});

it("an invoice that is asked in vain is no backlog before its alarm comes; one that is asked no more is", async () => {
  const { harness, db } = await withDatabase();
  await addConfirmation(harness, { ...OPEN, due_at: new Date(), faults: 12 });
  await harness.query(`update confirmation
    set open_since = now() - interval '150 s', due_at = now() + interval '5 s'`);
  const look = async () => (await readStatus(db, NO_SWEEP_DUE)).needs.map(({ what }) => what);
  expect(await look()).toEqual([]);
  const waits = [
    expect.stringMatching(/^1 confirmation of source default has waited for an answer for up to /),
  ];
  await harness.query("update confirmation set due_at = now() - interval '61 s'");
  expect(await look()).toEqual(waits);
  // With no alarm after ten minutes, faults come and go.
  await harness.query(`update confirmation
    set open_since = now() - interval '11 minutes', due_at = now() + interval '5 s'`);
  expect(await look()).toEqual(waits);
});

it("a snoozed backlog of one source hides no other's", async () => {
  const { harness, db } = await withDatabase();
  await waitingLong(harness);
  await note(db);
  await harness.query("update alarm set snoozed_until = now() + interval '1 hour'");
  const look = async () => (await readStatus(db, NO_SWEEP_DUE)).needs.map(({ what }) => what);
  expect(await look()).toEqual([]);
  await addConfirmation(harness, { ...OPEN, source: "other", due_at: new Date() });
  await harness.query(
    "update confirmation set open_since = now() - interval '3 minutes' where source = 'other'",
  );
  expect(await look()).toEqual([expect.stringMatching(/^1 confirmation of source other has waited/)]);
});
