import type { Database } from "../database/connect.ts";
import { SERVE_REQUIRES } from "../kit/settings.ts";
import type { Route } from "../outbox/event.ts";
import type { Replay, ReplayKind, ReplayTarget } from "../replay/replay.ts";
import type { ReplayRunner } from "../replay/replay-runner.ts";
import type { CommandContext } from "./command-context.ts";
import { Progress } from "./progress.ts";
import { renderReplay } from "./render-replay.ts";

/**
 * What a replay in this process runs with, and the routes of its events; only one that sends needs more
 * settings than the database.
 */
export async function replaysHere(
  context: CommandContext,
  db: Database,
  kind: ReplayKind,
  target: ReplayTarget,
): Promise<{ runner: ReplayRunner; routes: readonly Route[] }> {
  const { replayRunner } = await import("../app/replay-runner.ts");
  const { notifyWorkers } = await import("../workers/notify-workers.ts");
  const { sourceNamesOf, sourcesOf } = await import("../kit/sources.ts");
  const common = {
    db,
    leaseMs: context.settings().LEASE_DURATION,
    onConfirmations: () => notifyWorkers(db, "confirm"),
    alarms: null,
    sources: sourceNamesOf(context.settings()),
  };
  if (kind !== "events" || target.kind === "file")
    return { runner: replayRunner({ ...common, routes: [] }), routes: [] };
  const { destinationOf } = await import("../app/destinations.ts");
  const { routesOf } = await import("../app/upstreams.ts");
  const settings = context.settings(SERVE_REQUIRES);
  const routes = routesOf(sourcesOf(settings));
  const createDestination = () => destinationOf(settings, 1);
  return { runner: replayRunner({ ...common, routes, createDestination }), routes };
}

/**
 * Runs the replay in this process with a progress bar, until it ends or a stop is requested, and reports the
 * result.
 */
export async function runHere(context: CommandContext, runner: ReplayRunner, started: Replay): Promise<void> {
  const { listRefusals } = await import("../replay/replay-rows.ts");
  const wish = context.listenForStop();
  const progress = new Progress({
    output: context.stderr,
    unit: started.kind,
    total: started.matching - started.handled,
  });
  let shown = started.handled;
  let waitedFor: string | null = null;
  context.remark(`Replay ${started.id} begins.`);
  const replay = await runner.follow(started, {
    stop: wish.signal,
    onProgress(now) {
      progress.advance(now.handled - shown);
      shown = now.handled;
      if (now.waitsFor !== null && now.waitsFor !== waitedFor) context.remark(`Waiting: ${now.waitsFor}.`);
      waitedFor = now.waitsFor;
    },
  });
  progress.end();
  await wish.finish(Promise.resolve(), 1_000);
  const refusals = await listRefusals({ db: runner.db, id: replay.id });
  context.show({ replay, refusals }, () => renderReplay(replay, refusals));
  if (replay.state !== "done" || replay.refused > 0) context.fault();
}
