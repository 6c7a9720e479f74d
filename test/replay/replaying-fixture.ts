import { join } from "node:path";
import type { ConnectOptions } from "../../src/database/connect.ts";
import type { Database } from "../../src/database/tables.ts";
import type { Route } from "../../src/publish/event.ts";
import { SnsDestination } from "../../src/publish/sns-destination.ts";
import type { Replay, ReplayFilters, ReplayTarget } from "../../src/replay/replay.ts";
import { ReplayRunner } from "../../src/replay/replay-runner.ts";
import { startReplay } from "../../src/replay/start-replay.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { openDatabase } from "../support/log-rows.ts";
import type { Surroundings } from "../support/relay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FAST = 100_000;
const never = new AbortController().signal;

/** @param running how the runner connects, where it differs. */
export function replaying(around: Surroundings, topicArn = around.topicArn, running?: ConnectOptions) {
  const db = openDatabase(around.databaseUrl);
  const routes: Route[] = [{ source: "default", invoiceType: "Live", topicArn }];
  const runner = new ReplayRunner({
    db: running === undefined ? db : openDatabase(around.databaseUrl, running),
    lease: leaseOf(15_000),
    onConfirmations: () => undefined,
    alarms: null,
    routes,
    sources: ["default"],
    createDestination: () =>
      new SnsDestination({
        region: "us-east-1",
        endpoint: around.sns.url,
        connections: 1,
        timeoutMs: 10_000,
      }),
  });
  return {
    db,
    routes,
    runner,
    start: (filters: ReplayFilters = {}, target: ReplayTarget = { kind: "topics" }, rate = FAST) =>
      mustStart(db, routes, filters, target, rate),
    run: (replay: Replay, stop = never) => runner.takeUp(replay.id, { stop }),
  };
}

async function mustStart(
  db: Database,
  routes: Route[],
  filters: ReplayFilters,
  target: ReplayTarget,
  rate: number,
): Promise<Replay> {
  const replay = await startReplay({ db, actor: "cli:test", kind: "events", filters, target, routes, rate });
  if (replay === null) throw new Error("nothing matched");
  return replay;
}

export const idsOf = (messages: { messageAttributes: Record<string, { Value: string }> }[]) =>
  messages.map((message) => message.messageAttributes.id?.Value);

export async function temporaryFile(): Promise<string> {
  const folder = await temporaryFolder();
  return join(folder, "events.ndjson");
}
