import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Lease } from "../work/lease.ts";
import { bringForwardCertificates, certificates, forgetAbandoned } from "./certificate/certificate-row.ts";
import { bringForwardSweeps, moveSweepsBack, sweeps } from "./sweep/sweep-row.ts";
import { forgetSwept } from "./sweep/swept-payments.ts";

/**
 * Sweeps and certificates whose process died or hangs go back, of all sources: another continues them. What
 * waits for too long is due.
 * @param times.intervalMs from one sweep of a collection to the next
 */
export async function rescueListWork(
  db: Kysely<Tables>,
  { lease, intervalMs }: { lease: Lease; intervalMs: number },
): Promise<void> {
  await sweeps.leases.releaseExpired(db, lease);
  await bringForwardSweeps(db, intervalMs);
  await certificates.leases.releaseExpired(db, lease);
  await bringForwardCertificates(db);
}

/** Deletes old sweeps, and what is left of runs that nobody continues, of all sources. */
export async function forgetListWork(db: Kysely<Tables>): Promise<void> {
  await moveSweepsBack(db);
  await forgetSwept(db);
  await forgetAbandoned(db);
}
