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
 * page to one already read: its count falls, or shows more than was read. A list without counts is read
 * backwards as well, which finds them. If the list only grows, nothing is missed going forwards. If pages
 * contradict each other, reading continues past the end.
 */
export class PageProof {
  #read = 0;
  #pages = 0;
  #firstCount: number | null = null;
  #lastCount: number | null = null;
  #repeats = false;
  #saidMore = false;
  #claimedEnd = false;
  #contradiction: string | null = null;

  /** Takes the next page forwards. @returns whether to request another one. */
  forwards(page: PageFacts): boolean {
    this.#pages += 1;
    // Past the end, the count may refer to that page alone.
    if (page.shown > 0 || this.#pages === 1) this.#counts(page.totalCount);
    if (page.fresh < page.shown) this.#repeats = true;
    this.#read += page.fresh;
    if (page.shown === 0) {
      if (page.hasNextPage === true) this.#contradicts("an empty page says that another one follows");
      if (this.#saidMore) this.#contradicts("it says that more follows, and shows nothing more");
      return false;
    }
    if (page.fresh === 0) {
      this.#contradicts("a page repeats only what others showed");
      return false;
    }
    if (this.#pages >= PAGE_LIMIT) {
      this.#contradicts(`it does not end within ${PAGE_LIMIT} pages`);
      return false;
    }
    this.#saidMore = page.hasNextPage === true;
    if (this.#claimedEnd) this.#contradicts("it continues past its end");
    return !this.#isEnd(page);
  }

  /** Whether the pages are to be read again, on the way back. */
  get needsReturn(): boolean {
    return this.#firstCount === null;
  }

  /** Takes a page again, on the way back. */
  backwards({ fresh, totalCount }: PageFacts): void {
    this.#counts(totalCount);
    this.#read += fresh;
    if (fresh > 0 && !this.#grew) this.#contradicts("it changed while it was read");
  }

  get read(): number {
    return this.#read;
  }

  /** After reading: why it cannot be trusted, in plain words; null when it is complete. */
  get contradiction(): string | null {
    if (this.#contradiction !== null) return this.#contradiction;
    const [read, count] = [this.#read, this.#firstCount];
    if (count !== null && (this.#grew ? read < count : read !== count))
      return `it says ${count} and shows ${read}`;
    return this.#repeats && !this.#grew ? "it shows an invoice twice" : null;
  }

  #isEnd({ shown, totalCount, hasNextPage, pageSize }: PageFacts): boolean {
    const count = totalCount ?? this.#lastCount;
    const isCounted = count !== null && this.#read >= count;
    // New items may be on a page that was already read.
    const least = this.#grew ? this.#firstCount : count;
    if (hasNextPage === true && isCounted) this.#contradicts("it says that more follows than its count");
    if (hasNextPage === false && least !== null && this.#read < least)
      this.#contradicts(`it ends after ${this.#read} of ${least}`);
    if (hasNextPage === true || (hasNextPage === null && !isCounted)) return false;
    // Without a count, a full page is followed by another; only an empty page is the end.
    this.#claimedEnd = true;
    return least !== null && this.#read >= least && shown < pageSize;
  }

  get #grew(): boolean {
    return (this.#lastCount ?? 0) > (this.#firstCount ?? 0);
  }

  #counts(count: number | null): void {
    if (count === null) return;
    if (count < (this.#lastCount ?? 0))
      this.#contradicts(`its count fell from ${this.#lastCount} to ${count}`);
    this.#firstCount ??= count;
    this.#lastCount = count;
  }

  #contradicts(why: string): void {
    this.#contradiction ??= why;
  }
}
