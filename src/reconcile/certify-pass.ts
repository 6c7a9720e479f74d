import type { Kysely } from "kysely";
import { CollectionApiError } from "../collection-api/index.ts";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { backOffMs } from "../workers/back-off.ts";
import { releaseExpired } from "../workers/leases.ts";
import type { Certificate } from "./certificate.ts";
import {
  type ClaimedCertificate,
  claimDaily,
  finishDaily,
  giveBackDaily,
  scheduleDaily,
} from "./certificate-store.ts";
import { makeCertificate } from "./certify.ts";
import { holdLease } from "./hold-lease.ts";
import { SourcePaused } from "./list-pace.ts";
import type { ReconcileSource } from "./reconcile-source.ts";
import { slowSource } from "./slow-source.ts";

export interface CertifyPassOptions {
  db: Kysely<Tables>;
  sources: readonly ReconcileSource[];
  alarms: Alarms;
  log: Logger;
  leaseMs: number;
}

const BACK_OFF = { firstMs: 60_000, capMs: 3_600_000 };
const ALARMING_FAULTS = 3;
const PAUSED_MS = 60_000;
const LOOK_MS = 60_000;

/** So many gaps are named in the alarm; the certificate names them all. */
const NAMED = 10;

/**
 * Makes each source's daily certificate, an hour after midnight (UTC), in whichever process comes first. A gap
 * is alarmed until a later certificate is clean.
 * @returns when to look again, in ms; null when no source has a list.
 */
export async function certifyPass(options: CertifyPassOptions, stop: AbortSignal): Promise<number | null> {
  const { db, leaseMs } = options;
  const readable = options.sources.filter((source) => source.collectionIds.length > 0);
  if (readable.length === 0) return null;
  await releaseExpired(db, "certificate");
  for (const source of readable) {
    await scheduleDaily(db, source.name, source.collectionIds, source.lookbackMs);
    const claimed = await claimDaily(db, source.name, leaseMs);
    if (claimed !== null) await makeDaily(options, source, claimed, stop);
  }
  return LOOK_MS;
}

async function makeDaily(
  options: CertifyPassOptions,
  source: ReconcileSource,
  claimed: ClaimedCertificate,
  signal: AbortSignal,
): Promise<void> {
  const { db, alarms, log, leaseMs } = options;
  const failing = { name: "sweep_failing", source: source.name, subject: "certificate" } as const;
  try {
    const { window } = claimed;
    const certificate = await holdLease(db, "certificate", claimed.leaseToken, leaseMs, () =>
      makeCertificate(db, { source, window, collectionId: null, signal }),
    );
    if (!(await finishDaily(db, claimed, certificate))) return;
    await tell(options, certificate);
    if (claimed.faults >= ALARMING_FAULTS) await alarms.clear(failing);
  } catch (error) {
    const text = messageOf(error);
    const isFault = !signal.aborted && !(error instanceof SourcePaused);
    const faults = claimed.faults + 1;
    const dueInMs = isFault ? backOffMs(faults, BACK_OFF) : signal.aborted ? 0 : PAUSED_MS;
    await giveBackDaily(db, claimed, { dueInMs, isFault, error: signal.aborted ? null : text });
    if (!isFault) return;
    if (error instanceof CollectionApiError) await slowSource(db, source.name, error);
    log.warn({ source: source.name, faults, error: text }, "the daily certificate failed; it is tried again");
    if (faults >= ALARMING_FAULTS)
      await alarms.raise({
        ...failing,
        detail: `The daily certificate could not be made, ${faults} times in a row: ${text} Nobody knows whether anything is missing. It is tried again by itself.`,
      });
  }
}

async function tell({ alarms, log }: CertifyPassOptions, certificate: Certificate): Promise<void> {
  const { source, gaps, total, from, to, differences } = certificate;
  const alarm = { name: "certificate_gap", source, subject: source } as const;
  log.info(
    { source, from, to, gaps, paid: total.paid.count, published: total.published.count },
    "daily certificate",
  );
  if (gaps === 0) return await alarms.clear(alarm);
  const named = differences
    .filter((difference) => difference.gap)
    .slice(0, NAMED)
    .map(({ invoiceId, reason }) => `${invoiceId} (${reason})`);
  const more = gaps > NAMED ? ` and ${gaps - NAMED} more` : "";
  await alarms.raise({
    ...alarm,
    detail: `${gaps} paid ${gaps === 1 ? "invoice has" : "invoices have"} no accepted publication: ${named.join(", ")}${more}. See: invoice-relay certify --from ${from.slice(0, 10)} --to ${lastDay(to)}`,
  });
}

const lastDay = (before: string): string => new Date(Date.parse(before) - 1).toISOString().slice(0, 10);
