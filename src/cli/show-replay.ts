import type { Database } from "../database/connect.ts";
import { RelayError } from "../kit/errors.ts";
import { SERVE_REQUIRES } from "../kit/settings.ts";
import type { Route } from "../publish/event.ts";
import type { Replay, ReplayKind, ReplayTarget } from "../replay/replay.ts";
import type { ReplayRunner } from "../replay/replay-runner.ts";
import { leaseOf } from "../work/lease.ts";
import type { CommandContext } from "./command-context.ts";
import { Progress } from "./progress.ts";
import { renderReplay } from "./render-replay.ts";

/** A replay as the command line is to run it. */
export interface WantedReplay {
  kind: ReplayKind;
  target: ReplayTarget;
  /** Send events from this process: with its own right to publish. */
  here: boolean;
}

/**
 * Who runs a replay, and the routes of its events. The relay sends events, since often it alone may publish;
 * all else is done here. `runner` is null where the relay does it.
 */
export async function chooseRunner(
  context: CommandContext,
  db: Database,
  { kind, target, here }: WantedReplay,
): Promise<{ runner: ReplayRunner | null; routes: readonly Route[] }> {
  const { replayRunner } = await import("../app/replay-runner.ts");
  const { notifyWorkers } = await import("../work/wake-up.ts");
  const { sourceNamesOf, sourcesOf } = await import("../kit/sources.ts");
  const common = {
    db,
    lease: leaseOf(context.settings().LEASE_DURATION),
    onConfirmations: () => notifyWorkers(db, "confirm"),
    alarms: null,
    sources: sourceNamesOf(context.settings()),
  };
  if (kind !== "events" || target.kind === "file")
    return { runner: replayRunner({ ...common, routes: [] }), routes: [] };
  const { destinationOf } = await import("../app/publishing.ts");
  const { routesOf } = await import("../app/upstreams.ts");
  const settings = context.settings(SERVE_REQUIRES);
  const routes = routesOf(sourcesOf(settings));
  if (!here) return { runner: null, routes };
  const createDestination = () => destinationOf(settings, 1);
  return { runner: replayRunner({ ...common, routes, createDestination }), routes };
}

/**
 * Checks that a process runs that takes up what is queued.
 * @throws RelayError if none does.
 */
export async function requireRelay(db: Database): Promise<void> {
  const { listProcesses } = await import("../work/relay-process.ts");
  const processes = await listProcesses(db);
  if (processes.some(({ workers, lives }) => workers && lives)) return;
  throw new RelayError(
    "No relay runs that could send these events. Start invoice-relay serve, or send them from here, with " +
      "the AWS credentials of this shell: add --here.",
  );
}

/**
 * Follows the replay with a progress bar, in this process or in the relay's, until it ends or a stop is
 * requested, and reports the result.
 */
export async function showReplay(
  context: CommandContext,
  { db, runner, started }: { db: Database; runner: ReplayRunner | null; started: Replay },
): Promise<void> {
  const { listRefusals } = await import("../replay/replay-rows.ts");
  const { followReplay } = await import("../replay/replay-runner.ts");
  const wish = context.listenForStop();
  const progress = new Progress({
    output: context.stderr,
    unit: started.kind,
    total: started.matching - started.handled,
  });
  let shown = started.handled;
  let waitedFor: string | null = null;
  context.remark(
    runner === null
      ? `Replay ${started.id} is queued; the relay sends it (on Lambda within five minutes).`
      : `Replay ${started.id} begins.`,
  );
  const replay = await followReplay(started, {
    db,
    runner,
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
  const refusals = await listRefusals({ db, id: replay.id });
  context.show({ replay, refusals }, () => renderReplay(replay, refusals));
  if (replay.state !== "done" || replay.refused > 0) context.fault();
}
