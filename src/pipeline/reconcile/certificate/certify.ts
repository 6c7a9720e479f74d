import type { AlarmChange, Alarms, WrittenAlarms } from "../../../platform/alarms/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { faultOf } from "../../../platform/errors/index.ts";
import type { Logger } from "../../../platform/log/index.ts";
import { failpoint, Turns } from "../../../platform/process/index.ts";
import { issue, type Signer } from "../../../platform/signing/index.ts";
import { readClock } from "../../../platform/upstreams/index.ts";
import { type BookPeriod, bookDayOf, lastBookDay, newId, sentence } from "../../../platform/values/index.ts";
import { type Lease, LeaseLost } from "../../../platform/worker/index.ts";
import { closeProvenGap, GAP, keepCertifiedDays } from "../certified-days.ts";
import { periodFor } from "../list/list-dates.ts";
import type { OnPages } from "../list/list-reader.ts";
import { ALARMING_FAULTS, takenOver } from "../list-runs.ts";
import { collectionsOf, type ReconcileSource } from "../reconcile-source.ts";
import { forgetAsked } from "./asked-payment.ts";
import { type Certificate, canContinueWith, readingTerms } from "./certificate.ts";
import {
  CERTIFICATE_BACK_OFF,
  type ClaimedCertificate,
  certificates,
  claimAskedFor,
  claimDaily,
  claimNew,
  finishCertificate,
  saveReading,
  scheduleDaily,
} from "./certificate-row.ts";
import { compareBooks } from "./compare-books.ts";
import { askInvoices, gatherBooks } from "./gather.ts";
import { readLater, readPeriod } from "./read-period.ts";

export interface CertifyDeps {
  db: Database;
  alarms: Alarms;
  lease: Lease;
  /** null: certificates are issued unsigned. */
  signer: Signer | null;
}

interface CertifyRequest {
  source: ReconcileSource;
  window: BookPeriod;
  /** An id from the source's collections; null for all of them. */
  collectionId: string | null;
  /** Ask the provider about every invoice of the period again, to see what lists do not show. */
  deep?: boolean;
  /** Made by the daily run. */
  isDaily?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: CertifyProgress) => void;
}

export type CertifyProgress =
  /** In pages. */
  | { step: "lists"; done: number; total: number | null }
  /** The total is known of a deep one. */
  | { step: "invoices"; done: number; total: number | null }
  | { step: "books"; done: number; total: null };

/**
 * Is every payment of the period accounted for? Compares the provider's lists with the relay's books and
 * stores the answer as a row (G10): for the source, and for each of its collections if it has several.
 * @throws RelayError without COLLECTION_IDS; ListUnreadable or SourcePaused when a list cannot be read: what
 *   was read is kept, and the same request continues there.
 */
export async function certify(deps: CertifyDeps, request: CertifyRequest): Promise<Certificate[]> {
  const { db, lease, alarms } = deps;
  const { source, window, deep = false } = request;
  const collectionIds = collectionsOf(source, request.collectionId);
  const claimed = await claimAskedFor(db, { source: source.name, window, collectionIds, deep }, lease);
  failpoint("certificate claimed");
  try {
    const [whole, ...parts] = await makeCertificates(deps, request, claimed);
    failpoint("certificate to be kept");
    const change = whole.result === "not_equal" ? alarmsOfResult(whole) : {};
    const { issued, cleared } = await keepCertificate(deps, claimed, whole, change);
    // Only ended alarms are notified: the requester reads the findings, and the alarm's row informs the
    // others.
    alarms.notifyCleared(cleared);
    failpoint("certificate kept");
    const all = [issued];
    for (const part of parts)
      all.push(
        await db.transaction().execute(async (trx) => {
          const issued = await issue(trx, deps.signer, part);
          const ids = part.collections.map(({ id }) => id);
          const asked = { source: source.name, window, collectionIds: ids, deep };
          await finishCertificate(trx, await claimNew(trx, part.id, asked, lease), issued);
          return issued;
        }),
      );
    await forgetAsked(db, claimed.id);
    return all;
  } catch (error) {
    await certificates.release(db, claimed, { dueInMs: 0, isFault: false, error: null });
    throw error instanceof LeaseLost ? takenOver() : error;
  }
}

