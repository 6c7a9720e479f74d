import { describe, expect, it, vi } from "vitest";
import { cancelReplay, resumeReplay } from "../../../src/pipeline/replay/start-replay.ts";
import { startCli } from "../../support/cli-process.ts";
import { openSession } from "../../support/database.ts";
import {
  eventually,
  toBeGreaterThan,
  toEqual,
  toHaveLength,
  toMatchObject,
} from "../../support/eventually.ts";
import { addEvents } from "../../support/log-rows.ts";
import { type Harness, startRelay } from "../../support/relay.ts";
import { idsOf, ownReplaying } from "./replaying-fixture.ts";

const TOPICS = { kind: "topics" } as const;

/** @returns what gives the lock back */
async function lock({ databaseUrl }: Harness, what: string): Promise<() => Promise<unknown>> {
  const holder = await openSession(databaseUrl);
  await holder.query(`begin; lock table ${what}`);
  return () => holder.query("rollback");
}

/** The sessions whose statement waits for a lock. */
const waiting = ({ query }: Harness, text: string) =>
  query<{ pid: number }>(
    `select pid from pg_stat_activity
     where wait_event_type = 'Lock' and query ~ $1 and datname = current_database()`,
    [text],
  );

/** Waits until a third session waits for a lock: those of the statements before it were given up. */
async function givesUpTwice(harness: Harness, text: string): Promise<void> {
  const waited = new Set<number>();
  await vi.waitFor(async () => {
    for (const { pid } of await waiting(harness, text)) waited.add(pid);
    expect(waited.size).toBeGreaterThan(2);
  });
}

describe("a replay of events that is interrupted", () => {
  it("fails visibly when SNS refuses the topic, and goes on where it stopped once resumed", async () => {
    const { harness, sns, start, run, db } = await ownReplaying();
    await addEvents(harness, 15);
    const replay = await start();
    sns.addFault({ kind: "refuse-credentials", action: "PublishBatch" });
    expect(await run(replay)).toMatchObject({ state: "failed", lastError: expect.any(String) });
    await resumeReplay({ db, actor: "cli:test", id: replay.id });
    expect(await run(replay)).toMatchObject({ state: "done", handled: 15 });
    expect(sns.messages()).toHaveLength(15);
  });

  it("raises an alarm when it cannot go on, which its cancelling closes (G13)", async () => {
    const { harness, query, sns, start, db } = await ownReplaying();
    await addEvents(harness, 1);
    sns.addFault({ kind: "refuse-credentials", action: "PublishBatch" });
    await startRelay(harness.environment());
    const { id } = await start();
    const open = () => query("select name, subject from alarm where cleared_at is null");
    await eventually(open, toEqual([{ name: "replay_failed", subject: id }]));
    expect(await cancelReplay({ db, actor: "cli:test", id })).toMatchObject({ state: "cancelled" });
    expect(await open()).toEqual([]);
  });

  it("waits while the topic is paused, and goes on when it is resumed", async () => {
    const { harness, query, sns, topicArn, start, run } = await ownReplaying();
    await addEvents(harness, 3);
    await query("insert into topic (arn, paused_by, paused_at) values ($1, 'operator', now())", [topicArn]);
    const running = run(await start());
    const waits = () => query("select from replay where waits_for is not null");
    await eventually(waits, toHaveLength(1));
    expect(sns.messages()).toEqual([]);
    await query("update topic set paused_by = null, paused_at = null");
    expect(await running).toMatchObject({ state: "done", sent: 3, waitsFor: null });
  });

  it.each([
    ["is not ended by a database that does not answer in time", "event in access exclusive mode", "event"],
    [
      "keeps acceptances that could not be written at once, and does not send again (G5)",
      "publication in exclusive mode",
      "with outcome as",
    ],
  ])("%s", async (_, locked, statement) => {
    const { harness, query, sns, start, run } = await ownReplaying({
      running: { statementTimeoutMs: 1_000 },
    });
    await addEvents(harness, 30);
    const replay = await start({}, TOPICS, 100);
    const release = await lock(harness, locked);
    const running = run(replay);
    await givesUpTwice(harness, statement);
    await release();
    expect(await running).toMatchObject({ state: "done", handled: 30, sent: 30 });
    expect(sns.messages()).toHaveLength(30);
    // A write that was given up may have got through too.
    const kept = "select distinct event_id, message_id from publication where replay_id = $1";
    expect(await query(kept, [replay.id])).toHaveLength(30);
  });

  it("counts what SNS took although the lease was lost meanwhile (G6)", async () => {
    const { harness, query, sns, start, run } = await ownReplaying();
    await addEvents(harness, 25);
    const replay = await start();
    const release = await lock(harness, "publication in exclusive mode");
    const losing = run(replay);
    await eventually(() => waiting(harness, "with outcome as"), toHaveLength(1));
    await query("update replay set lease_token = gen_random_uuid(), claimed_until = now()");
    await release();
    expect(await losing).toMatchObject({ state: "done", handled: 25, sent: 25 });
    expect(sns.messages()).toHaveLength(25);
  });

  it("stops when it is cancelled, or its process is asked to end, and two of a kind run one after the other", async () => {
    const { harness, query, sns, start, run, db } = await ownReplaying();
    await addEvents(harness, 200);
    const [slow, next] = [await start({}, TOPICS, 50), await start()];
    const stop = new AbortController();
    const stopping = run(slow, stop.signal);
    await eventually(() => sns.messages().length, toBeGreaterThan(0));
    expect(await run(next)).toMatchObject({ state: "running", startedAt: null });
    stop.abort();
    // Its lease is released: the next process need not wait for its end.
    expect(await stopping).toMatchObject({ state: "running", underWay: false });
    const running = run(slow);
    await eventually(() => query("select from replay where lease_token is not null"), toHaveLength(1));
    await cancelReplay({ db, actor: "cli:test", id: slow.id });
    expect(await running).toMatchObject({ state: "cancelled" });
    expect(await query("select from outbox where replay_id = $1", [slow.id])).toEqual([]);
    expect(await query("select state, sent from replay where id = $1", [next.id])).toEqual([
      { state: "done", sent: 200 },
    ]);
    expect(await query("select action, subject from audit_entry order by id")).toEqual([
      { action: "replay.start", subject: slow.id },
      { action: "replay.start", subject: next.id },
      { action: "replay.cancel", subject: slow.id },
    ]);
  });

  it("killed in the middle, is taken up by the next serve: every event went out at least once, and is recorded", async () => {
    const { harness, query, sns, start } = await ownReplaying();
    const events = await addEvents(harness, 400);
    const environment = harness.environment({
      ...{ LEASE_DURATION: "500ms", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" },
    });
    const serve = startCli(["serve", "--workers-only"], environment);
    const { id } = await start({}, TOPICS, 400);
    await eventually(() => sns.messages().length, toBeGreaterThan(40));
    serve.child.kill("SIGKILL");
    expect(await serve.ended).toBeNull();
    expect(await query("select state, handled < 400 as early from replay")).toEqual([
      { state: "running", early: true },
    ]);

    await startRelay(environment);
    const row = async () => (await query("select state, handled, sent from replay"))[0];
    await eventually(row, toMatchObject({ state: "done", handled: 400, sent: 400 }));
    expect(new Set(idsOf(sns.messages()))).toEqual(new Set(events.map((event) => event.id)));
    expect(await query("select distinct event_id from publication where replay_id = $1", [id])).toHaveLength(
      400,
    );
    // Only what was on its way may have gone twice.
    expect(sns.messages().length).toBeLessThanOrEqual(440);
  });
});
