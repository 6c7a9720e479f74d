import type { Route } from "../../../src/pipeline/publish/event-log.ts";
import { OutcomeLog } from "../../../src/pipeline/publish/outcomes.ts";
import { publishPolicy, ReplayEventsQueue } from "../../../src/pipeline/publish/publish-queue.ts";
import { SnsDestination } from "../../../src/pipeline/publish/sns-destination.ts";
import { planReplay, ReplayRunner, runReplayJob, startReplay } from "../../../src/pipeline/replay/index.ts";
import type { Replay, ReplayFilters, ReplayKind, ReplayTarget } from "../../../src/pipeline/replay/replay.ts";
import type { ConnectOptions } from "../../../src/platform/database/connect.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import { createMetrics } from "../../../src/platform/metrics/metrics.ts";
import { leaseOf, Pump, Signal, startLoop } from "../../../src/platform/worker/index.ts";
import { openDatabase } from "../../support/database.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { type Harness, startHarness } from "../../support/relay.ts";
import { alarmsOn } from "../../support/test-log.ts";

const FAST = 100_000;
const TOPICS: ReplayTarget = { kind: "topics" };
const never = new AbortController().signal;

interface Replaying {
  kind?: ReplayKind;
  /** How what runs it connects, where it differs. */
  running?: ConnectOptions;
}

/** Replays of one kind, of events unless said, in this process, which sends what they queue while one runs. */
export function replaying(harness: Harness, given: Replaying = {}) {
  const { kind = "events", running } = given;
  const { topicArn } = harness;
  const db = openDatabase(harness.databaseUrl);
  const routes: Route[] = [{ source: "default", invoiceType: "Live", topicArn }];
  const [lease, log] = [leaseOf(15_000), createLogger({ level: "silent" })];
  const queued = new Signal();
  const runsOn = running === undefined ? db : openDatabase(harness.databaseUrl, running);
  const onEvents = () => queued.raise();
  const runner = new ReplayRunner({
    ...{ db: runsOn, lease, onConfirmations: () => undefined, onEvents, alarms: null, routes, sources: null },
  });
  const publish = () => {
    const connections = 8;
    const sns = { region: "us-east-1", endpoint: harness.sns.url, connections, timeoutMs: 10_000 };
    const destination = new SnsDestination(sns);
    onTestFinished(() => destination.close());
    const outcomes = new OutcomeLog({ db: runsOn, alarms: alarmsOn(db) });
    const metrics = createMetrics();
    const line = new ReplayEventsQueue({
      ...{ db: runsOn, routes, topics: [topicArn], destination, outcomes, metrics, tracer: null, log, lease },
    });
    const policy = publishPolicy({ db: runsOn, lines: [line], destination, connections, lease });
    const pump = new Pump({ policy, lease, wake: new Signal(), log });
    const run = (stop: AbortSignal) => pump.drain(stop);
    return startLoop({ name: "publish", run, wake: queued, everyMs: 500, log, metrics });
  };
  const startOrNothing = (filters: ReplayFilters = {}, target: ReplayTarget = TOPICS, rate = FAST) =>
    startReplay({ db, actor: "cli:test", kind, filters, target, routes, rate });
  return {
    db,
    plan: (filters: ReplayFilters = {}) => planReplay({ db, kind, filters, target: TOPICS, routes }),
    startOrNothing,
    async start(...which: Parameters<typeof startOrNothing>): Promise<Replay> {
      const replay = await startOrNothing(...which);
      if (replay === null) throw new Error("nothing matched");
      return replay;
    },
    async run(replay: Replay, stop = never) {
      const publisher = kind === "events" ? publish() : null;
      const ran = await runner.takeUp(replay.id, { stop });
      await publisher?.stop();
      return ran;
    },
    /** Runs what is queued until the test is over. */
    passing() {
      const stopping = new AbortController();
      const options = { runner, log, waitsAtMostMs: 100 };
      const pass = runReplayJob(options, stopping.signal);
      onTestFinished(async () => {
        stopping.abort();
        await pass;
      });
    },
  };
}

/** What replays run in, and replays of one kind. */
export async function ownReplaying(given: Replaying = {}) {
  const harness = await startHarness();
  return { harness, ...harness, ...replaying(harness, given) };
}

export const idsOf = (messages: { messageAttributes: Record<string, { Value: string }> }[]) =>
  messages.map((message) => message.messageAttributes.id?.Value);
