import { hash } from "node:crypto";
import { RelayError } from "../../../platform/errors/index.ts";
import { failpoint } from "../../../platform/process/index.ts";
import { daysBetween, shortText } from "../../../platform/values/index.ts";
import type { InvoicePage, NotFound, PageRequest, Refusal } from "../../../provider/index.ts";
import { type StatusSets, statusSets } from "../../confirm/index.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { halvesOf, type ListPeriod, partsOf } from "./list-dates.ts";
import { type ListedPayment, type ListFilter, listedPayment, mayBePaid } from "./listed-payment.ts";
import { type PageFacts, PageProof } from "./page-proof.ts";

/** Takes what a page shows. @param payments those that may be paid. @param ids all of them. */
type ListSink = (payments: readonly ListedPayment[], ids: readonly string[]) => Promise<void>;

/** A reading that is under way: what it has shown, so that each counts once. */
interface Begun {
  ids: IdSet;
  /** The texts of items without a usable id. */
  unusable: Set<string>;
}

/** A part of the list that could not be shown to be complete. */
export interface Unproven extends ListPeriod {
  why: string;
  /** The provider did not answer with it; else it contradicts itself. */
  isUnread?: boolean;
}

export const describeUnproven = ({ first, last, why }: Unproven): string => `${first} to ${last}: ${why}`;

/** An item without a usable invoice id: where it is, and its other fields. */
export interface Unusable {
  id: string;
  status: string | null;
  amount: string | null;
  datePaid: string | null;
}

/** Called for each page that is read. @param expected pages in all, where that is known */
type OnPage = (expected: number | null) => void;

/** The progress of a reading, in pages. */
export type OnPages = (done: number, total: number | null) => void;

export interface ListReaderOptions {
  source: ReconcileSource;
  collectionId: string;
  sink: ListSink;
  /** Makes each call for a page, as `ListPace` does. */
  call: <Result>(call: () => Promise<Result>) => Promise<Result>;
  onPage?: OnPage;
  /**
   * Items of a page that was requested for its count alone count too: they may be gone from the next page.
   */
  takesCounts?: boolean;
  signal: AbortSignal;
}

/** The part of a list to request; without days, or without a status: all of them. */
interface ListQuery extends ListFilter {
  period: ListPeriod | null;
}

/**
 * About so many items are read at once at most, of which a process keeps the ids (G8). Many days at once cost
 * the provider the fewest pages: parts share days.
 */
const READING_LIMIT = 1_000_000;

/** The days of a part, where the list does not say how much there is. */
const PART_DAYS = 7;

/**
 * A reading that contradicts itself is repeated with shorter periods, and finally with other page sizes.
 */
const PAGE_SIZE = 100;
const LAST_PAGE_SIZES = [100, 40, 250];

/** So many items without a usable id are kept (G8). */
export const UNUSABLE_LIMIT = 1_000;

const NO_PAGE: InvoicePage = {
  items: [],
  ...{ page: null, pageSize: null, totalCount: null, hasNextPage: null, hasPreviousPage: null },
};

const ALL: ListFilter = { status: null, type: null };

