import type { ConnectOptions } from "../../src/database/connect.ts";
import { createLogger } from "../../src/kit/log.ts";
import type { Route } from "../../src/publish/event-log.ts";
import { SnsDestination } from "../../src/publish/sns-destination.ts";
import { planReplay } from "../../src/replay/plan-replay.ts";
import type { Replay, ReplayFilters, ReplayKind, ReplayTarget } from "../../src/replay/replay.ts";
import { ReplayRunner, replayPass } from "../../src/replay/replay-runner.ts";
import { startReplay } from "../../src/replay/start-replay.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { openDatabase } from "../support/database.ts";
import { onTestFinished } from "../support/own-test.ts";
import type { Harness } from "../support/relay.ts";

const FAST = 100_000;
const TOPICS: ReplayTarget = { kind: "topics" };
const never = new AbortController().signal;

interface Replaying {
  kind?: ReplayKind;
  topicArn?: string;
  /** How the runner connects, where it differs. */
  running?: ConnectOptions;
}

/** Replays of one kind, of events unless said, in this process. */
export function replaying(harness: Harness, given: Replaying = {}) {
  const { kind = "events", topicArn = harness.topicArn, running } = given;
  const db = openDatabase(harness.databaseUrl);
  const routes: Route[] = [{ source: "default", invoiceType: "Live", topicArn }];
  const runner = new ReplayRunner({
    db: running === undefined ? db : openDatabase(harness.databaseUrl, running),
    lease: leaseOf(15_000),
    onConfirmations: () => undefined,
    alarms: null,
    routes,
    sources: null,
    createDestination: () =>
      new SnsDestination({
        region: "us-east-1",
        endpoint: harness.sns.url,
        connections: 1,
        timeoutMs: 10_000,
      }),
  });
  const startOrNothing = (filters: ReplayFilters = {}, target: ReplayTarget = TOPICS, rate = FAST) =>
    startReplay({ db, actor: "cli:test", kind, filters, target, routes, rate });
  return {
    db,
    runner,
    plan: (filters: ReplayFilters = {}) => planReplay({ db, kind, filters, target: TOPICS, routes }),
    startOrNothing,
    async start(...which: Parameters<typeof startOrNothing>): Promise<Replay> {
      const replay = await startOrNothing(...which);
      if (replay === null) throw new Error("nothing matched");
      return replay;
    },
    run: (replay: Replay, stop = never) => runner.takeUp(replay.id, { stop }),
    /** Runs what is queued until the test is over. */
    passing() {
      const stopping = new AbortController();
      const options = { runner, log: createLogger({ level: "silent" }), waitsAtMostMs: 100 };
      const pass = replayPass(options, stopping.signal);
      onTestFinished(async () => {
        stopping.abort();
        await pass;
      });
    },
  };
}

export const idsOf = (messages: { messageAttributes: Record<string, { Value: string }> }[]) =>
  messages.map((message) => message.messageAttributes.id?.Value);
