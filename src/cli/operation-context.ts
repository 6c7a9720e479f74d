import type { Alarms } from "../alarms/alarms.ts";
import { topicsOf } from "../app/upstreams.ts";
import type { Database } from "../database/connect.ts";
import { RelayError } from "../kit/errors.ts";
import { maskOf } from "../kit/mask.ts";
import { SERVE_REQUIRES } from "../kit/settings.ts";
import { sourcesOf } from "../kit/sources.ts";
import type { OperationContext } from "../operate/operations/operation.ts";
import { paymentDays } from "../reconcile/list/list-period.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";
import { Signer } from "../signing/signed.ts";
import { type Lease, leaseOf } from "../work/lease.ts";
import type { CommandContext } from "./command-context.ts";
import { operator } from "./option-values.ts";
import { ListProgress } from "./progress.ts";

/** Runs the work with what operations need, each part of it made from the settings when it is asked for. */
export async function withOperationContext(
  context: CommandContext,
  work: (operating: OperationContext) => Promise<void>,
): Promise<void> {
  const { ActivityBook, historyBooks } = await import("../operate/activity.ts");
  const { bookSourcesOf } = await import("../books/book-source.ts");
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
      actor: operator(context),
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
      get signer() {
        return Signer.of(context.settings());
      },
      get books() {
        return bookSourcesOf(context.settings());
      },
      decode: decodeCallback,
      mask: maskOf([]),
      settings: (withTokens) => settingsShown(serving(), sourcesOf(serving()), withTokens),
      activity: (minutes) => new ActivityBook(db, minutes).read(minutes),
      async tryWebhook() {
        const { tryWebhook } = await import("../app/alarm-webhook.ts");
        const { createMetrics } = await import("../kit/metrics.ts");
        return await tryWebhook(context.settings(), createMetrics());
      },
      history: historyBooks(db),
      certify: async ({ from, to, collection, deep }, onProgress) => {
        const days = paymentDays(from, to);
        const done = await withLists(context, (given) =>
          certifyPeriod(given, { ...given, collection, days, deep }, ({ name: source }, progress) =>
            onProgress({ source, collectionId: null, ...progress }),
          ),
        );
        bar.end();
        return done;
      },
      reconcile: async ({ from, to, collection, publish, reason }, actor, onProgress) => {
        const days = paymentDays(from, to);
        const done = await withLists(context, async (given) => {
          const result = await reconcilePeriod(
            // Workers are woken once, at the end: they poll anyway.
            { ...given, onConfirmations: () => undefined },
            { ...given, collection, days, publish, actor, reason },
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

/** What is needed to read the provider's lists. */
interface ListWork {
  db: Database;
  alarms: Alarms;
  lease: Lease;
  signer: Signer | null;
  sources: ReconcileSource[];
  /** Aborted by SIGTERM and SIGINT. */
  signal: AbortSignal;
  /** Wakes the relay's workers. */
  wake(work: "confirm" | "publish"): Promise<void>;
}

/** Runs the work with the configured sources, a provider for each, and the database. */
async function withLists<Result>(
  context: CommandContext,
  work: (given: ListWork) => Promise<Result>,
): Promise<Result> {
  const { sourcesOf } = await import("../kit/sources.ts");
  const { withReconcileSources } = await import("../app/providers.ts");
  const { Alarms } = await import("../alarms/alarms.ts");
  const { createMetrics } = await import("../kit/metrics.ts");
  const { notifyWorkers } = await import("../work/wake-up.ts");
  const settings = context.settings(SERVE_REQUIRES);
  const stop = context.listenForStop();
  try {
    const log = await context.localLog();
    return await withReconcileSources(sourcesOf(settings), settings, (sources) =>
      context.withDatabase((db) =>
        work({
          db,
          alarms: new Alarms({ db, log, metrics: createMetrics() }),
          lease: leaseOf(settings.LEASE_DURATION),
          signer: Signer.of(settings),
          sources,
          signal: stop.signal,
          wake: (work) => notifyWorkers(db, work),
        }),
      ),
    );
  } catch (error) {
    if (stop.signal.aborted && !(error instanceof RelayError))
      throw new RelayError(
        "Stopped before the end. What was read is kept: run the same command to continue.",
        { next: "retry", cause: error },
      );
    throw error;
  } finally {
    await stop.finish(Promise.resolve(), 0);
  }
}
