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
import { ALARMING_FAULTS } from "../list-runs.ts";
import { collectionsOf, type ReconcileSource } from "../reconcile-source.ts";
import { forgetAsked } from "./asked-payment.ts";
import { type Certificate, canContinueWith, readingTerms } from "./certificate.ts";
import {
  CERTIFICATE_BACK_OFF,
  type ClaimedCertificate,
  certificates,
  claimDaily,
  finishCertificate,
  insertAsked,
  saveReading,
  scheduleDaily,
} from "./certificate-row.ts";
import { compareBooks } from "./compare-books.ts";
import { askInvoices, gatherBooks } from "./gather.ts";
import { readPeriod } from "./read-period.ts";

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
  signal: AbortSignal;
}

/**
 * Is every payment of the period accounted for? Compares the provider's lists with the relay's books and
 * stores the answer as a row (G10).
 * @throws RelayError without COLLECTION_IDS; ListUnreadable or SourcePaused when a list cannot be read.
 */
export async function certify(deps: CertifyDeps, request: CertifyRequest): Promise<Certificate> {
  const { db, alarms } = deps;
  const id = newId();
  try {
    const certificate = await makeCertificate(deps, request, id, null);
    failpoint("certificate to be kept");
    const change = certificate.result === "not_equal" ? alarmsOfResult(certificate) : {};
    const { issued, cleared } = await keepCertificate(deps, null, certificate, change);
    // Only ended alarms are notified: the requester reads the findings, and the alarm's row informs the
    // others.
    alarms.notifyCleared(cleared);
    failpoint("certificate kept");
    return issued;
  } finally {
    await forgetAsked(db, id);
  }
}

/**
 * Issues and stores a certificate with the alarms that it raises and ends. A certificate that leaves no day
 * of the source unproven ends the alarm, however it was made (every change of state is notified, G13).
 */
const keepCertificate = (
  deps: CertifyDeps,
  claimed: ClaimedCertificate | null,
  certificate: Certificate,
  change: AlarmChange,
): Promise<WrittenAlarms & { issued: Certificate }> =>
  deps.db.transaction().execute(async (trx) => {
    const { source, result } = certificate;
    const issued = await issue(trx, deps.signer, certificate);
    const row = claimed ?? (await insertAsked(trx, certificate));
    const cleared = await finishCertificate(trx, row, issued, change);
    await keepCertifiedDays(trx, issued);
    const proven = result === "equal" ? await closeProvenGap(trx, source) : [];
    return { issued, raised: change.raises ?? [], cleared: [...cleared, ...proven] };
  });

/** Lists are read side by side; the books of several sources would take every connection of the pool. */
const BOOKS = new Turns(1);

/** Makes a certificate, without storing it. @param daily the row of a daily one, which continues */
async function makeCertificate(
  { db, alarms }: CertifyDeps,
  { source, window, signal }: CertifyRequest,
  id: string,
  daily: ClaimedCertificate | null,
): Promise<Certificate> {
  const collectionIds = collectionsOf(source);
  const period = periodFor(window, source.lookbackMs);
  const calls = { db, alarms, source, signal };
  let reading = daily?.progress?.reading ?? null;
  if (!canContinueWith(reading, readingTerms(source, collectionIds, period), window)) {
    if (daily !== null) await startOver(db, daily);
    reading = await readPeriod({
      ...calls,
      period,
      isDaily: daily !== null,
    });
    failpoint("lists to be kept");
    if (daily !== null) await saveReading(db, daily, { reading });
    failpoint("lists kept");
  }
  const { now } = await readClock(db, source.name);
  const lists = { certificateId: id, source: source.name, seenSince: new Date(reading.begunAt) };
  await BOOKS.run(async () => {
    signal.throwIfAborted();
    await gatherBooks(db, source, lists, window, now);
  });
  failpoint("books gathered");
  await askInvoices(calls, lists);
  // A payment made while the provider was asked is not of the future.
  const clock = await readClock(db, source.name);
  return await BOOKS.run(async () => {
    signal.throwIfAborted();
    return await compareBooks(db, { id, source, window, period, reading, lists, ...clock });
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
  const { db, source, alarms, lease, log } = options;
  const failing = { name: "certificate_failing", source: source.name, subject: source.name } as const;
  try {
    const certificate = await certificates.whileHeld({ db, lease, run: claimed, stop }, (signal) =>
      makeCertificate(options, { source, window: claimed.window, signal }, claimed.id, claimed),
    );
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
