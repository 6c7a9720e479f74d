import type { Kysely } from "kysely";
import type { Alarms } from "../../alarms/alarms.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/ids.ts";
import { step } from "../../kit/step.ts";
import { OneByOne } from "../../kit/waiting.ts";
import { readClock } from "../../upstreams/source-row.ts";
import { type Lease, LeaseLost } from "../../work/lease.ts";
import { type ListPeriod, type PaidWindow, periodFor } from "../list/list-period.ts";
import { takenOver } from "../list-runs.ts";
import { collectionsOf, type ReconcileSource } from "../reconcile-source.ts";
import type { Certificate } from "./certificate.ts";
import {
  type ClaimedCertificate,
  certificates,
  claimAskedFor,
  finishCertificate,
  insertFinished,
  saveReading,
} from "./certificate-row.ts";
import { compareBooks } from "./compare-books.ts";
import { askInvoices, gatherBooks } from "./gather.ts";
import { canContinueWith, type Reading, readingTerms } from "./kept-reading.ts";
import { forgetListed } from "./listed-row.ts";
import { readPeriod } from "./read-period.ts";

export interface CertifyDeps {
  db: Kysely<Tables>;
  alarms: Alarms;
  lease: Lease;
}

export interface CertifyRequest {
  source: ReconcileSource;
  /** Payments from, and before. */
  window: PaidWindow;
  /** One of the source's collections; null for all of them. */
  collectionId: string | null;
  /** Ask the provider about every invoice of the period again, to see what lists do not show. */
  deep?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: CertifyProgress) => void;
}

export type CertifyProgress =
  | { step: "lists"; done: number; total: number }
  /** The total is known of a deep one. */
  | { step: "invoices"; done: number; total: number | null }
  | { step: "books"; done: number; total: null };

/** How often a failing call is tried before a certificate on request fails. */
const TRIES = 5;

/**
 * Is every payment of the period accounted for? Compares the provider's lists with the relay's books and
 * stores the answer as a row (G10): for the source, and for each of its collections if it has several.
 * @throws RelayError without COLLECTION_IDS; ListUnreadable or SourcePaused when a list cannot be read: what
 *   was read is kept, and the same request continues there.
 */
export async function certify(deps: CertifyDeps, request: CertifyRequest): Promise<Certificate[]> {
  const { db, lease } = deps;
  const { source, window, deep = false } = request;
  const collectionIds = collectionsOf(source, request.collectionId);
  const claimed = await claimAskedFor(db, { source: source.name, window, collectionIds, deep }, lease);
  step("certificate claimed");
  try {
    const [whole, ...parts] = await makeCertificates(deps, request, claimed, TRIES);
    step("certificate to be kept");
    await finishCertificate(db, claimed, whole);
    step("certificate kept");
    for (const part of parts) await insertFinished(db, part);
    await forgetListed(db, claimed.id);
    return [whole, ...parts];
  } catch (error) {
    await certificates.giveBack(db, claimed, { dueInMs: 0, isFault: false, error: null });
    throw error instanceof LeaseLost ? takenOver() : error;
  }
}

/** Lists are read side by side; the books of several sources would take every connection of the pool. */
const BOOKS = new OneByOne();

/** Makes a claimed certificate, without storing or finishing it. */
export async function makeCertificates(
  { db, alarms, lease }: CertifyDeps,
  request: CertifyRequest,
  claimed: ClaimedCertificate,
  tries: number,
): Promise<[Certificate, ...Certificate[]]> {
  const { source, window, deep = false, onProgress = () => undefined } = request;
  const collectionIds = collectionsOf(source, request.collectionId);
  // As COLLECTION_IDS has it: in lower case.
  const collectionId = request.collectionId?.toLowerCase() ?? null;
  const period = periodFor(window, source.lookbackMs);
  return await certificates.whileHeld({ db, lease, run: claimed, stop: request.signal }, async (signal) => {
    const calls = { db, alarms, source, certificateId: claimed.id, tries, signal };
    let reading = claimed.progress?.reading ?? null;
    if (!canContinueWith(reading, readingTerms(source, collectionIds, period), window)) {
      await startOver(db, claimed);
      reading = await readPeriod({
        ...calls,
        collectionIds,
        period,
        onProgress: (done, total) => onProgress({ step: "lists", done, total }),
      });
      step("lists to be kept");
      await saveReading(db, claimed, { reading });
      step("lists kept");
    }
    const clock = await readClock(db, source.name);
    await BOOKS.run(async () => {
      signal.throwIfAborted();
      await gatherBooks(db, source, claimed.id, window, clock.now);
    });
    step("books gathered");
    await askInvoices(calls, deep, (done, total) => onProgress({ step: "invoices", done, total }));
    const read = { reading, period, ...clock };
    return await BOOKS.run(async () => {
      signal.throwIfAborted();
      return await compareScopes(db, { ...request, collectionId }, claimed.id, read, (done) =>
        onProgress({ step: "books", done, total: null }),
      );
    });
  });
}

/** Forgets what was read, unless another process has the certificate by now: what that one reads stays. */
const startOver = (db: Kysely<Tables>, claimed: ClaimedCertificate): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await saveReading(trx, claimed, { reading: null });
    await forgetListed(trx, claimed.id);
  });

interface Read {
  reading: Reading;
  period: ListPeriod;
  now: Date;
  servedAt: Date | null;
}

async function compareScopes(
  db: Kysely<Tables>,
  { source, window, collectionId, deep = false }: CertifyRequest,
  certificateId: string,
  { reading, period, now, servedAt }: Read,
  onCompared: (payments: number) => void,
): Promise<[Certificate, ...Certificate[]]> {
  const compare = (id: string, one: string | null) =>
    compareBooks(
      db,
      { id, source, window, period, reading, certificateId, collectionId: one, deep, now, servedAt },
      onCompared,
    );
  // One snapshot of the books: later changes count for the next certificate.
  const whole = await compare(certificateId, collectionId);
  const parts = collectionId === null && reading.collections.length > 1 ? reading.collections : [];
  const certificates: [Certificate, ...Certificate[]] = [whole];
  for (const { id } of parts) certificates.push(await compare(newId(), id));
  return certificates;
}
