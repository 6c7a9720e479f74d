import type { Route } from "../../../src/pipeline/publish/event-log.ts";
import { OutcomeLog } from "../../../src/pipeline/publish/outcomes.ts";
import { publishPolicy, ReplayEventsQueue } from "../../../src/pipeline/publish/publish-queue.ts";
import { SnsDestination } from "../../../src/pipeline/publish/sns-destination.ts";
import { mustFindReplay, planReplay, runReplayJob, startReplay } from "../../../src/pipeline/replay/index.ts";
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
  const { kind = "events", running: connection } = given;
  const { topicArn } = harness;
  const db = openDatabase(harness.databaseUrl);
  const routes: Route[] = [{ source: "default", invoiceType: "Live", topicArn }];
  const [lease, log] = [leaseOf(15_000), createLogger({ level: "silent" })];
  const queued = new Signal();
  const runsOn = connection === undefined ? db : openDatabase(harness.databaseUrl, connection);
  const onEvents = () => queued.raise();
  const running = {
    ...{ db: runsOn, lease, log, onConfirmations: () => undefined, onEvents, routes, sources: ["default"] },
    alarms: alarmsOn(db),
  };
  const publish = () => {
    const connections = 8;
    const sns = { region: "us-east-1", endpoint: harness.sns.url, connections, timeoutMs: 10_000 };
    const destination = new SnsDestination(sns);
    onTestFinished(() => destination.close());
    const outcomes = new OutcomeLog({ db: runsOn, alarms: alarmsOn(db) });
    const metrics = createMetrics();
    const queue = new ReplayEventsQueue({
      ...{ db: runsOn, routes, topics: [topicArn], destination, outcomes, metrics, tracer: null, log, lease },
    });
    const policy = publishPolicy({ db: runsOn, queues: [queue], destination, connections, lease });
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
    /** Runs everything that is queued. @returns this one then. */
    async run(replay: Replay, stop = never) {
      const publisher = kind === "events" ? publish() : null;
      await runReplayJob(running, stop);
      await publisher?.stop();
      return await mustFindReplay({ db, id: replay.id });
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