/**
 * Issues and stores a certificate with the alarms that it raises and ends. A certificate that leaves no day
 * of the source unproven ends the alarm, however it was made (every change of state is notified, G13).
 */
const keepCertificate = (
  deps: CertifyDeps,
  claimed: ClaimedCertificate,
  certificate: Certificate,
  change: AlarmChange,
): Promise<WrittenAlarms & { issued: Certificate }> =>
  deps.db.transaction().execute(async (trx) => {
    const { source, result } = certificate;
    const issued = await issue(trx, deps.signer, certificate);
    const cleared = await finishCertificate(trx, claimed, issued, change);
    await keepCertifiedDays(trx, issued);
    const proven = result === "equal" ? await closeProvenGap(trx, source) : [];
    return { issued, raised: change.raises ?? [], cleared: [...cleared, ...proven] };
  });

/** Lists are read side by side; the books of several sources would take every connection of the pool. */
const BOOKS = new Turns(1);

/** Makes a claimed certificate, without storing or finishing it. */
async function makeCertificates(
  { db, alarms, lease }: CertifyDeps,
  request: CertifyRequest,
  claimed: ClaimedCertificate,
): Promise<[Certificate, ...Certificate[]]> {
  const { source, window, deep = false, isDaily = false, onProgress = () => undefined } = request;
  const collectionIds = collectionsOf(source, request.collectionId);
  // As COLLECTION_IDS has it: in lower case.
  const collectionId = request.collectionId?.toLowerCase() ?? null;
  const period = periodFor(window, source.lookbackMs);
  return await certificates.whileHeld({ db, lease, run: claimed, stop: request.signal }, async (signal) => {
    const calls = { db, alarms, source, certificateId: claimed.id, deep, signal };
    const onPages: OnPages = (done, total) => onProgress({ step: "lists", done, total });
    let reading = claimed.progress?.reading ?? null;
    if (!canContinueWith(reading, readingTerms(source, collectionIds, period), window)) {
      await startOver(db, claimed);
      reading = await readPeriod({
        ...calls,
        collectionIds,
        period,
        isDaily,
        onProgress: onPages,
      });
      failpoint("lists to be kept");
      await saveReading(db, claimed, { reading });
      failpoint("lists kept");
    }
    const { now } = await readClock(db, source.name);
    const seenSince = new Date(reading.begunAt);
    const lists = { certificateId: claimed.id, source: source.name, seenSince };
    await BOOKS.run(async () => {
      signal.throwIfAborted();
      await gatherBooks(db, source, lists, window, now);
    });
    failpoint("books gathered");
    const ask = () =>
      askInvoices(calls, lists, (done, total) => onProgress({ step: "invoices", done, total }));
    await ask();
    const later = await readLater({ ...calls, collectionIds, period, onProgress: onPages }, reading, now);
    if (later > 0) await ask();
    reading = { ...reading, pages: reading.pages + later };
    // A payment made while the provider was asked is not of the future.
    const clock = await readClock(db, source.name);
    const given = { source, window, period, reading, lists, deep, ...clock };
    const compare = (id: string, collectionId: string | null) =>
      compareBooks(db, { ...given, id, collectionId }, (done) =>
        onProgress({ step: "books", done, total: null }),
      );
    return await BOOKS.run(async () => {
      signal.throwIfAborted();
      const whole = await compare(claimed.id, collectionId);
      const parts: Certificate[] = [];
      if (collectionId === null && given.reading.collections.length > 1)
        for (const { id } of given.reading.collections) parts.push(await compare(newId(), id));
      return [whole, ...parts];
    });
  });
}

