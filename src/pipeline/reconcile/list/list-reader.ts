import { hash } from "node:crypto";
import { RelayError } from "../../../platform/errors/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { daysBetween } from "../../../platform/values/index.ts";
import type { InvoicePage, NotFound, PageRequest, Refusal } from "../../../provider/index.ts";
import { type StatusSets, statusSets } from "../../confirm/index.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { halvesOf, type ListPeriod, partsOf } from "./list-dates.ts";
import { type ListedPayment, type ListFilter, listedPayment, mayBePaid } from "./listed-payment.ts";
import { type PageFacts, PageProof } from "./page-proof.ts";

/** Takes what a page shows. @param payments those that may be paid. @param ids all of them. */
type ListSink = (payments: readonly ListedPayment[], ids: readonly string[]) => Promise<void>;

/** A part of the list that could not be shown to be complete. */
export interface Unproven extends ListPeriod {
  why: string;
}

export const describeUnproven = ({ first, last, why }: Unproven): string => `${first} to ${last}: ${why}`;

export interface ListReaderOptions {
  source: ReconcileSource;
  collectionId: string;
  sink: ListSink;
  /** Makes each call for a page, as `ListPace` does. */
  call: <Result>(call: () => Promise<Result>) => Promise<Result>;
  onPage?: () => void;
  signal: AbortSignal;
}

/** The part of a list to request; without a status: all of them. */
interface ListQuery extends ListFilter {
  period: ListPeriod;
}

/** About so many items are read at once at most, of which a process keeps the ids (G8). */
const READING_LIMIT = 100_000;

/** The days of a part, where the list does not say how much there is. */
const PART_DAYS = 7;

/**
 * A reading that contradicts itself is repeated with shorter periods, and finally with other page sizes.
 */
const PAGE_SIZE = 100;
const LAST_PAGE_SIZES = [100, 40, 250];

const NO_PAGE: InvoicePage = {
  items: [],
  ...{ page: null, pageSize: null, totalCount: null, hasNextPage: null, hasPreviousPage: null },
};

const ALL: ListFilter = { status: null };

/** Reads the provider's list of one collection, and reports what could not be shown to be complete. */
export class ListReader {
  readonly #options: ListReaderOptions;
  readonly #sets: StatusSets;
  /** Pages read so far. */
  pages = 0;
  /** Items that may be paid and have no usable id, as often as a page showed one. */
  unusable = 0;

  constructor(options: ListReaderOptions) {
    this.#options = options;
    this.#sets = statusSets(options.source);
  }

  /**
   * The parts in which to read a period, the newest first, and how many items the list counts in it.
   * @param areSmall when not all can be read.
   */
  async partsOf(
    period: ListPeriod,
    areSmall = false,
  ): Promise<{ parts: ListPeriod[]; count: number | null }> {
    const count = areSmall ? null : await this.count({ ...ALL, period });
    const days = daysBetween(period.first, period.last);
    const parts = partsOf(period, Math.ceil(count === null ? days / PART_DAYS : count / READING_LIMIT));
    return { parts, count };
  }

  /**
   * Reads everything of the period that may be paid, each payment twice where the lists agree: the lists of
   * paid invoices, and the list of all under any status.
   * @returns the parts whose readings all contradicted themselves.
   * @throws ListUnreadable; what the sink has received by then is valid but incomplete.
   */
  async readWhole(period: ListPeriod): Promise<Unproven[]> {
    return [...(await this.readPaid(period)), ...(await this.readNew(period))];
  }

  /** The same of what has just come in: the list of all shows it. */
  readNew(period: ListPeriod): Promise<Unproven[]> {
    return this.#part(ALL, period);
  }

  /** The same of the lists of paid invoices alone. */
  async readPaid(period: ListPeriod): Promise<Unproven[]> {
    const unproven: Unproven[] = [];
    for (const status of this.#paidStatuses) unproven.push(...(await this.#part({ status }, period)));
    return unproven;
  }

  /** The number of paid invoices according to the lists; null when one does not say. */
  async countPaid(period: ListPeriod): Promise<number | null> {
    let paid: number | null = 0;
    for (const status of this.#paidStatuses) {
      const count: number | null = await this.count({ status, period });
      paid = paid === null || count === null ? null : paid + count;
    }
    return paid;
  }

  get #paidStatuses(): string[] {
    return this.#options.source.paidStatuses.map((status) => status.trim());
  }

