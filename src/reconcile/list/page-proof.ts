/** What one page says of the list. */
export interface PageFacts {
  /** Items on it. */
  shown: number;
  /** Of those, the ones that no page of this reading has shown before. */
  fresh: number;
  totalCount: number | null;
  hasNextPage: boolean | null;
  /** The most items of a page: what was asked for, or less where the provider says so. */
  pageSize: number;
}

/** A list that goes on for longer has no end. */
const MOST_PAGES = 100_000;

/**
 * Whether one reading of a list proves itself whole. Pages are read forwards and, where there are several, backwards:
 * what slips from an unread page to a read one as others leave the list is met on the way back. A list that only
 * grows meanwhile loses nothing on the way forwards. Where pages contradict each other, it is read on past its end.
 */
export class PageProof {
  #read = 0;
  #pages = 0;
  #firstCount: number | null = null;
  #lastCount: number | null = null;
  #repeats = false;
  #claimedEnd = false;
  #contradiction: string | null = null;

  /** The next page forwards. @returns whether there is another one to ask for. */
  forwards(page: PageFacts): boolean {
    this.#pages += 1;
    // The count of a page past the end may be that page's own.
    if (page.shown > 0 || this.#pages === 1) this.#counts(page.totalCount);
    if (page.fresh < page.shown) this.#repeats = true;
    this.#read += page.fresh;
    if (page.shown === 0) {
      if (page.hasNextPage === true) this.#contradicts("an empty page says that another follows");
      return false;
    }
    if (page.fresh === 0) {
      this.#contradicts("a page shows only what others showed");
      return false;
    }
    if (this.#pages >= MOST_PAGES) {
      this.#contradicts(`it does not end within ${MOST_PAGES} pages`);
      return false;
    }
    if (this.#claimedEnd) this.#contradicts("it goes on past its end");
    return !this.#isEnd(page);
  }

  /** A page once more, on the way back. */
  backwards({ fresh, totalCount }: PageFacts): void {
    this.#counts(totalCount);
    this.#read += fresh;
    if (fresh > 0 && !this.#grew) this.#contradicts("it changed while it was read");
  }

  /** How many items it held when it was read. */
  get read(): number {
    return this.#read;
  }

  /** Once all is read: why it is not to be believed, in plain words; null when it is whole. */
  get contradiction(): string | null {
    if (this.#contradiction !== null) return this.#contradiction;
    const [read, count] = [this.#read, this.#firstCount];
    if (count !== null && (this.#grew ? read < count : read !== count))
      return `it says ${count} and shows ${read}`;
    return this.#repeats && !this.#grew ? "an invoice stands on it twice" : null;
  }

  #isEnd({ shown, totalCount, hasNextPage, pageSize }: PageFacts): boolean {
    const count = totalCount ?? this.#lastCount;
    const isCounted = count !== null && this.#read >= count;
    // What came meanwhile may stand on a page that was read before.
    const least = this.#grew ? this.#firstCount : count;
    if (hasNextPage === true && isCounted) this.#contradicts("it says that more follows than it counts");
    if (hasNextPage === false && least !== null && this.#read < least)
      this.#contradicts(`it ends after ${this.#read} of ${least}`);
    if (hasNextPage === true || (hasNextPage === null && !isCounted)) return false;
    // Without a count, and after a full page, only an empty page is an end.
    this.#claimedEnd = true;
    return least !== null && this.#read >= least && shown < pageSize;
  }

  get #grew(): boolean {
    return this.#firstCount !== null && this.#lastCount !== null && this.#lastCount > this.#firstCount;
  }

  #counts(count: number | null): void {
    if (count === null) return;
    if (this.#lastCount !== null && count < this.#lastCount)
      this.#contradicts(`its count fell from ${this.#lastCount} to ${count}`);
    this.#firstCount ??= count;
    this.#lastCount = count;
  }

  #contradicts(why: string): void {
    this.#contradiction ??= why;
  }
}
