import type { Router } from "express";
import { adminRouter, closedAdminRouter } from "../api/admin-router.ts";
import { DryRuns } from "../api/caller-limits.ts";
import { Live } from "../api/live.ts";
import { RefusedCallers } from "../api/refused-callers.ts";
import { bookSourcesOf } from "../books/book-source.ts";
import { maskOf } from "../kit/mask.ts";
import { ActivityBook, historyBooks } from "../operate/activity.ts";
import type { OnProgress, OperationParts, Period } from "../operate/operations/operation.ts";
import { readStatus } from "../operate/status-facts.ts";
import type { CertifyDeps, CertifyProgress } from "../reconcile/certificate/certify.ts";
import { paymentDays } from "../reconcile/list/list-period.ts";
import { certifyPeriod, reconcilePeriod } from "../reconcile/on-request.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";
import type { SweepDeps } from "../reconcile/sweep/run-sweep.ts";
import { tryWebhook } from "./alarm-webhook.ts";
import type { Shared } from "./pass.ts";
import { withReconcileSources } from "./providers.ts";
import { decodeCallback, readAgain } from "./replay-runner.ts";
import { settingsShown, statusSettings } from "./settings-shown.ts";
import { routesOf, topicsOf } from "./upstreams.ts";

/** How long a call may read the provider's lists; longer periods are for the command line. */
const LISTS_MS = 600_000;

/** How many minutes of activity are kept at most, and how many the live view shows. */
const MINUTE_LIMIT = 180;
const SHOWN_MINUTES = 60;

/** The admin API of this process; closed without ADMIN_TOKENS. `stop` hangs up on whoever listens. */
export function adminRoutes(options: Shared): { routers: Router[]; stop(): void } {
  const { db, settings, log, metrics } = options;
  const tokens = settings.ADMIN_TOKENS ?? [];
  if (tokens.length === 0) return { routers: [closedAdminRouter()], stop: () => undefined };
  const stopping = new AbortController();
  const parts = partsOf(options, stopping.signal);
  const wrongTokensPerMinute = settings.WRONG_TOKENS_PER_MINUTE;
  const refused = new RefusedCallers({ db, log, metrics, wrongTokensPerMinute });
  const read = {
    status: () => readStatus(db, parts.statusSettings),
    activity: () => parts.activity(SHOWN_MINUTES),
  };
  const peopleUseTls = settings.PUBLIC_URL.startsWith("https:");
  const live = new Live({ db, read, mask: parts.mask, log });
  return {
    routers: [adminRouter({ parts, tokens, refused, live, peopleUseTls, log })],
    stop: () => {
      live.stop();
      stopping.abort();
      refused.stop();
    },
  };
}

function partsOf(options: Shared, stopping: AbortSignal): OperationParts {
  const { db, settings, sources, signer } = options;
  const book = new ActivityBook(db, MINUTE_LIMIT);
  const dryRuns = new DryRuns(stopping);
  return {
    db,
    routes: routesOf(sources),
    readAgain,
    boundDryRun: (kind, left, plan) => dryRuns.run(kind, left, plan),
    decode: decodeCallback,
    mask: maskOf(sources.flatMap(({ callbackTokens }) => callbackTokens)),
    topicsOf: (source) => topicsOf(settings, source),
    replayTopicArns: settings.REPLAY_TOPIC_ARNS ?? [],
    retentionMs: settings.RETENTION,
    personalDataMs: settings.PERSONAL_DATA_RETENTION,
    statusSettings: statusSettings(settings),
    signer,
    books: bookSourcesOf(settings),
    settings: (withTokens) => settingsShown(settings, sources, withTokens),
    activity: (minutes) => book.read(minutes),
    tryWebhook: () => tryWebhook(settings, options.metrics),
    history: historyBooks(db),
    certify: ({ deep, ...period }, onProgress) =>
      withLists(options, stopping, (asking) =>
        certifyPeriod(asking, { ...asking, ...scopeOf(period), deep }, certifyProgress(onProgress)),
      ),
    reconcile: ({ publish, reason, ...period }, actor, onProgress) =>
      withLists(options, stopping, (asking) =>
        reconcilePeriod(
          asking,
          { ...asking, ...scopeOf(period), publish, actor, reason },
          ({ name: source }, collectionId, { read: done, total }) =>
            onProgress({ source, collectionId, step: "lists", done, total }),
        ),
      ),
  };
}

const certifyProgress =
  (onProgress: OnProgress) =>
  ({ name: source }: ReconcileSource, progress: CertifyProgress): void =>
    onProgress({ source, collectionId: null, ...progress });

/** Everything that reading the provider's lists takes, for as long as the work takes. */
const withLists = <Result>(
  { db, settings, lease, sources, alarms, signer, onConfirmations, onEvents }: Shared,
  stopping: AbortSignal,
  work: (
    asking: CertifyDeps & SweepDeps & { sources: ReconcileSource[]; signal: AbortSignal },
  ) => Promise<Result>,
): Promise<Result> =>
  withReconcileSources(sources, settings, (sources) =>
    work({
      db,
      alarms,
      lease,
      signer,
      onConfirmations,
      onEvents,
      sources,
      signal: AbortSignal.any([AbortSignal.timeout(LISTS_MS), stopping]),
    }),
  );

const scopeOf = ({ from, to, collection }: Period) => ({ collection, days: paymentDays(from, to) });
