import type { AlarmChange } from "../../alarms/alarms.ts";
import { faultOf } from "../../kit/fault.ts";
import type { Logger } from "../../kit/log.ts";
import { step } from "../../kit/step.ts";
import { lastDayBefore } from "../../kit/time.ts";
import { LeaseLost } from "../../work/lease.ts";
import { ALARMING_FAULTS } from "../list-runs.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import type { Certificate } from "./certificate.ts";
import {
  CERTIFICATE_BACK_OFF,
  type ClaimedCertificate,
  certificates,
  claimDaily,
  finishCertificate,
  saveReading,
  scheduleDaily,
} from "./certificate-row.ts";
import { type CertifyDeps, makeCertificates } from "./certify.ts";
import { forgetListed } from "./listed-row.ts";

export interface CertifyPassOptions extends CertifyDeps {
  source: ReconcileSource;
  log: Logger;
}

const PAUSED_MS = 60_000;
const LOOK_MS = 60_000;

/** How many differences the alarm names; the certificate names them all. */
const NAMED = 10;

/**
 * Makes one source's daily certificate, an hour after midnight (UTC), in whichever process is first. One
 * that is not equal is alarmed until a later one is equal; a list that contradicts itself is read again
 * first.
 * @returns when to run again, in ms; null when the source has no list.
 */
export async function certifyPass(options: CertifyPassOptions, stop: AbortSignal): Promise<number | null> {
  const { db, source, lease } = options;
  const { name, collectionIds, lookbackMs } = source;
  if (collectionIds.length === 0) return null;
  await scheduleDaily(db, name, collectionIds, lookbackMs);
  const claimed = await claimDaily(db, { source: name, lease });
  if (claimed !== null) await makeDaily(options, claimed, stop);
  return LOOK_MS;
}

async function makeDaily(
  options: CertifyPassOptions,
  claimed: ClaimedCertificate,
  stop: AbortSignal,
): Promise<void> {
  const { db, source, alarms, log } = options;
  const failing = { name: "certificate_failing", source: source.name, subject: source.name } as const;
  try {
    const request = { source, window: claimed.window, collectionId: null, signal: stop };
    const [certificate] = await makeCertificates(options, request, claimed, 1);
    if (certificate.result === "refused" && claimed.faults + 1 < ALARMING_FAULTS) {
      // Start over: read the lists again.
      await saveReading(db, claimed, { reading: null });
      throw new Error(certificate.refusals.join(" "));
    }
    const change = alarmsOfResult(certificate);
    const clears = [...(change.clears ?? []), failing];
    step("daily certificate to be kept");
    const cleared = await finishCertificate(db, claimed, certificate, { ...change, clears });
    step("daily certificate kept");
    alarms.tellAll({ raised: change.raises ?? [], cleared });
    logResult(log, certificate);
    await forgetListed(db, claimed.id);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    const faults = await certificates.giveBackAfter(error, claimed, {
      db,
      alarms,
      stop,
      name: "daily certificate",
      backOff: CERTIFICATE_BACK_OFF,
      pausedMs: PAUSED_MS,
      raisesAfter(faults, text) {
        const detail =
          `The daily certificate failed ${faults} times in a row: ${text} It is unknown ` +
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
  const alarm = { name: "certificate_gap", source, subject: source } as const;
  if (result === "equal") return { clears: [alarm] };
  const detail =
    `The daily certificate is ${result === "refused" ? "refused" : "not equal"}: ` +
    `${whatOf(certificate)} See: invoice-relay certify --from ${from.slice(0, 10)} --to ${lastDayBefore(to)}`;
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
