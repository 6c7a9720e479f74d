import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import {
  bringForwardCertificates,
  certificateLeases,
  forgetAbandoned,
} from "./certificate/certificate-row.ts";
import { bringForwardSweeps, moveSweepsBack, sweepLeases } from "./sweep/sweep-row.ts";
import { forgetSwept } from "./sweep/swept-payments.ts";

/**
 * Sweeps and certificates whose process died or hangs go back, of all sources: another continues them. What
 * waits for too long is due.
 * @param times in ms: of a lease, and from one sweep of a collection to the next
 */
export async function rescueListWork(
  db: Kysely<Tables>,
  { leaseMs, intervalMs }: { leaseMs: number; intervalMs: number },
): Promise<void> {
  await sweepLeases.releaseExpired(db, leaseMs);
  await bringForwardSweeps(db, intervalMs);
  await certificateLeases.releaseExpired(db, leaseMs);
  await bringForwardCertificates(db);
}

/** Deletes old sweeps, and what is left of runs that nobody continues, of all sources. */
export async function forgetListWork(db: Kysely<Tables>): Promise<void> {
  await moveSweepsBack(db);
  await forgetSwept(db);
  await forgetAbandoned(db);
}
