import { z } from "zod";
import { audit } from "../../platform/audit/index.ts";
import { answeredId, whole } from "../../platform/validation/index.ts";
import { bookPeriod } from "../../platform/values/index.ts";
import type { Certificate } from "./certificate/certificate.ts";
import { type CertifyDeps, certify } from "./certificate/certify.ts";
import { collectionsOf, type ReconcileSource } from "./reconcile-source.ts";
import { backFill, type SweepDeps } from "./sweep/run-sweep.ts";

/** Reconcile and certify on request: the command line and the admin API both call this. */
interface OnRequest {
  sources: readonly ReconcileSource[];
  /** Days of payment, YYYY-MM-DD, both included; each source has its own zone. */
  from: string;
  to: string;
  signal: AbortSignal;
}

/**
 * Does the work of each source, so that no source waits for another's list (nothing stands still, G11), or is
 * lost with its failure: what it stored remains.
 * @returns the results in the order of the sources. @throws the first source's error, once the others have ended.
 */
async function workOnEach<Result>(
  sources: readonly ReconcileSource[],
  work: (source: ReconcileSource) => Promise<Result>,
): Promise<Result[]> {
  const ended = await Promise.allSettled(sources.map(work));
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

/** A certificate of each source. */
export async function certifyPeriod(
  deps: CertifyDeps,
  { sources, from, to, signal }: OnRequest,
): Promise<Certificate[]> {
  for (const source of sources) collectionsOf(source);
  return await workOnEach(sources, (source) =>
    certify(deps, { source, window: bookPeriod(from, to, source.booksTimeZone), signal }),
  );
}

export const reconciled = z.object({
  source: z.string(),
  collectionId: answeredId,
  from: z.string(),
  to: z.string(),
  zone: z.string().describe("Whose days they are."),
  unproven: z
    .array(z.object({ first: z.string(), last: z.string(), why: z.string() }))
    .describe("The days whose list contradicted itself or could not be read."),
  listed: whole,
  missing: whole,
  opened: whole,
});
type ReconcileResult = z.output<typeof reconciled>;

/** Reads the lists of a period and queues what is missing; the running relay asks and publishes. Audited. */
export async function reconcilePeriod(
  deps: SweepDeps,
  request: OnRequest & { publish: boolean; actor: string; reason?: string | undefined },
): Promise<ReconcileResult[]> {
  const { sources, from, to, publish, actor, reason, signal } = request;
  await audit(
    deps.db,
    sources.flatMap((source) =>
      collectionsOf(source).map((collectionId) => ({
        actor,
        action: "reconcile",
        subject: collectionId,
        invoiceId: null,
        detail: { source: source.name, from, to, publish },
        reason,
      })),
    ),
  );
  const done = await workOnEach(sources, async (source) => {
    const { name, booksTimeZone: zone } = source;
    const done: ReconcileResult[] = [];
    for (const collectionId of collectionsOf(source)) {
      const result = await backFill(deps, {
        source,
        collectionId,
        window: bookPeriod(from, to, zone),
        publish,
        signal,
      });
      done.push({ source: name, collectionId, from, to, zone, ...result });
    }
    return done;
  });
  return done.flat();
}
