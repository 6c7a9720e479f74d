import { setTimeout as wait } from "node:timers/promises";
import { backOffMs } from "../../kit/back-off.ts";
import type { InvoicePage } from "../../provider/answer.ts";
import type { PageRequest } from "../../provider/provider.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { halvesOf, type ListPeriod } from "./list-period.ts";
import { ListUnreadable } from "./list-unreadable.ts";
import { type AskedType, type ListedPayment, listedPayment, plain } from "./listed-payment.ts";
import { type PageFacts, PageProof } from "./page-proof.ts";

/** Where the payments of a list go, page by page; what a reading showed is true, whether or not it proves whole. */
export interface ListSink {
  /** @returns how many of them this reading has not shown before. @param paid those that count as paid. */
  take(reading: number, ids: readonly string[], paid: readonly ListedPayment[]): Promise<number>;
}

/** A part of the list that could not be shown to be whole. */
export interface Unproven extends ListPeriod {
  why: string;
}

/** An item that names no invoice: where it stands, and what else it says. */
export interface Unusable {
  id: string;
  status: string | null;
  amount: string | null;
  datePaid: string | null;
}

export interface ListReaderOptions {
  source: ReconcileSource;
  collectionId: string;
  sink: ListSink;
  /** Awaited before each page. */
  beforePage: () => Promise<void>;
  /** Told of a refusal that may pass; the page is asked for again while there are tries left. */
  onRefusal?: (error: ListUnreadable) => Promise<void>;
  /** How often a page is asked for before its refusal is thrown. */
  tries?: number;
  signal: AbortSignal;
}

/** What the list is asked for; no days: all of them. No status: all, and the sink is given those that say they are paid. */
export interface ListQuery {
  period: ListPeriod | null;
  status: string | null;
  asked: AskedType;
}

/** A reading that contradicts itself is made again by shorter periods, and those with pages of other sizes at last. */
const PAGE_SIZE = 100;
const LAST_PAGE_SIZES = [100, 40, 250];

const TRY_AGAIN = { firstMs: 200, capMs: 5_000 };

/** One reading, counted through all readers of this process. */
let readings = 0;

/** Reads the provider's list of one collection, and says what of it did not prove itself whole. */
export class ListReader {
  readonly #options: ListReaderOptions;
  readonly #paid: ReadonlySet<string>;
  /** Pages read so far. */
  pages = 0;
  /** Items that name no invoice, each once. */
  readonly unusable = new Map<string, Unusable>();

  constructor(options: ListReaderOptions) {
    this.#options = options;
    this.#paid = new Set(options.source.paidStatuses.map(plain));
  }