  /** The number of items according to the list; null when it does not say. */
  async count(query: ListQuery): Promise<number | null> {
    try {
      return (await this.#page(query, 1, 1)).totalCount;
    } catch (error) {
      if (error instanceof ListUnreadable && error.next === "refuse") return null;
      throw error;
    }
  }

  async #part(query: ListFilter, period: ListPeriod): Promise<Unproven[]> {
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

  /** Reads the list once. @returns why the reading cannot be trusted; null when it is complete. */
  async #once(query: ListQuery, pageSize: number): Promise<string | null> {
    const shown = new Set<string>();
    const proof = new PageProof();
    try {
      for (let page = 1; proof.takes(await this.#facts(shown, query, page, pageSize)); page += 1);
      return proof.contradiction;
    } catch (error) {
      // The answer is unusable, but the days around it can still be read.
      if (error instanceof ListUnreadable && error.refusal.kind === "outside_contract") return error.message;
      throw error;
    }
  }

  /** @param shown what this reading has shown: each item counts once. */
  async #facts(shown: Set<string>, query: ListQuery, number: number, pageSize: number): Promise<PageFacts> {
    const page = await this.#page(query, number, pageSize);
    const fresh = await this.#take(shown, query, page);
    return {
      shown: page.items.length,
      fresh,
      totalCount: page.totalCount,
      hasNextPage: page.hasNextPage,
      pageSize: Math.min(pageSize, page.pageSize !== null && page.pageSize > 0 ? page.pageSize : pageSize),
    };
  }

  /** @returns how many items this reading has not shown before. */
  async #take(shown: Set<string>, query: ListQuery, { items }: InvoicePage): Promise<number> {
    const { source, sink } = this.#options;
    const terms = { ...this.#sets, timeZone: source.timeZone };
    const ids = new Set<string>();
    const payments: ListedPayment[] = [];
    const before = shown.size;
    for (const item of items) {
      const payment = listedPayment(item, query, terms);
      const isCandidate = mayBePaid(item, query.status, terms);
      shown.add(payment?.invoiceId ?? hash("sha256", JSON.stringify(item), "base64url"));
      if (payment !== null) ids.add(payment.invoiceId);
      if (isCandidate && payment !== null) payments.push(payment);
      if (isCandidate && payment === null) this.unusable += 1;
    }
    await sink(payments, [...ids]);
    return shown.size - before;
  }

  /** A page past the end that the provider answers with "not found" is an empty one. */
  #page(query: ListQuery, page: number, pageSize: number): Promise<InvoicePage> {
    const { source, collectionId, call, signal, onPage = () => undefined } = this.#options;
    const { period, status } = query;
    const request: PageRequest = {
      collectionId,
      page,
      pageSize,
      ...{ startDate: period.first, endDate: period.last },
      ...(status === null ? {} : { invoiceStatus: status }),
    };
    return call(async () => {
      failpoint("page to be asked for");
      const answer = await source.provider.readPage(request, { signal });
      failpoint("page answered");
      if (answer.kind === "page") {
        this.pages += 1;
        onPage();
        return answer.page;
      }
      if (answer.kind === "not_found" && page > 1) return NO_PAGE;
      throw new ListUnreadable(`Collection ${collectionId}`, answer);
    });
  }
}

/** The provider did not return the list. */
export class ListUnreadable extends RelayError {
  readonly refusal: NotFound | Refusal;

  /** @param what what was to be read. */
  constructor(what: string, refusal: NotFound | Refusal) {
    const error = "error" in refusal ? refusal.error : "stopped";
    const next = NEXT[refusal.kind];
    super(`${what}: ${error}`, { next, code: next === "retry" ? "provider_away" : "failed" });
    this.refusal = refusal;
  }
}

const NEXT = {
  rate_limited: "retry",
  fault: "retry",
  interrupted: "retry",
  key_refused: "pause",
  outside_contract: "refuse",
  not_found: "refuse",
} as const;
