import type { Router } from "express";
import { adminRouter, closedAdminRouter } from "../api/admin-router.ts";
import { Live } from "../api/live.ts";
import { maskOf } from "../kit/mask.ts";
import type { OperationParts } from "../operate/operations/operation.ts";
import { readStatus } from "../operate/status-facts.ts";
import { type ListWork, operationParts } from "./operation-parts.ts";
import type { PassContext } from "./pass.ts";
import { withReconcileSources } from "./providers.ts";

/** How long a call may read the provider's lists; longer periods are for the command line. */
const LISTS_MS = 600_000;

/** The admin API of this process; closed without ADMIN_TOKENS. `stop` hangs up on whoever listens. */
export function adminRoutes(options: PassContext): { routers: Router[]; stop(): void } {
  const { db, settings, log, metrics } = options;
  const tokens = settings.ADMIN_TOKENS ?? [];
  if (tokens.length === 0) return { routers: [closedAdminRouter()], stop: () => undefined };
  const stopping = new AbortController();
  const parts = partsOf(options, stopping.signal);
  const onRefused = () => metrics.adminRefused.inc({ status: 401 });
  const read = {
    status: () => readStatus(db, parts.statusSettings),
    activity: parts.activity,
  };
  const peopleUseTls = settings.PUBLIC_URL.startsWith("https:");
  const live = new Live({ db, read, mask: parts.mask, log });
  return {
    routers: [adminRouter({ parts, tokens, onRefused, live, peopleUseTls, log })],
    stop: () => {
      live.stop();
      stopping.abort();
    },
  };
}

/** Each made once: no request makes the signer again. */
function partsOf(options: PassContext, stopping: AbortSignal): OperationParts {
  const { db, settings, sources, signer, metrics } = options;
  const parts = operationParts({
    db,
    settings: () => settings,
    serving: () => settings,
    metrics: () => metrics,
    mask: maskOf(sources.flatMap(({ callbackTokens }) => callbackTokens)),
    withLists: (work) => withLists(options, stopping, work),
  });
  return { ...parts, signer };
}

/** For as long as the work takes. */
const withLists = <Result>(
  { db, settings, lease, sources, alarms, signer, onConfirmations, onEvents }: PassContext,
  stopping: AbortSignal,
  work: (asking: ListWork) => Promise<Result>,
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
