import { hash } from "node:crypto";
import { type StatusSets, statusSets } from "../../confirm/invoices/confirmed-invoice.ts";
import { RelayError } from "../../kit/errors.ts";
import { step } from "../../kit/step.ts";
import { shortText } from "../../kit/text.ts";
import type { InvoicePage, NotFound, PageRequest, Refusal } from "../../provider/provider.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import { halvesOf, type ListPeriod } from "./list-period.ts";
import { type AskedType, type ListedPayment, listedPayment, mayBePaid } from "./listed-payment.ts";
import { type PageFacts, PageProof } from "./page-proof.ts";

/**
 * Begins a reading of a list, and takes its pages.
 * @param payments those that may be paid. @returns how many ids this reading has not shown before.
 */
export type ListSink = () => (ids: readonly string[], payments: readonly ListedPayment[]) => Promise<number>;

/** A reading that is under way. */
interface Begun {
  take: ReturnType<ListSink>;
  /** What the items without a usable id say, so that each counts once. */
  unusable: Set<string>;
}

/** @returns those of the ids that it was not given before. */
export function takenOnce(): (ids: readonly string[]) => string[] {
  const taken = new Set<string>();
  return (ids) => {
    const fresh = [...new Set(ids).difference(taken)];
    for (const id of fresh) taken.add(id);
    return fresh;
  };
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

export interface ListReaderOptions {
  source: ReconcileSource;
  collectionId: string;
  sink: ListSink;
  /** Makes each call for a page, as `ListPace` does. */
  call: <Result>(call: () => Promise<Result>) => Promise<Result>;
  signal: AbortSignal;
}

/** What to request; without days, or without a status: all of them. */
interface ListQuery {
  period: ListPeriod | null;
  status: string | null;
  asked: AskedType;
}

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

/** Reads the provider's list of one collection, and reports what could not be shown to be complete. */
export class ListReader {
  readonly #options: ListReaderOptions;
  readonly #sets: StatusSets;
  /** Pages read so far, and those of the list of all. */
  pages = 0;
  pagesOfAll = 0;
  /** Items without a usable invoice id, each once: one more than the limit says that not all are kept. */
  readonly unusable = new Map<string, Unusable>();

  constructor(options: ListReaderOptions) {
    this.#options = options;
    this.#sets = statusSets(options.source);
  }

  /**
   * Passes everything of the period that may be paid to the sink: what the lists of paid invoices show, for
   * each type, and what the list of all shows, whatever it calls them.
   * @returns and throws as `read` does.
   */
  async readWhole(period: ListPeriod, types: readonly AskedType[]): Promise<Unproven[]> {
    return [...(await this.read(period, types)), ...(await this.readUnfiltered(period))];
  }

  /**
   * Reads the lists of paid invoices, for each type.
   * @returns the parts whose readings all contradicted themselves.
   * @throws ListUnreadable; what the sink has received by then is valid but incomplete.
   */
  async read(period: ListPeriod, types: readonly AskedType[]): Promise<Unproven[]> {
    const unproven: Unproven[] = [];
    for (const status of this.#options.source.paidStatuses)
      for (const asked of types)
        unproven.push(...(await this.#part({ period, status: status.trim(), asked }, period)));
    return unproven;
  }

  /** The same with the list of all. */
  async readUnfiltered(period: ListPeriod): Promise<Unproven[]> {
    const before = this.pages;
    const unproven = await this.#part({ period, status: null, asked: null }, period);
    this.pagesOfAll += this.pages - before;
    return unproven;
  }

  /**
   * The number of items according to the list; null when it does not say. The sink also receives the first
   * page.
   */
  async count(query: ListQuery): Promise<number | null> {
    try {
      const page = await this.#page(query, 1, PAGE_SIZE);
      await this.#take(this.#begin(), query, page);
      return page.totalCount;
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

  #begin = (): Begun => ({ take: this.#options.sink(), unusable: new Set() });

  /** One reading. @returns why it cannot be trusted; null when it is complete. */
  async #once(query: ListQuery, pageSize: number): Promise<string | null> {
    const begun = this.#begin();
    const proof = new PageProof();
    try {
      let last = 1;
      for (let more = true; more; last += 1)
        more = proof.forwards(await this.#facts(begun, query, last, pageSize));
      for (let page = last - 2; page >= 1; page -= 1)
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

  async #take({ take, unusable }: Begun, query: ListQuery, { items }: InvoicePage): Promise<number> {
    const { source } = this.#options;
    const terms = { ...this.#sets, timeZone: source.timeZone };
    const ids = new Set<string>();
    const payments: ListedPayment[] = [];
    const before = unusable.size;
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
      ids.add(payment.invoiceId);
      if (isCandidate) payments.push(payment);
    }
    return unusable.size - before + (await take([...ids], payments));
  }

  /** A page past the end that the provider answers with "not found" is an empty one. */
  #page(query: ListQuery, page: number, pageSize: number): Promise<InvoicePage> {
    const { source, collectionId, call, signal } = this.#options;
    const { period, status, asked } = query;
    const request: PageRequest = {
      collectionId,
      page,
      pageSize,
      ...(period === null ? {} : { startDate: period.first, endDate: period.last }),
      ...(status === null ? {} : { invoiceStatus: status }),
      ...(asked === null ? {} : { invoiceType: asked }),
    };
    return call(async () => {
      step("page to be asked for");
      const answer = await source.provider.readPage(request, { signal });
      step("page answered");
      if (answer.kind === "page") {
        this.pages += 1;
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
