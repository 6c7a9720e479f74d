import type { Database } from "../database/connect.ts";
import type { ReplayKind } from "../database/tables.ts";
import { SERVE_REQUIRES } from "../kit/settings.ts";
import type { Replay, ReplayTarget } from "../replay/replay.ts";
import type { ReplayWorkshop } from "../replay/replay-workshop.ts";
import type { Door } from "./door.ts";
import { Progress } from "./progress.ts";
import { renderReplay } from "./render-replay.ts";

/** What a replay takes; only one that sends to SNS needs more settings than the database. */
export async function workshopFor(
  door: Door,
  db: Database,
  kind: ReplayKind,
  target: ReplayTarget,
): Promise<ReplayWorkshop> {
  const { createReplayWorkshop } = await import("../app/replay-workshop.ts");
  const { notifyWorkers } = await import("../workers/notify-workers.ts");
  const common = {
    db,
    leaseMs: door.settings().LEASE_DURATION,
    onQuestions: () => notifyWorkers(db, "confirm"),
  };
  if (kind !== "events" || target.kind === "file") return createReplayWorkshop({ ...common, sns: null });
  const { routesOf } = await import("../app/register.ts");
  const { sourcesOf } = await import("../kit/sources.ts");
  const settings = door.settings(SERVE_REQUIRES);
  const { AWS_REGION: region, AWS_ENDPOINT_URL_SNS: endpoint } = settings;
  return createReplayWorkshop({
    ...common,
    sns: { routes: routesOf(sourcesOf(settings)), region, endpoint },
  });
}

/** Runs the replay here with a progress bar, until it ends or someone wishes to stop, and says what became of it. */
export async function runHere(door: Door, workshop: ReplayWorkshop, started: Replay): Promise<void> {
  const { followReplay } = await import("../replay/follow-replay.ts");
  const { listRefusals } = await import("../replay/replay-store.ts");
  const wish = door.listenForStop();
  const progress = new Progress({
    output: door.stderr,
    unit: started.kind,
    total: started.matching - started.handled,
  });
  let shown = started.handled;
  let waitedFor: string | null = null;
  door.remark(`Replay ${started.id} begins.`);
  const replay = await followReplay(workshop, started, {
    stop: wish.signal,
    onProgress(now) {
      progress.advance(now.handled - shown);
      shown = now.handled;
      if (now.waitsFor !== null && now.waitsFor !== waitedFor) door.remark(`It waits: ${now.waitsFor}.`);
      waitedFor = now.waitsFor;
    },
  });
  progress.end();
  await wish.finish(Promise.resolve(), 1_000);
  const refusals = await listRefusals({ db: workshop.db, id: replay.id });
  door.show({ replay, refusals }, () => renderReplay(replay, refusals));
  if (replay.state !== "done" || replay.refused > 0) door.fault();
}
