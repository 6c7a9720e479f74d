import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { extendLeases } from "../workers/leases.ts";

/** Another worker has it now, because this one was too slow to say that it lives. What it did so far stands. */
export class LeaseLost extends Error {}

/** Does the work and keeps its lease alive meanwhile; the database being away for a moment does not end it. */
export async function holdLease<Result>(
  db: Kysely<Tables>,
  table: "sweep" | "certificate",
  leaseToken: string,
  leaseMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const extend = () => extendLeases(db, table, [leaseToken], leaseMs).catch(() => undefined);
  const extending = setInterval(() => void extend(), leaseMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(extending);
  }
}
