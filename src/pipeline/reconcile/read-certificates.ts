import { sql } from "kysely";
import { z } from "zod";
import {
  type Database,
  nullable,
  query,
  returned,
  type Slots,
  Statement,
  typed,
} from "../../platform/database/index.ts";
import { answeredId, decimal, time, whole } from "../../platform/validation/index.ts";
import {
  type Certificate,
  certificateHead,
  difference,
  type Result,
  result,
  type Weight,
} from "./certificate/certificate.ts";

export const listedCertificate = z.object({
  id: answeredId,
  source: z.string(),
  /** The collections whose lists were read. */
  collections: z.array(answeredId),
  from: time,
  to: time.describe("Payments before this time."),
  timeZone: z.string().describe("Whose days its days are."),
  currency: z.string(),
  /** Made by the daily run, not on request. */
  daily: z.boolean(),
  result: result.nullable().describe("null while it is being made."),
  gaps: whole.nullable(),
  differences: whole.nullable(),
  paid: whole.nullable(),
  paidAmount: decimal.nullable(),
  madeAt: time.nullable(),
  /** Of an unfinished one. */
  lastError: z.string().nullable(),
});

interface CertificateFilters {
  source?: string | undefined;
  result?: Result | undefined;
  /** Days of payment, YYYY-MM-DD: only those that overlap the period. */
  from?: string | undefined;
  to?: string | undefined;
}

interface DifferenceFilters {
  /** YYYY-MM-DD, in its zone. */
  day?: string | undefined;
  weight?: Weight | undefined;
}

const selectCertificates = query((db, filters: CertificateFilters, limit: number) => {
  const { source, result, from, to } = filters;
  let found = db
    .selectFrom("certificate")
    .select(["id", "source", "collection_ids as collections", "result", "gaps", "differences", "paid"])
    .select(["paid_amount as paidAmount", "time_zone as timeZone", "currency"])
    .select(["window_from as from", "window_to as to", "finished_at as madeAt", "last_error as lastError"])
    .select(typed(returned.boolean, sql`day is not null`).as("daily"))
    .orderBy("created_at", "desc")
    .limit(limit);
  if (source !== undefined) found = found.where("source", "=", source);
  if (result !== undefined) found = found.where("result", "=", result);
  if (from !== undefined)
    found = found.where(sql<boolean>`window_to > ${from}::date::timestamp at time zone time_zone`);
  if (to !== undefined)
    found = found.where(sql<boolean>`window_from < (${to}::date + 1)::timestamp at time zone time_zone`);
  return found;
});

/** Newest first. */
export const listCertificates = (
  db: Database,
  filters: CertificateFilters,
  limit: number,
): Promise<z.output<typeof listedCertificate>[]> => selectCertificates(db, filters, limit).execute();

export const certificatePage = z.object({
  certificate: certificateHead,
  differences: z.array(difference).describe("Gaps first, then differences, then notes."),
  matching: whole.describe("How many match, of those that the certificate names."),
  next: whole.nullable().describe("null at the end."),
});
type CertificatePage = z.output<typeof certificatePage>;

/**
 * A page of a certificate.
 * @param after how many matching differences to skip
 * @returns null when it does not exist or is not done.
 */
export async function readCertificatePage(
  db: Database,
  id: string,
  { day, weight, limit, after }: DifferenceFilters & { limit: number; after: number },
): Promise<CertificatePage | null> {
  const found = await readCertificate(db, id);
  if (found === null) return null;
  const { differences, ...certificate } = found;
  const matching = differences.filter(
    (one) => (day === undefined || one.day === day) && (weight === undefined || one.weight === weight),
  );
  const end = after + limit;
  return {
    certificate,
    differences: matching.slice(after, end),
    matching: matching.length,
    next: matching.length > end ? end : null,
  };
}

/** The text of a certificate as it was issued. */
export async function* issuedCertificateParts(certificate: Certificate): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(certificate, null, 2)}\n`);
}

const selectDocument = query((db, id: string) =>
  db.selectFrom("certificate").select("document").where("id", "=", id).where("state", "=", "done"),
);

/** @returns null when it does not exist or is not done. */
export async function readCertificate(db: Database, id: string): Promise<Certificate | null> {
  const row = await selectDocument(db, id).executeTakeFirst();
  return (row?.document as Certificate | undefined) ?? null;
}

interface CollectionsOf {
  source: string;
  collectionIds: readonly string[];
}

const selectNames = new Statement(
  { name: nullable(returned.text()) },
  ({ value }: Slots<CollectionsOf>) => sql`
    select named ->> 'name' as name
    from unnest(${value(({ collectionIds }) => [...collectionIds])}::uuid[]) as own (id)
    cross join lateral (select document from certificate
      where source = ${value(({ source }) => source)} and state = 'done' and own.id = any(collection_ids)
      order by finished_at desc limit 1) as newest
    cross join lateral json_array_elements(newest.document -> 'collections') as named
    where named ->> 'id' = own.id::text order by 1`,
);

/**
 * The names of a source's own collections, as the newest certificate of each had it from the provider; a
 * collection without a certificate is left out.
 * @returns null when there is no restriction.
 */
export async function certifiedNames(
  db: Database,
  source: string,
  collectionIds: readonly string[],
): Promise<string[] | null> {
  if (collectionIds.length === 0) return null;
  const rows = await selectNames.execute(db, { source, collectionIds });
  return rows.flatMap(({ name }) => name ?? []);
}
