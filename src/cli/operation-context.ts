import { topicsOf } from "../app/upstreams.ts";
import { maskOf } from "../kit/mask.ts";
import { SERVE_REQUIRES } from "../kit/settings.ts";
import { sourcesOf } from "../kit/sources.ts";
import type { OperationContext } from "../operate/operations/operation.ts";
import { paymentDays } from "../reconcile/list/list-period.ts";
import type { CommandContext } from "./command-context.ts";
import { ListProgress } from "./list-progress.ts";
import { operator } from "./operator.ts";
import { withLists } from "./with-lists.ts";

/** Runs the work with what operations need, each part of it made from the settings when it is asked for. */
export async function withOperationContext(
  context: CommandContext,
  work: (operating: OperationContext) => Promise<void>,
): Promise<void> {
  const { ActivityBook } = await import("../operate/activity.ts");
  const { settingsShown, statusSettings } = await import("../app/settings-shown.ts");
  const { decodeCallback, readAgain } = await import("../app/replay-runner.ts");
  const { routesOf } = await import("../app/upstreams.ts");
  const { certifyPeriod, reconcilePeriod } = await import("../reconcile/on-request.ts");
  const serving = () => context.settings(SERVE_REQUIRES);
  const never = new AbortController().signal;
  const bar = new ListProgress(context.stderr);
  await context.withDatabase((db) =>
    work({
      db,
      actor: operator(),
      role: "admin",
      left: never,
      onProgress: ({ source, collectionId, step, done, total }) =>
        bar.reached(collectionId === null ? source : `${source} ${collectionId}`, step, done, total),
      get routes() {
        return routesOf(sourcesOf(serving()));
      },
      readAgain,
      boundDryRun: (_kind, left, plan) => plan(left),
      topicsOf: (source) => topicsOf(context.settings(), source),
      get replayTopicArns() {
        return context.settings().REPLAY_TOPIC_ARNS ?? [];
      },
      get retentionMs() {
        return context.settings().RETENTION;
      },
      get personalDataMs() {
        return context.settings().PERSONAL_DATA_RETENTION;
      },
      get statusSettings() {
        return statusSettings(context.settings());
      },
      decode: decodeCallback,
      mask: maskOf([]),
      settings: (withTokens) => settingsShown(serving(), sourcesOf(serving()), withTokens),
      activity: (minutes) => new ActivityBook(db, minutes).read(minutes),
      certify: async ({ from, to, collection, deep }, onProgress) => {
        const window = paymentDays(from, to);
        const done = await withLists(context, (given) =>
          certifyPeriod(given, { ...given, collection, window, deep }, ({ name: source }, progress) =>
            onProgress({ source, collectionId: null, ...progress }),
          ),
        );
        bar.end();
        return done;
      },
      reconcile: async ({ from, to, collection, publish, reason }, actor, onProgress) => {
        const window = paymentDays(from, to);
        const done = await withLists(context, async (given) => {
          const result = await reconcilePeriod(
            // Workers are woken once, at the end: they poll anyway.
            { ...given, onConfirmations: () => undefined },
            { ...given, collection, window, publish, actor, reason },
            ({ name: source }, collectionId, { read: done, total }) =>
              onProgress({ source, collectionId, step: "lists", done, total }),
          );
          for (const work of ["confirm", "publish"] as const) await given.wake(work);
          return result;
        });
        bar.end();
        return done;
      },
    }),
  );
}
