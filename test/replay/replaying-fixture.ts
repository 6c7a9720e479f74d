import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createReplayWorkshop } from "../../src/app/replay-workshop.ts";
import type { Database } from "../../src/database/connect.ts";
import type { Route } from "../../src/publish/claim-events.ts";
import type { Replay, ReplayFilters, ReplayTarget } from "../../src/replay/replay.ts";
import { takeUpReplay } from "../../src/replay/replay-workshop.ts";
import { startReplay } from "../../src/replay/start-replay.ts";
import type { Surroundings } from "../support/relay.ts";
import { openDatabase } from "./log-rows.ts";

export const FAST = 100_000;
const never = new AbortController().signal;

export function replaying(around: Surroundings, topicArn = around.topicArn) {
  const db = openDatabase(around.databaseUrl);
  const routes: Route[] = [{ source: "default", invoiceType: "Live", topicArn }];
  const workshop = createReplayWorkshop({
    db,
    leaseMs: 1_000,
    onQuestions: () => undefined,
    sns: { routes, region: "us-east-1", endpoint: around.sns.url },
  });
  return {
    db,
    routes,
    workshop,
    start: (filters: ReplayFilters = {}, target: ReplayTarget = { kind: "topics" }, rate = FAST) =>
      mustStart(db, routes, filters, target, rate),
    run: (replay: Replay, stop = never) => takeUpReplay(workshop, replay.id, { stop }),
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
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-replay-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "events.ndjson");
}
