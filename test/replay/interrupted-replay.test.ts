import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { cancelReplay, resumeReplay } from "../../src/replay/start-replay.ts";
import { startCli } from "../support/cli-process.ts";
import { addEvents } from "../support/log-rows.ts";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { idsOf, replaying } from "./replaying-fixture.ts";

/** @returns what gives the lock back */
async function lock({ databaseUrl }: Harness, what: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query(`begin; lock table ${what}`);
  return () => holder.end();
}

/** Waits until a third session waits for a lock: those of the statements before it were given up. */
async function givesUpTwice({ query }: Harness, text: string): Promise<void> {
  const waited = new Set<number>();
  await vi.waitFor(async () => {
    const rows = await query<{ pid: number }>(
      `select pid from pg_stat_activity
       where wait_event_type = 'Lock' and query ~ $1 and datname = current_database()`,
      [text],
    );
    for (const { pid } of rows) waited.add(pid);
    expect(waited.size).toBeGreaterThan(2);
  });
}

describe("a replay of events that is interrupted", () => {
  it("fails visibly when SNS refuses the topic, and goes on where it stopped once resumed", async () => {
    const harness = await startHarness();
    await addEvents(harness, 15);
    const { start, run, db } = replaying(harness);
    const replay = await start();
    harness.sns.addFault({ kind: "refuse-credentials", action: "PublishBatch" });

    const failed = await run(replay);
    expect(failed).toMatchObject({
      state: "failed",
      lastError: expect.stringContaining("refuses the topic"),
    });

    await resumeReplay({ db, actor: "cli:test", id: replay.id });
    expect(await run(replay)).toMatchObject({ state: "done", handled: 15 });
    expect(harness.sns.messages()).toHaveLength(15);
  });

  it("waits while the topic is paused, and goes on when it is resumed", async () => {
    const harness = await startHarness();
    await addEvents(harness, 3);
    await harness.query("insert into topic (arn, paused_by, paused_at) values ($1, 'operator', now())", [
      harness.topicArn,
    ]);
    const { start, run } = replaying(harness);
    const replay = await start();
    const running = run(replay);
    await vi.waitFor(async () =>
      expect(await harness.query("select waits_for from replay")).toEqual([
        { waits_for: expect.stringContaining("paused") },
      ]),
    );
    expect(harness.sns.messages()).toEqual([]);

    await harness.query("update topic set paused_by = null, paused_at = null");

    expect(await running).toMatchObject({ state: "done", sent: 3, waitsFor: null });
  });

  it("is not ended by a database that does not answer in time", async () => {
    const harness = await startHarness();
    await addEvents(harness, 30);
    const { start, run } = replaying(harness, { running: { statementTimeoutMs: 1_000 } });
    const replay = await start({}, { kind: "topics" }, 100);
    const release = await lock(harness, "event in access exclusive mode");

    const running = run(replay);
    await givesUpTwice(harness, "event");
    await release();

    expect(await running).toMatchObject({ state: "done", sent: 30 });
    expect(harness.sns.messages()).toHaveLength(30);
  });

  it("keeps an acceptance that could not be written at once, and does not send it again (G5)", async () => {
    const harness = await startHarness();
    await addEvents(harness, 5);
    const { start, run } = replaying(harness, { running: { statementTimeoutMs: 1_000 } });
    const replay = await start();
    const release = await lock(harness, "publication in exclusive mode");

    const running = run(replay);
    await givesUpTwice(harness, "with outcome as");
    await release();

    expect(await running).toMatchObject({ state: "done", handled: 5, sent: 5 });
    expect(harness.sns.messages()).toHaveLength(5);
    // A write that was given up may have got through too.
    const kept = "select distinct event_id, message_id from publication where replay_id = $1";
    expect(await harness.query(kept, [replay.id])).toHaveLength(5);
  });

  it("counts what SNS took although the lease was lost meanwhile", async () => {
    const harness = await startHarness();
    await addEvents(harness, 25);
    const { start, run } = replaying(harness);
    const replay = await start();
    const release = await lock(harness, "publication in exclusive mode");
    const losing = run(replay);
    await vi.waitFor(async () =>
      expect(
        await harness.query(
          `select from pg_stat_activity
           where wait_event_type = 'Lock' and query ~ 'with outcome as' and datname = current_database()`,
        ),
      ).toHaveLength(1),
    );
    await harness.query("update replay set lease_token = gen_random_uuid(), claimed_until = now()");
    await release();
    expect(await losing).toMatchObject({ state: "running", handled: 0 });

    expect(await run(replay)).toMatchObject({ state: "done", handled: 25, sent: 25 });
    expect(harness.sns.messages()).toHaveLength(25);
  });

  it("cannot go on, and says so with an alarm, which its cancelling closes", async () => {
    const harness = await startHarness();
    await addEvents(harness, 1);
    harness.sns.addFault({ kind: "refuse-credentials", action: "PublishBatch" });
    await startRelay(harness.environment());
    const { start, db } = replaying(harness);
    const { id } = await start();
    await vi.waitFor(async () =>
      expect(await harness.query("select name, subject from alarm where cleared_at is null")).toEqual([
        { name: "replay_failed", subject: id },
      ]),
    );
    expect(await cancelReplay({ db, actor: "cli:test", id })).toMatchObject({ state: "cancelled" });
    expect(await harness.query("select 1 from alarm where cleared_at is null")).toEqual([]);
  });

  it("stops when it is cancelled, and two of a kind take turns", async () => {
    const harness = await startHarness();
    await addEvents(harness, 200);
    const { start, run, db } = replaying(harness);
    const [slow, next] = [await start({}, { kind: "topics" }, 50), await start()];
    const running = run(slow);
    await vi.waitFor(() => expect(harness.sns.messages().length).toBeGreaterThan(0));

    expect(await run(next)).toBeNull();
    await cancelReplay({ db, actor: "cli:test", id: slow.id });

    expect(await running).toMatchObject({ state: "cancelled" });
    expect(await harness.query("select from outbox where replay_id = $1", [slow.id])).toEqual([]);
    expect(await run(next)).toMatchObject({ state: "done", sent: 200 });
    const actions = await harness.query("select action, subject from audit_entry order by id");
    expect(actions).toEqual([
      { action: "replay.start", subject: slow.id },
      { action: "replay.start", subject: next.id },
      { action: "replay.cancel", subject: slow.id },
    ]);
  });

  it("killed in the middle and resumed: every event went out at least once and stands recorded", async () => {
    const harness = await startHarness();
    const events = await addEvents(harness, 400);
    const environment = harness.environment({
      ...{ LEASE_DURATION: "500ms", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" },
    });
    const serve = startCli(["serve", "--workers-only"], environment);
    const { start } = replaying(harness);
    const { id } = await start({}, { kind: "topics" }, 400);
    await vi.waitFor(() => expect(harness.sns.messages().length).toBeGreaterThan(40));
    serve.child.kill("SIGKILL");
    expect(await serve.ended).toBeNull();
    const [row] = await harness.query<{ handled: number; state: string }>(
      "select handled, state from replay",
    );
    expect(row?.state).toBe("running");
    expect(row?.handled).toBeLessThan(400);

    await startRelay(environment);

    await vi.waitFor(async () =>
      expect(await harness.query("select state, handled, sent from replay")).toEqual([
        { state: "done", handled: 400, sent: 400 },
      ]),
    );
    expect(new Set(idsOf(harness.sns.messages()))).toEqual(new Set(events.map((event) => event.id)));
    const recorded = await harness.query("select distinct event_id from publication where replay_id = $1", [
      id,
    ]);
    expect(recorded).toHaveLength(400);
    // Only what was on its way may have gone twice.
    expect(harness.sns.messages().length).toBeLessThanOrEqual(440);
  });

  it("of a dead process is taken up by serve, by itself", async () => {
    const harness = await startHarness();
    await addEvents(harness, 30);
    const { start, run } = replaying(harness);
    const replay = await start({}, { kind: "topics" }, 20);
    const stop = new AbortController();
    const running = run(replay, stop.signal);
    await vi.waitFor(() => expect(harness.sns.messages().length).toBeGreaterThan(0));
    stop.abort();
    expect(await running).toMatchObject({ state: "running", underWay: false });

    await startRelay(harness.environment());

    await vi.waitFor(async () =>
      expect(await harness.query("select state, handled from replay")).toEqual([
        { state: "done", handled: 30 },
      ]),
    );
  });
});
