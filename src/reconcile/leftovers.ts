import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { certificateLeases, forgetAbandoned } from "./certificate/certificate-row.ts";
import { sweepLeases } from "./sweep/sweep-row.ts";
import { forgetSwept } from "./sweep/swept-payments.ts";

/** Sweeps and certificates whose process died or hangs go back, of all sources: another continues them. */
export async function rescueListWork(db: Kysely<Tables>): Promise<void> {
  await sweepLeases.releaseExpired(db);
  await certificateLeases.releaseExpired(db);
}

/** Deletes old sweeps, and what is left of runs that nobody continues, of all sources. */
export async function forgetListWork(db: Kysely<Tables>): Promise<void> {
  await forgetSwept(db);
  await forgetAbandoned(db);
}
