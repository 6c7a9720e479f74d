import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Certificate, Difference, Result, Weight } from "./certificate/certificate.ts";
import { csvDifferences, csvHead, csvHeader, csvMore } from "./certificate/certificate-csv.ts";

/** A certificate as a list shows it. */
export interface ListedCertificate {
  id: string;
  source: string;
  /** Those whose lists it was read from. */
  collections: string[];
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

export interface CertificateFilters {
  source?: string | undefined;
  result?: Result | undefined;
  /** Those over this collection, alone or among others. */
  collection?: string | undefined;
  /** Days of payment, YYYY-MM-DD: those that reach into the period. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface DifferenceFilters {
  /** YYYY-MM-DD, UTC. */
  day?: string | undefined;
  weight?: Weight | undefined;
}

/** What a certificate says besides its differences. */
const HEAD = [
  "id",
  "source",
  "result",
  "refusals",
  "scope",
  "collections",
  "from",
  "to",
  "madeAt",
  "basis",
  "days",
  "total",
  "test",
  "gaps",
  "differencesInAll",
] as const satisfies readonly (keyof Certificate)[];

/** The newest first. */
export async function listCertificates(
  db: Kysely<Tables>,
  { source, result, collection, from, to }: CertificateFilters,
  limit: number,
): Promise<ListedCertificate[]> {
  let query = db
    .selectFrom("certificate")
    .select([
      "id",
      "source",
      "collection_ids as collections",
      "result",
      "gaps",
      "differences",
      "paid",
      "paid_amount as paidAmount",
    ])
    .select(["window_from as from", "window_to as to", "finished_at as madeAt", "last_error as lastError"])
    .select(sql<boolean>`day is not null`.as("daily"))
    .orderBy("created_at", "desc")
    .limit(limit);
  if (source !== undefined) query = query.where("source", "=", source);
  if (result !== undefined) query = query.where("result", "=", result);
  if (collection !== undefined)
    query = query.where(sql<boolean>`collection_ids @> array[${collection.toLowerCase()}]::uuid[]`);
  if (from !== undefined)
    query = query.where(sql<boolean>`window_to > ${from}::date::timestamp at time zone 'UTC'`);
  if (to !== undefined)
    query = query.where(sql<boolean>`window_from < (${to}::date + 1)::timestamp at time zone 'UTC'`);
  return await query.execute();
}

/** One certificate without its differences, and a page of these. */
export interface CertificatePage {
  /** As it was made, but for `differences`. */
  certificate: Omit<Certificate, "differences">;
  differences: Difference[];
  /** How many of those that it names the filters match. */
  matching: number;
  /** Where to go on; null at the end. */
  next: number | null;
}

/**
 * A page of a certificate, which may name ten thousand differences: Postgres takes it apart.
 * @param after so many of those that match are passed over.
 * @returns null when there is none of this id, or it is not done.
 */
export async function readCertificatePage(
  db: Kysely<Tables>,
  id: string,
  { day, weight, limit, after }: DifferenceFilters & { limit: number; after: number },
): Promise<CertificatePage | null> {
  const head = HEAD.map((name) => sql`${sql.lit(name)}, told.${sql.ref(name)}`);
  // Taken apart once: each look into a document reads all of it.
  const parts = [...HEAD, "differences"].map((name) => sql`${sql.ref(name)} json`);
  const { rows } = await sql<{
    certificate: CertificatePage["certificate"];
    differences: Difference[] | null;
    matching: number;
  }>`
    select json_build_object(${sql.join(head)}) as certificate, page.differences, page.matching
    from certificate cross join lateral json_to_record(document) as told (${sql.join(parts)})
    cross join lateral (
      select count(*) as matching,
        json_agg(item order by place) filter (where rank > ${after}
        and rank <= ${after + limit}) as differences
      from (
        select item, place, row_number() over (order by place) as rank
        from json_array_elements(told.differences) with ordinality as named (item, place)
        where (${day ?? null}::text is null or item ->> 'day' = ${day ?? null})
          and (${weight ?? null}::text is null or item ->> 'weight' = ${weight ?? null})) as chosen) as page
    where certificate.id = ${id} and state = 'done'`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { certificate, differences, matching } = row;
  const end = after + limit;
  return { certificate, differences: differences ?? [], matching, next: matching > end ? end : null };
}

const CSV_PAGE = 500;

/**
 * A certificate as a table for finance, in parts: none is so long that others wait for it.
 * @returns null when there is none of this id, or it is not done.
 */
export async function certificateCsvParts(
  db: Kysely<Tables>,
  id: string,
): Promise<AsyncIterable<string> | null> {
  const first = await readCertificatePage(db, id, { limit: CSV_PAGE, after: 0 });
  return first === null ? null : csvParts(db, id, first);
}

async function* csvParts(db: Kysely<Tables>, id: string, first: CertificatePage): AsyncIterable<string> {
  const { certificate } = first;
  yield csvHeader + csvHead(certificate);
  for (let page: CertificatePage | null = first; page !== null; ) {
    yield csvDifferences(certificate, page.differences);
    page =
      page.next === null ? null : await readCertificatePage(db, id, { limit: CSV_PAGE, after: page.next });
  }
  yield csvMore(certificate, first.matching);
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
