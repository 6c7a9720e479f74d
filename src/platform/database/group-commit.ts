import { isCollision, isLostConnection, isRefusedData, RelayError } from "../errors/index.ts";

interface GroupCommitOptions<Item> {
  /**
   * Writes all of them in one transaction, or throws and leaves nothing behind. It may be repeated after a commit
   * of unknown outcome without doing anything twice.
   */
  write(items: readonly Item[]): Promise<void>;
  /** The most items of one transaction. */
  maxBatch: number;
  /** The most transactions under way at once. */
  maxInFlight: number;
  /** How long an item waits for others, in ms; 0 when left out. Each commit saved is one that a request can have. */
  lingerMs?: number;
  /** The most items waiting; beyond them one is refused with QueueFull. */
  maxWaiting: number;
  /** Of items that may be large: the most of one transaction, and of all that wait. */
  bytes?: { of: (item: Item) => number; perBatch: number; waiting: number };
}

/** How often a batch is tried again that Postgres rolled back for another transaction's sake. */
const RETRY_LIMIT = 5;

/** The queue in front of the commit is full: nothing of this item was written. */
class QueueFull extends RelayError {
  constructor() {
    super("Too many writes are waiting for the database. Try again shortly.", { next: "retry" });
  }
}

interface Waiting<Item> {
  item: Item;
  size: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Many small writes in few commits: items that arrive during a commit go into the next one, so that an idle system
 * commits at once and a busy one in large batches, without a timer. A batch that Postgres refuses for its data is
 * split until the bad item stands alone: its neighbours are written. A batch that Postgres rolled back for another
 * transaction's sake is written again.
 */
export class GroupCommit<Item> {
  readonly #options: GroupCommitOptions<Item>;
  #waiting: Waiting<Item>[] = [];
  #waitingBytes = 0;
  #inFlight = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options;
  }

  /** How many items are neither written nor being written. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves once the item is committed. @throws QueueFull, or the error that the write failed with. */
  add(item: Item): Promise<void> {
    const { maxWaiting, bytes } = this.#options;
    const size = bytes?.of(item) ?? 0;
    if (this.#waiting.length >= maxWaiting || (bytes && this.#waitingBytes + size > bytes.waiting))
      return Promise.reject(new QueueFull());
    this.#waitingBytes += size;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, size, resolve, reject });
      this.#schedule();
    });
  }

  // A turn of the event loop later, so that all items of this turn share the commit.
  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#options.maxInFlight) return;
    this.#scheduled = true;
    const start = () => {
      this.#scheduled = false;
      this.#start();
    };
    const { lingerMs = 0 } = this.#options;
    if (lingerMs > 0) setTimeout(start, lingerMs);
    else setImmediate(start);
  }

  get #mayStart(): boolean {
    return this.#waiting.length > 0 && this.#inFlight < this.#options.maxInFlight;
  }

  #start(): void {
    while (this.#mayStart) {
      const batch = this.#nextBatch();
      this.#inFlight += 1;
      void this.#write(batch).finally(() => {
        this.#inFlight -= 1;
        this.#schedule();
      });
    }
  }

  #nextBatch(): Waiting<Item>[] {
    const { maxBatch, bytes = { perBatch: 0 } } = this.#options;
    let [count, size] = [0, 0];
    for (const waiting of this.#waiting) {
      if (count === maxBatch || (count > 0 && size + waiting.size > bytes.perBatch)) break;
      count += 1;
      size += waiting.size;
    }
    this.#waitingBytes -= size;
    return this.#waiting.splice(0, count);
  }

  async #write(batch: Waiting<Item>[], { mayRepeat = true, collisions = 0 } = {}): Promise<void> {
    try {
      await this.#options.write(batch.map((waiting) => waiting.item));
    } catch (error) {
      if (isRefusedData(error) && batch.length > 1) {
        const middle = batch.length >> 1;
        await this.#write(batch.slice(0, middle), { mayRepeat });
        await this.#write(batch.slice(middle), { mayRepeat });
      } else if (isCollision(error) && collisions < RETRY_LIMIT) {
        await this.#write(batch, { mayRepeat, collisions: collisions + 1 });
      } else if (isLostConnection(error) && mayRepeat) {
        await this.#write(batch, { mayRepeat: false, collisions });
      } else {
        for (const waiting of batch) waiting.reject(error);
      }
      return;
    }
    for (const waiting of batch) waiting.resolve();
  }
}
