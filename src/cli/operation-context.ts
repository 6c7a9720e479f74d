import { Alarms } from "../alarms/alarms.ts";
import type { ListWork } from "../app/operation-parts.ts";
import type { Database } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { maskOf } from "../kit/mask.ts";
import { SERVE_REQUIRES, sourcesOf } from "../kit/settings.ts";
import type { OperationContext } from "../operate/operations/operation.ts";
import { Signer } from "../signing/signed.ts";
import { leaseOf } from "../work/lease.ts";
import { notifyWorkers } from "../work/wake-up.ts";
import type { CommandContext } from "./command-context.ts";
import { operator } from "./option-values.ts";
import { Progress } from "./progress.ts";

const UNITS = {
  lists: "days of the list of",
  invoices: "invoices asked about, of",
  books: "payments compared, of",
  decided: "done",
};

/** Runs the work with what operations need. */
export async function withOperationContext(
  context: CommandContext,
  work: (operating: OperationContext, endProgress: () => void) => Promise<void>,
): Promise<void> {
  const { operationParts } = await import("../app/operation-parts.ts");
  const { createMetrics } = await import("../kit/metrics.ts");
  const bar = new Progress(context.stderr);
  await context.withDatabase((db) => {
    const parts = operationParts({
      db,
      settings: () => context.settings(),
      serving: () => context.settings(SERVE_REQUIRES),
      metrics: createMetrics,
      mask: maskOf([]),
      withLists: (read) => withLists(context, db, read),
    });
    // Assigned, since a spread would make each part now, of settings that may not be there.
    const calling: Pick<OperationContext, "actor" | "role" | "left" | "onProgress"> = {
      actor: operator(context),
      role: "admin",
      left: new AbortController().signal,
      onProgress: ({ source, collectionId, step, done, total }) =>
        bar.reached(`${UNITS[step]} ${source} ${collectionId ?? ""}`.trimEnd(), done, total),
    };
    return work(Object.assign(parts, calling), () => bar.end());
  });
}

async function withLists<Result>(
  context: CommandContext,
  db: Database,
  work: (asking: ListWork) => Promise<Result>,
): Promise<Result> {
  const { withReconcileSources } = await import("../app/providers.ts");
  const { createMetrics } = await import("../kit/metrics.ts");
  const settings = context.settings(SERVE_REQUIRES);
  const stop = context.listenForStop();
  try {
    const log = await context.localLog();
    const result = await withReconcileSources(sourcesOf(settings), settings, (sources) =>
      work({
        db,
        alarms: new Alarms({ db, log, metrics: createMetrics() }),
        lease: leaseOf(settings.LEASE_DURATION),
        signer: Signer.of(settings),
        sources,
        signal: stop.signal,
        // Workers are woken once, at the end: they poll anyway.
        onConfirmations: () => undefined,
        onEvents: () => undefined,
      }),
    );
    for (const work of ["confirm", "publish"] as const) await notifyWorkers(db, work);
    return result;
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
