import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { newId } from "../kit/new-id.ts";
import { storableText } from "../kit/storable-text.ts";
import type { Certificate } from "./certificate.ts";
import { keepCertificate } from "./certificate-store.ts";
import { compare, type FoundPayment } from "./compare.ts";
import { readLedger, readStoredPayments } from "./ledger.ts";
import { ListPace } from "./list-pace.ts";
import { daysBetween, type ListPeriod, nextStep, type PaidWindow, periodFor } from "./list-period.ts";
import { type AskedType, EACH_TYPE, PaidList } from "./paid-list.ts";
import type { ReconcileSource } from "./reconcile-source.ts";

export interface CertifyRequest {
  source: ReconcileSource;
  /** Payments from, and before. */
  window: PaidWindow;
  /** One of the source's collections; null for all of them. */
  collectionId: string | null;
  signal: AbortSignal;
  /** Told after each step, in days of the lists. */
  onProgress?: (read: number, total: number) => void;
}

/**
 * Is every payment of the period accounted for? Reads the provider's lists and the relay's books, and keeps the
 * answer as a row (G10).
 * @throws RelayError without COLLECTION_IDS; CollectionApiError or SourcePaused when a list cannot be read: half
 * a list proves nothing.
 */
export async function certify(db: Kysely<Tables>, request: CertifyRequest): Promise<Certificate> {
  const certificate = await makeCertificate(db, request);
  await keepCertificate(db, certificate);
  return certificate;
}

/** The same, not kept. */
export async function makeCertificate(db: Kysely<Tables>, request: CertifyRequest): Promise<Certificate> {
  const { source, window, signal } = request;
  const collectionIds = scopeOf(source, request.collectionId);
  const collections = [];
  for (const id of collectionIds) {
    const { collectionName } = await source.client.getCollection(id, { signal });
    collections.push({ id, name: collectionName === null ? null : storableText(collectionName) });
  }
  const found = await readLists(db, request, collectionIds);
  const names = collections.flatMap(({ name }) => (name === null ? [] : [name]));
  const stored = await readStoredPayments(db, source, window, names);
  const ids = new Set([...found.map((payment) => payment.invoiceId), ...stored]);
  const ledger = await readLedger(db, source, [...ids]);
  const { now, firstServedAt } = await readClock(db, source.name);
  return {
    id: newId(),
    source: source.name,
    collections,
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    madeAt: now.toISOString(),
    ...compare({ window, found, stored, ledger, firstServedAt, now }),
  };
}

function scopeOf({ name, collectionIds }: ReconcileSource, asked: string | null): readonly string[] {
  if (collectionIds.length === 0)
    throw new RelayError(
      `Nobody can say which lists to read for source "${name}": the provider lists invoices by collection only. Set COLLECTION_IDS to the ids of its collections.`,
      { next: "refuse", code: "settings" },
    );
  if (asked === null) return collectionIds;
  const id = asked.toLowerCase();
  if (!collectionIds.includes(id))
    throw new RelayError(`Collection ${asked} is none of COLLECTION_IDS of source "${name}".`, {
      next: "refuse",
      code: "usage",
    });
  return [id];
}

async function readLists(
  db: Kysely<Tables>,
  { source, window, signal, onProgress }: CertifyRequest,
  collectionIds: readonly string[],
): Promise<FoundPayment[]> {
  const found = new Map<string, FoundPayment & { asked: Set<AskedType> }>();
  const whole = periodFor(window, source.lookbackMs);
  const days = daysBetween(whole.first, whole.last);
  const pace = new ListPace({ db, source: source.name, ratePerSecond: source.ratePerSecond, signal });
  for (const [index, collectionId] of collectionIds.entries()) {
    const list = new PaidList({ source, collectionId, beforePage: () => pace.turn(), signal });
    for (let rest: ListPeriod | null = whole; rest !== null; ) {
      const next: ReturnType<typeof nextStep> = nextStep(rest);
      for await (const { payment, asked } of list.read(next.step, EACH_TYPE)) {
        const known = found.get(payment.invoiceId);
        if (known === undefined) found.set(payment.invoiceId, { ...payment, asked: new Set([asked]) });
        else known.asked.add(asked);
      }
      rest = next.rest;
      const left = rest === null ? 0 : daysBetween(rest.first, rest.last);
      onProgress?.((index + 1) * days - left, collectionIds.length * days);
    }
  }
  return [...found.values()];
}

async function readClock(
  db: Kysely<Tables>,
  source: string,
): Promise<{ now: Date; firstServedAt: Date | null }> {
  const { rows } = await sql<{ now: Date; firstServedAt: Date | null }>`
    select clock_timestamp() as now, (select first_served_at from source where name = ${source}) as "firstServedAt"`.execute(
    db,
  );
  return rows[0] ?? { now: new Date(), firstServedAt: null };
}
