import { failpoint } from "../../platform/process/index.ts";
import type { Upstream } from "../../platform/upstreams/index.ts";
import type { NotFound, Provider, Refusal } from "../../provider/index.ts";

/** Names older than this are read again, in ms; when a name does not fit, after RECHECK_MS already. */
const STALE_MS = 300_000;
const RECHECK_MS = 1_000;

interface CollectionNamesOptions {
  provider: Provider;
  upstream: Pick<Upstream, "note">;
  /** COLLECTION_IDS; empty for no restriction. */
  collectionIds: readonly string[];
  timeoutMs: number;
}

/** The known names of the collections whose invoices are published. */
interface KnownNames {
  /** In their present spelling; of one that cannot be read any more, the last one. */
  names: ReadonlySet<string>;
  /** The provider's response in place of a name; null when all names were read. */
  unread: NotFound | Refusal | null;
}

/** The names of the collections whose invoices are published. */
export class CollectionNames {
  readonly #options: CollectionNamesOptions;
  /** By collection; null for one without a name, which names no invoice's collection. */
  readonly #names = new Map<string, string | null>();
  #reading: Promise<KnownNames> | null = null;
  #readAt = 0;

  constructor(options: CollectionNamesOptions) {
    this.#options = options;
  }

  /**
   * Invoices carry their collection's name, not its id, so the names are read again before one counts as
   * foreign. A collection that cannot be read leaves the others' invoices alone.
   * @returns null without a restriction. @throws what noting a 429 failed with: the database's error.
   */
  async namesFor(name: string): Promise<KnownNames | null> {
    if (this.#options.collectionIds.length === 0) return null;
    const known = await this.#readWithin(STALE_MS);
    return known.names.has(name) ? known : await this.#readWithin(RECHECK_MS);
  }

  async #readWithin(staleMs: number): Promise<KnownNames> {
    if (this.#reading === null || performance.now() - this.#readAt > staleMs) {
      this.#readAt = performance.now();
      this.#reading = this.#read().catch((error: unknown) => {
        this.#reading = null;
        throw error;
      });
    }
    return await this.#reading;
  }

  async #read(): Promise<KnownNames> {
    const { provider, upstream, collectionIds, timeoutMs } = this.#options;
    failpoint("collections to be asked for");
    const answers = await Promise.all(
      collectionIds.map(async (id) => {
        const answer = await provider.getCollection(id, { timeoutMs });
        if (answer.kind === "found") this.#names.set(id, answer.collection.collectionName);
        return answer;
      }),
    );
    failpoint("collections answered");
    const limited = answers.find((answer) => answer.kind === "rate_limited");
    if (limited !== undefined) await upstream.note({ ...limited, kind: "slow_down" });
    const names = new Set([...this.#names.values()].filter((name) => name !== null));
    return { names, unread: answers.find((answer) => answer.kind !== "found") ?? null };
  }
}
