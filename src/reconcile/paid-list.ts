import { CollectionApiError, type ListedInvoice, type Money, toUtc } from "../collection-api/index.ts";
import { halvesOf, type ListPeriod } from "./list-period.ts";
import type { ReconcileSource } from "./reconcile-source.ts";

/** A payment as the provider's list shows it. */
export interface ListedPayment {
  invoiceId: string;
  /** null when the list does not say, or not readably. */
  paidAt: Date | null;
  createdAt: Date | null;
  amount: Money | null;
}

/** What the list was asked for; null for a list without `invoiceType`. */
export type AskedType = "Live" | "Test" | null;

/**
 * Finds every payment, Live and Test: a list without `invoiceType` holds at least the Live ones, whether or not
 * it hides the Test ones (not specified).
 */
export const ALL_TYPES: readonly AskedType[] = [null, "Test"];

/** The list's items do not say their type, so it is told by which question finds them. */
export const EACH_TYPE: readonly AskedType[] = [null, "Live", "Test"];

const PAGE_SIZE = 100;

export interface PaidListOptions {
  source: ReconcileSource;
  collectionId: string;
  /** Awaited before each page. */
  beforePage: () => Promise<void>;
  signal: AbortSignal;
}

/** The provider's list of paid invoices of one collection, newest days first where it has to be read in parts. */
export class PaidList {
  readonly #options: PaidListOptions;
  readonly #isPaid: (status: string | null) => boolean;

  constructor(options: PaidListOptions) {
    this.#options = options;
    const paid = new Set(options.source.paidStatuses.map(plain));
    this.#isPaid = (status) => status !== null && paid.has(plain(status));
  }

  /**
   * Every payment of the period at least once for each type it matches. A period whose list keeps changing is
   * halved until it stands still.
   * @throws CollectionApiError; what was yielded by then is true, and not all.
   */
  async *read(
    period: ListPeriod,
    types: readonly AskedType[],
  ): AsyncGenerator<{ payment: ListedPayment; asked: AskedType }, void, undefined> {
    for (const status of this.#options.source.paidStatuses)
      for (const asked of types)
        for await (const item of this.#items(period, status.trim(), asked))
          if (this.#isPaid(item.status)) yield { payment: this.#payment(item), asked };
  }

  async *#items(
    period: ListPeriod,
    invoiceStatus: string,
    invoiceType: AskedType,
  ): AsyncGenerator<ListedInvoice, void, undefined> {
    const { source, collectionId, beforePage, signal } = this.#options;
    const filter = {
      invoiceStatus,
      startDate: period.first,
      endDate: period.last,
      pageSize: PAGE_SIZE,
      ...(invoiceType === null ? {} : { invoiceType }),
    };
    try {
      yield* source.client.iterateInvoices(collectionId, filter, { beforePage, signal });
    } catch (error) {
      const halves = isUnstable(error) ? halvesOf(period) : null;
      if (halves === null) throw error;
      for (const half of halves) yield* this.#items(half, invoiceStatus, invoiceType);
    }
  }

  #payment({ id, datePaid, dateCreated, amount }: ListedInvoice): ListedPayment {
    const { timeZone } = this.#options.source;
    return {
      invoiceId: id,
      paidAt: toUtc(datePaid, timeZone),
      createdAt: toUtc(dateCreated, timeZone),
      amount,
    };
  }
}

/** As statuses are compared. */
export const plain = (status: string): string => status.trim().toLowerCase();

const isUnstable = (error: unknown): boolean =>
  error instanceof CollectionApiError && error.kind === "list_unstable";