const startOver = (db: Database, claimed: ClaimedCertificate): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await saveReading(trx, claimed, { reading: null });
    await forgetAsked(trx, claimed.id);
  });

interface CertifyJobOptions extends CertifyDeps {
  source: ReconcileSource;
  log: Logger;
}

const PAUSED_MS = 60_000;

const NAMED = 10;

/**
 * Makes a source's daily certificate, an hour after midnight in the zone of the books, in the first process
 * to claim it. A certificate that is not equal is alarmed until a later one is equal; a list that contradicts
 * itself is read again first.
 * @returns null: a poll says when the next one is due (`sourcesToCertify`).
 */
export async function runCertifyJob(options: CertifyJobOptions, stop: AbortSignal): Promise<null> {
  const { db, source, lease } = options;
  await scheduleDaily(db, source);
  const claimed = await claimDaily(db, { source: source.name, lease });
  if (claimed !== null) await makeDaily(options, claimed, stop);
  return null;
}

async function makeDaily(
  options: CertifyJobOptions,
  claimed: ClaimedCertificate,
  stop: AbortSignal,
): Promise<void> {
  const { db, source, alarms, log } = options;
  const failing = { name: "certificate_failing", source: source.name, subject: source.name } as const;
  try {
    const request = { source, window: claimed.window, collectionId: null, isDaily: true, signal: stop };
    const [certificate] = await makeCertificates(options, request, claimed);
    if (certificate.result === "refused" && claimed.faults + 1 < ALARMING_FAULTS) {
      // Start over: read the lists again.
      await saveReading(db, claimed, { reading: null });
      throw new Error(certificate.refusals.join(" "));
    }
    const change = { ...alarmsOfResult(certificate), clears: [failing] };
    failpoint("daily certificate to be kept");
    const written = await keepCertificate(options, claimed, certificate, change);
    failpoint("daily certificate kept");
    alarms.notifyAll(written);
    logResult(log, certificate);
    await forgetAsked(db, claimed.id);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const faults = await certificates.releaseAfter(error, claimed, {
      ...{ db, alarms, source: source.name },
      stop,
      backOff: CERTIFICATE_BACK_OFF,
      pausedMs: PAUSED_MS,
      raisesAfter(faults, text) {
        const detail =
          `The daily certificate could not be made: ${sentence(text)} It is unknown ` +
          "whether anything is missing. It is retried automatically.";
        return faults < ALARMING_FAULTS ? [] : [{ ...failing, detail }];
      },
    });
    if (faults === null) return;
    const what = { source: source.name, faults, ...faultOf(error) };
    log.warn(what, "the daily certificate failed and will be retried");
  }
}

function logResult(log: Logger, { source, result, gaps, total, from, to }: Certificate): void {
  log.info(
    { source, from, to, result, gaps, paid: total.paid.count, published: total.published.count },
    "daily certificate",
  );
}

function alarmsOfResult(certificate: Certificate): AlarmChange {
  const { source, result, from, to } = certificate;
  const { zone } = certificate.basis;
  if (result === "equal") return {};
  const alarm = { name: GAP, source, subject: source } as const;
  const detail =
    `The certificate of ${bookDayOf(Date.parse(from), zone)} to ${lastBookDay({ to: new Date(to) }, zone)} is ` +
    `${result === "refused" ? "refused" : "not equal"}: ${whatOf(certificate)}`;
  return { raises: [{ ...alarm, detail }] };
}

function whatOf({ refusals, differences }: Certificate): string {
  const wrong = differences.filter(({ weight }) => weight !== "note");
  const named = wrong
    .slice(0, NAMED)
    .map(({ invoiceId, eventId, reason }) => `${invoiceId ?? eventId ?? "an item"} (${reason})`);
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : "";
  return [...refusals, ...(named.length > 0 ? [`${named.join(", ")}${more}.`] : [])].join(" ");
}
