import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Certificate, Result } from "./certificate/certificate.ts";

/** A certificate as a list shows it. */
export interface ListedCertificate {
  id: string;
  source: string;
  /** Payments from, and before. */
  from: Date;
  to: Date;
  /** Made by the daily run, not asked for by a person. */
  daily: boolean;
  /** null while it is being made. */
  result: Result | null;
  gaps: number | null;
  differences: number | null;
  paid: number | null;
  /** Decimal string. */
  paidAmount: string | null;
  madeAt: Date | null;
  /** Of one that is not done: what went wrong last. */
  lastError: string | null;
}

/** The newest first. */
export async function listCertificates(
  db: Kysely<Tables>,
  { source, result }: { source?: string | undefined; result?: Result | undefined },
  limit: number,
): Promise<ListedCertificate[]> {
  let query = db
    .selectFrom("certificate")
    .select(["id", "source", "result", "gaps", "differences", "paid", "paid_amount as paidAmount"])
    .select(["window_from as from", "window_to as to", "finished_at as madeAt", "last_error as lastError"])
    .select(sql<boolean>`day is not null`.as("daily"))
    .orderBy("created_at", "desc")
    .limit(limit);
  if (source !== undefined) query = query.where("source", "=", source);
  if (result !== undefined) query = query.where("result", "=", result);
  return await query.execute();
}

/** @returns null when there is none of this id, or it is not done. */
export async function readCertificate(db: Kysely<Tables>, id: string): Promise<Certificate | null> {
  const row = await db
    .selectFrom("certificate")
    .select("document")
    .where("id", "=", id)
    .where("state", "=", "done")
    .executeTakeFirst();
  return (row?.document as Certificate | undefined) ?? null;
}
