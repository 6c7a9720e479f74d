import { z } from "zod";
import { audit } from "../../platform/audit/index.ts";
import { type ErrorCode, messageOf, RelayError, usageError } from "../../platform/errors/index.ts";
import { answeredId, whole } from "../../platform/validation/index.ts";
import { bookDayOf, bookPeriod, lastBookDay } from "../../platform/values/index.ts";
import type { Certificate } from "./certificate/certificate.ts";
import { type CertifyDeps, type CertifyProgress, certify } from "./certificate/certify.ts";
import { collectionsOf, type ReconcileSource } from "./reconcile-source.ts";
import type { SweepDeps } from "./sweep/run-sweep.ts";
import { backFill } from "./sweep/sweep.ts";

/** Reconcile and certify on request: the command line and the admin API both call this. */
interface OnRequest {
  sources: readonly ReconcileSource[];
  /** An id from COLLECTION_IDS; all of them by default. */
  collection?: string | undefined;
  /** Days of payment, YYYY-MM-DD, both included; each source has its own zone. */
  from: string;
  to: string;
  signal: AbortSignal;
}

export const unread = z
  .object({
    source: z.string(),
    error: z.object({ code: z.custom<ErrorCode>((code) => typeof code === "string"), message: z.string() }),
  })
  .describe("A source whose work failed, among the results of others.");
export type Unread = z.output<typeof unread>;

export const readOf = <Result extends object>(results: readonly (Result | Unread)[]): Result[] =>
  results.filter((one): one is Result => !("error" in one));

/**
 * Does the work of each source, so that no source waits for another's list (nothing stands still, G11), or is
 * lost with its failure.
 * @returns the results in the order of the sources.
 * @throws the first source's error, once the others have ended, when no source has a result or all were
 * stopped.
 */
async function workOnEach<Result extends object>(
  { sources, signal }: Pick<OnRequest, "sources" | "signal">,
  work: (source: ReconcileSource) => Promise<Result[]>,
): Promise<(Result | Unread)[]> {
  const ended = await Promise.allSettled(sources.map(work));
  const failed = ended.filter((one) => one.status === "rejected");
  if (failed[0] !== undefined && (signal.aborted || failed.length === ended.length)) throw failed[0].reason;
  return ended.flatMap((one, index): (Result | Unread)[] =>
    one.status === "fulfilled" ? one.value : [describeFailure(sources[index]?.name ?? "", one.reason)],
  );
}

const describeFailure = (source: string, error: unknown): Unread => ({
  source,
  error:
    error instanceof RelayError
      ? { code: error.code, message: error.message }
      : { code: "unexpected", message: messageOf(error) },
});

/** Certificates of each source, and of each of its collections where it has several. */
export async function certifyPeriod(
  deps: CertifyDeps,
  { sources, collection, from, to, signal, deep = false }: OnRequest & { deep?: boolean },
  onProgress: (source: ReconcileSource, progress: CertifyProgress) => void = () => undefined,
): Promise<(Certificate | Unread)[]> {
  const chosen = sourcesWith(sources, collection);
  for (const source of chosen) collectionsOf(source, collection);
  return await workOnEach({ sources: chosen, signal }, (source) =>
    certify(deps, {
      source,
      window: bookPeriod(from, to, source.booksTimeZone),
      collectionId: collection ?? null,
      deep,
      signal,
      onProgress: (progress) => onProgress(source, progress),
    }),
  );
}

export const reconciled = z.object({
  source: z.string(),
  collectionId: answeredId,
  from: z.string(),
  to: z.string(),
  zone: z.string().describe("Whose days they are."),
  underWay: z.array(z.string()).describe("Other periods of this source that were being read."),
  unproven: z
    .array(z.object({ first: z.string(), last: z.string(), why: z.string() }))
    .describe("The days whose list contradicted itself or could not be read."),
  waiting: z
    .array(z.object({ invoiceId: answeredId, reason: z.string(), detail: z.string() }))
    .describe("Payments that still had no accepted event at the end; the first thousand."),
  waitingInAll: whole,
  listed: whole,
  missing: whole,
  opened: whole,
  called: whole,
});
type ReconcileResult = z.output<typeof reconciled>;

/** Pages that were read, and about how many there are; null when the list does not say. */
interface PagesRead {
  done: number;
  total: number | null;
}

/** Reads the lists of a period and queues what is missing; the running relay asks and publishes. Audited. */
export async function reconcilePeriod(
  deps: SweepDeps,
  request: OnRequest & { publish: boolean; actor: string; reason?: string | undefined },
  onProgress: (source: ReconcileSource, collectionId: string, progress: PagesRead) => void = () => undefined,
): Promise<(ReconcileResult | Unread)[]> {
  const { sources, collection, from, to, publish, actor, reason, signal } = request;
  const chosen = sourcesWith(sources, collection);
  const lists = chosen.flatMap((source) =>
    collectionsOf(source, collection).map((collectionId) => ({ source, collectionId })),
  );
  await audit(
    deps.db,
    lists.map(({ source, collectionId }) => ({
      actor,
      action: "reconcile",
      subject: collectionId,
      invoiceId: null,
      detail: { source: source.name, from, to, publish },
      reason,
    })),
  );
  return await workOnEach({ sources: chosen, signal }, async (source) => {
    const done: ReconcileResult[] = [];
    for (const collectionId of collectionsOf(source, collection)) {
      const {
        underWay,
        whole: _,
        pages: __,
        ...result
      } = await backFill(deps, {
        source,
        collectionId,
        window: bookPeriod(from, to, source.booksTimeZone),
        publish,
        signal,
        onProgress: (done, total) => onProgress(source, collectionId, { done, total }),
      });
      const others = underWay.map(
        (one) =>
          `${one.collectionId}, ${bookDayOf(one.from, source.booksTimeZone)} to ${lastBookDay(one, source.booksTimeZone)}`,
      );
      done.push({
        source: source.name,
        collectionId,
        from,
        to,
        zone: source.booksTimeZone,
        ...result,
        underWay: others,
      });
    }
    return done;
  });
}

function sourcesWith(
  sources: readonly ReconcileSource[],
  collection: string | undefined,
): readonly ReconcileSource[] {
  if (collection === undefined) return sources;
  const having = sources.filter((source) => source.collectionIds.includes(collection.toLowerCase()));
  if (having.length > 0) return having;
  const message = `Collection ${collection} is not in COLLECTION_IDS: add it there to have its list read.`;
  throw usageError(message);
}