  /**
   * Every payment of the period at least once for each type that it matches.
   * @returns the parts whose reading contradicted itself, however it was read.
   * @throws ListUnreadable; what went to the sink by then is true, and not all.
   */
  async read(period: ListPeriod, types: readonly AskedType[]): Promise<Unproven[]> {
    const unproven: Unproven[] = [];
    for (const status of this.#options.source.paidStatuses)
      for (const asked of types)
        unproven.push(...(await this.#part({ period, status: status.trim(), asked }, period)));
    return unproven;
  }

  /** The same for the list of all statuses, of which those count that say they are paid. */
  async readUnfiltered(period: ListPeriod): Promise<Unproven[]> {
    return await this.#part({ period, status: null, asked: null }, period);
  }

  /** How many items a list counts; null when it does not say. What its first page shows goes to the sink as well. */
  async count(query: ListQuery): Promise<number | null> {
    readings += 1;
    const reading = readings;
    try {
      const page = await this.#page(query, 1, PAGE_SIZE);
      if (page !== null) await this.#take(reading, query, page);
      return page?.totalCount ?? null;
    } catch (error) {
      if (error instanceof ListUnreadable && error.next === "refuse") return null;
      throw error;
    }
  }

  async #part(query: ListQuery, period: ListPeriod): Promise<Unproven[]> {
    const asked = { ...query, period };
    const halves = halvesOf(period);
    let why: string | null = null;
    for (const size of halves === null ? LAST_PAGE_SIZES : [PAGE_SIZE]) {
      why = await this.#once(asked, size);
      if (why === null) return [];
    }
    if (halves === null) return [{ ...period, why: why ?? "" }];
    const [newer, older] = halves;
    return [...(await this.#part(query, newer)), ...(await this.#part(query, older))];
  }

  /** One reading. @returns why it is not to be believed; null when it is whole. */
  async #once(query: ListQuery, pageSize: number): Promise<string | null> {
    readings += 1;
    const reading = readings;
    const proof = new PageProof();
    try {
      let last = 1;
      for (let more = true; more; last += 1) {
        const facts = await this.#facts(reading, query, last, pageSize);
        if (facts === null) break;
        more = proof.forwards(facts);
      }
      for (let page = last - 2; page >= 1; page -= 1) {
        const facts = await this.#facts(reading, query, page, pageSize);
        if (facts !== null) proof.backwards(facts);
      }
      return proof.contradiction;
    } catch (error) {
      // Readable to nobody, but an answer: the days around it are read all the same.
      if (error instanceof ListUnreadable && error.refusal.kind === "outside_contract") return error.message;
      throw error;
    }
  }

  async #facts(
    reading: number,
    query: ListQuery,
    number: number,
    pageSize: number,
  ): Promise<PageFacts | null> {
    const page = await this.#page(query, number, pageSize);
    if (page === null) return null;
    const fresh = await this.#take(reading, query, page);
    return {
      shown: page.items.length,
      fresh,
      totalCount: page.totalCount,
      hasNextPage: page.hasNextPage,
      pageSize: Math.min(pageSize, page.pageSize !== null && page.pageSize > 0 ? page.pageSize : pageSize),
    };
  }

  async #take(reading: number, { status, asked }: ListQuery, { items }: InvoicePage): Promise<number> {
    const { source, sink } = this.#options;
    const ids = new Set<string>();
    const paid: ListedPayment[] = [];
    let unusable = 0;
    for (const item of items) {
      const payment = listedPayment(item, asked, source.timeZone);
      const says = item.status?.trim() || status;
      // Without a status it is what was asked for; where nothing was, it has to be asked about.
      const isPaid = says === null || this.#paid.has(plain(says));
      if (payment === null) {
        unusable += 1;
        const { id, amount, datePaid } = item;
        if (isPaid)
          this.unusable.set(`${id} ${amount} ${datePaid}`, { id, amount, datePaid, status: item.status });
        continue;
      }
      ids.add(payment.invoiceId);
      if (isPaid) paid.push(payment);
    }
    return unusable + (await sink.take(reading, [...ids], paid));
  }

  /** @returns null for a page past the end that the provider does not know. */
  async #page(query: ListQuery, page: number, pageSize: number): Promise<InvoicePage | null> {
    const { source, collectionId, beforePage, onRefusal, tries = 1, signal } = this.#options;
    const { period, status, asked } = query;
    const request: PageRequest = {
      collectionId,
      page,
      pageSize,
      ...(period === null ? {} : { startDate: period.first, endDate: period.last }),
      ...(status === null ? {} : { invoiceStatus: status }),
      ...(asked === null ? {} : { invoiceType: asked }),
    };
    for (let attempt = 1; ; attempt += 1) {
      await beforePage();
      const answer = await source.provider.readPage(request, { signal });
      if (answer.kind === "page") {
        this.pages += 1;
        return answer.page;
      }
      if (answer.kind === "not_found" && page > 1) return null;
      const error = new ListUnreadable(`Get Collection Invoices of ${collectionId}`, answer);
      await onRefusal?.(error);
      if (attempt >= tries || error.next !== "retry" || signal.aborted) throw error;
      await wait(backOffMs(attempt, TRY_AGAIN), undefined, { signal });
    }
  }
}