/** Reads the provider's list of one collection, and reports what could not be shown to be complete. */
export class ListReader {
  readonly #options: ListReaderOptions;
  readonly #sets: StatusSets;
  /** Pages read so far, and those of the list of all. */
  pages = 0;
  pagesOfAll = 0;
  #expected: number | null = null;
  /** Items without a usable invoice id, each once: one more than the limit says that not all are kept. */
  readonly unusable = new Map<string, Unusable>();

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
    // The paid ones and all of them, where most are paid.
    if (count !== null) this.#expected = 2 * Math.ceil(count / PAGE_SIZE);
    const days = daysBetween(period.first, period.last);
    const parts = partsOf(period, Math.ceil(count === null ? days / PART_DAYS : count / READING_LIMIT));
    return { parts, count };
  }

  /**
   * Reads everything of the period that may be paid, each payment twice where the lists agree: the lists of
   * paid invoices, the list of all under any status, and the Test ones.
   * @returns the parts whose readings all contradicted themselves.
   * @throws ListUnreadable; what the sink has received by then is valid but incomplete.
   */
  async readWhole(period: ListPeriod): Promise<Unproven[]> {
    return [...(await this.readPaid(period)), ...(await this.readNew(period))];
  }

  /** The same of what has just come in: the list of all shows it, and that of Test invoices. */
  async readNew(period: ListPeriod): Promise<Unproven[]> {
    const before = this.pages;
    const unproven = await this.#part(ALL, period);
    this.pagesOfAll += this.pages - before;
    return [...unproven, ...(await this.readPaid(period, "Test"))];
  }

  /** The same of the lists of paid invoices alone. */
  async readPaid(period: ListPeriod, type: ListFilter["type"] = null): Promise<Unproven[]> {
    const unproven: Unproven[] = [];
    for (const status of this.#paidStatuses) unproven.push(...(await this.#part({ status, type }, period)));
    return unproven;
  }

  /** The number of paid invoices according to the lists; null when one does not say. */
  async countPaid(period: ListPeriod): Promise<number | null> {
    let paid: number | null = 0;
    for (const status of this.#paidStatuses) {
      const count: number | null = await this.count({ status, type: null, period });
      paid = paid === null || count === null ? null : paid + count;
    }
    return paid;
  }

  get #paidStatuses(): string[] {
    return this.#options.source.paidStatuses.map((status) => status.trim());
  }

  /**
   * The number of items according to the list; null when it does not say.
   * @param takes the sink receives the first page; else a page of one is requested, for the count alone.
   */
  async count(query: ListQuery, takes = false): Promise<number | null> {
    try {
      const page = await this.#page(query, 1, takes ? PAGE_SIZE : 1);
      if (takes || this.#options.takesCounts)
        await this.#take({ ids: new IdSet(), unusable: new Set() }, query, page);
      return page.totalCount;
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
    const begun: Begun = { ids: new IdSet(), unusable: new Set() };
    const proof = new PageProof();
    try {
      let last = 1;
      for (let more = true; more; last += 1)
        more = proof.forwards(await this.#facts(begun, query, last, pageSize));
      for (let page = proof.needsReturn ? last - 2 : 0; page >= 1; page -= 1)
        proof.backwards(await this.#facts(begun, query, page, pageSize));
      return proof.contradiction;
    } catch (error) {
      // The answer is unusable, but the days around it can still be read.
      if (error instanceof ListUnreadable && error.refusal.kind === "outside_contract") return error.message;
      throw error;
    }
  }

  async #facts(begun: Begun, query: ListQuery, number: number, pageSize: number): Promise<PageFacts> {
    const page = await this.#page(query, number, pageSize);
    const fresh = await this.#take(begun, query, page);
    return {
      shown: page.items.length,
      fresh,
      totalCount: page.totalCount,
      hasNextPage: page.hasNextPage,
      pageSize: Math.min(pageSize, page.pageSize !== null && page.pageSize > 0 ? page.pageSize : pageSize),
    };
  }

  /** @returns how many items this reading has not shown before. */
  async #take({ ids, unusable }: Begun, query: ListQuery, { items }: InvoicePage): Promise<number> {
    const { source, sink } = this.#options;
    const terms = { ...this.#sets, timeZone: source.timeZone };
    const shown = new Set<string>();
    const payments: ListedPayment[] = [];
    const before = ids.size + unusable.size;
    for (const item of items) {
      const payment = listedPayment(item, query, terms);
      const isCandidate = mayBePaid(item, query.status, terms);
      if (payment === null) {
        const { id, title, amount, status, payerName, payerEmail, dateCreated, datePaid } = item;
        const said = [id, title, amount, payerName, payerEmail, dateCreated, datePaid];
        const key = hash("sha256", JSON.stringify(said), "base64url");
        if (unusable.size <= UNUSABLE_LIMIT) unusable.add(key);
        if (isCandidate && this.unusable.size <= UNUSABLE_LIMIT)
          this.unusable.set(key, { id: shortText(id, 60), amount, datePaid, status });
        continue;
      }
      shown.add(payment.invoiceId);
      ids.add(payment.invoiceId);
      if (isCandidate) payments.push(payment);
    }
    await sink(payments, [...shown]);
    return ids.size + unusable.size - before;
  }

  /** A page past the end that the provider answers with "not found" is an empty one. */
  #page(query: ListQuery, page: number, pageSize: number): Promise<InvoicePage> {
    const { source, collectionId, call, signal, onPage = () => undefined } = this.#options;
    const { period, status, type } = query;
    const request: PageRequest = {
      collectionId,
      page,
      pageSize,
      ...(period === null ? {} : { startDate: period.first, endDate: period.last }),
      ...(status === null ? {} : { invoiceStatus: status }),
      ...(type === null ? {} : { invoiceType: type }),
    };
    return call(async () => {
      failpoint("page to be asked for");
      const answer = await source.provider.readPage(request, { signal });
      failpoint("page answered");
      if (answer.kind === "page") {
        this.pages += 1;
        onPage(this.#expected === null ? null : Math.max(this.#expected, this.pages));
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

const FIRST_SLOTS = 1_024;

/**
 * The ids that a reading has shown, in 8 to 32 bytes each outside the heap (G8): a list may have a million. Half
 * of an id's bits stand for it. Two of a million agree in those once in forty million readings, and then the
 * reading is taken as one that contradicts itself.
 */
export class IdSet {
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param id a UUID in lower case. */
  add(id: string): void {
    const part = (begin: number, end: number) => Number.parseInt(id.slice(begin, end), 16);
    const low = (part(0, 8) ^ part(28, 36)) >>> 0;
    // No slot that is taken is zero.
    const high = ((part(9, 13) * 65_536 + part(14, 18)) ^ (part(19, 23) * 65_536 + part(24, 28))) >>> 0 || 1;
    if (!place(this.#slots, low, high)) return;
    this.#size += 1;
    if (4 * this.#size > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [low = 0, high = 0] = [old[at], old[at + 1]];
      if (high !== 0) place(this.#slots, low, high);
    }
  }
}

/** @returns whether it was not there. */
function place(slots: Uint32Array, low: number, high: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = (low ^ Math.imul(high, 0x9e37_79b1)) & mask; ; slot = (slot + 1) & mask) {
    if (slots[2 * slot + 1] === 0) {
      slots[2 * slot] = low;
      slots[2 * slot + 1] = high;
      return true;
    }
    if (slots[2 * slot] === low && slots[2 * slot + 1] === high) return false;
  }
}
