export interface PageFacts {
  /** Items on it. */
  shown: number;
  /** Items that no page of this reading has shown before. */
  fresh: number;
  totalCount: number | null;
  hasNextPage: boolean | null;
  /** The page size: what was requested, or less if the provider says so. */
  pageSize: number;
}

/** A list with more pages than this is taken as endless. */
const PAGE_LIMIT = 100_000;

/**
 * Decides whether one reading of a list was complete. When items leave the list, others move from an unread
 * page to one already read: its count falls, or shows more than was read. If the list only grows, nothing is
 * missed going forwards. A list without a count shows nothing.
 */
export class PageProof {
  #read = 0;
  #pages = 0;
  #firstCount: number | null = null;
  #lastCount = 0;
  #repeats = false;
  #contradiction: string | null = null;

  /** Takes the next page. @returns whether to request another one. */
  takes({ shown, fresh, totalCount, hasNextPage, pageSize }: PageFacts): boolean {
    this.#pages += 1;
    // Past the end, the count may refer to that page alone.
    if (shown > 0 || this.#pages === 1) this.#counts(totalCount);
    this.#read += fresh;
    if (fresh < shown) this.#repeats = true;
    if (shown === 0) {
      if (hasNextPage === true) this.#contradicts("an empty page says that another one follows");
      return false;
    }
    if (fresh === 0) {
      this.#contradicts("a page repeats only what others showed");
      return false;
    }
    if (this.#pages >= PAGE_LIMIT) {
      this.#contradicts(`it does not end within ${PAGE_LIMIT} pages`);
      return false;
    }
    // New items may be on a page that was already read.
    const least = hasNextPage === false ? (this.#firstCount ?? 0) : this.#lastCount;
    if (hasNextPage === true && this.#read >= least)
      this.#contradicts("it says that more follows than its count");
    if (hasNextPage === false && this.#read < least)
      this.#contradicts(`it ends after ${this.#read} of ${least}`);
    // Pages that contradict each other are read on, and after a full last page the next one has to be empty.
    return hasNextPage === true || shown >= pageSize || this.#read < least || this.#firstCount === null;
  }

  /** After reading: why it cannot be trusted, in plain words; null when it is complete. */
  get contradiction(): string | null {
    if (this.#contradiction !== null) return this.#contradiction;
    const [read, count] = [this.#read, this.#firstCount ?? 0];
    if (this.#grew ? read < count : read !== count) return `it says ${count} and shows ${read}`;
    return this.#repeats && !this.#grew ? "it shows an invoice twice" : null;
  }

  get #grew(): boolean {
    return this.#lastCount > (this.#firstCount ?? 0);
  }

  #counts(count: number | null): void {
    if (count === null) {
      if (this.#firstCount === null) this.#contradicts("it gives no count");
      return;
    }
    if (count < this.#lastCount) this.#contradicts(`its count fell from ${this.#lastCount} to ${count}`);
    this.#firstCount ??= count;
    this.#lastCount = count;
  }

  #contradicts(why: string): void {
    this.#contradiction ??= why;
  }
}
