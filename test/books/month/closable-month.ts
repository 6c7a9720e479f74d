import { randomUUID } from "node:crypto";
import type { BookSource } from "../../../src/books/book-source.ts";
import { noteMonthChanges } from "../../../src/books/month/month-changes.ts";
import { closeMonth } from "../../../src/operate/months.ts";
import { withDatabase } from "../../support/log-rows.ts";
import { addPayments, type GivenPayment } from "../add-payments.ts";

export const COLLECTION = "c0113c70-0000-4000-8000-0000000000c1";

export interface GivenCertificate {
  /** Times of payment from, and before. */
  from: string;
  to: string;
  zone?: string;
  /** By their days, what was stored; in hundredths. */
  days?: Record<string, readonly number[]>;
  result?: "equal" | "not_equal";
  isProvisional?: boolean;
  madeAt?: string;
}

type Query = (text: string, values: unknown[]) => Promise<unknown>;

/** A certificate of the source, as if it had been made. @returns its id */
export async function insertCertificate(query: Query, given: GivenCertificate): Promise<string> {
  const id = randomUUID();
  const days = Object.entries(given.days ?? {}).map(([day, amounts]) => {
    const amount = (amounts.reduce((all, one) => all + one, 0) / 100).toFixed(2);
    const tally = { count: amounts.length, amount };
    const missing = { count: given.result === "not_equal" ? 1 : 0, amount: "0.00" };
    return { day, paid: tally, stored: tally, published: tally, missing, differences: 0 };
  });
  const document = {
    ...{ id, result: given.result ?? "equal", differences: [], differencesInAll: 0, days, gaps: 0 },
    ...{ collections: [{ id: COLLECTION, name: "Shop" }] },
    basis: { provisional: given.isProvisional ?? false },
  };
  await query(
    `insert into certificate (id, source, window_from, window_to, time_zone, collection_ids, state, created_at,
       finished_at, gaps, result, document)
     values ($1, 'default', $2, $3, $4, array[$5::uuid], 'done', $6, $6, 0, $7, $8)`,
    [
      ...[id, given.from, given.to, given.zone ?? "UTC", COLLECTION],
      ...[given.madeAt ?? "2026-11-02T00:00:00Z", document.result, JSON.stringify(document)],
    ],
  );
  return id;
}

/** Payments of one source, and what certificates say of them: October can be closed unless a test says otherwise. */
export async function closableMonth(payments: readonly GivenPayment[], zone = "UTC") {
  const { around, db } = await withDatabase();
  const ids = await addPayments(around.query, payments);
  const source: BookSource = {
    ...{ name: "default", zone, currency: "NGN", collectionIds: [COLLECTION], paidStatuses: ["Paid"] },
  };
  return {
    ...{ around, db, ids, source },
    certify: (given: GivenCertificate) => insertCertificate(around.query, { zone, ...given }),
    close: (changes: { waiveStatement?: string | undefined; acceptDifferences?: string } = {}) =>
      closeMonth({
        ...{ db, source, month: "2026-10", actor: "cli:test", waiveStatement: "in cash", signer: null },
        ...{ dryRun: false, ...changes },
      }),
    /** What serve does once a minute, by settings of its own. */
    noteChanges: (settings: Partial<BookSource> = {}) => noteMonthChanges(db, [{ ...source, ...settings }]),
    changes: () =>
      around.query<{ id: string; before: string | null; after: string | null }>(
        `select invoice_id as id, before ->> 'amount' as before, after ->> 'amount' as after
         from month_change order by id`,
      ),
  };
}

export const codesOf = ({ obstacles }: Awaited<ReturnType<typeof closeMonth>>) =>
  obstacles.map(({ code }) => code);
