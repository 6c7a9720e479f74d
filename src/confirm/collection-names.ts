import { step } from "../kit/step.ts";
import type { Collection, NotFound, Refusal } from "../provider/answer.ts";
import type { Provider } from "../provider/provider.ts";

/** Names older than this are read again, in ms; when a name does not fit, after RECHECK_MS already. */
const STALE_MS = 300_000;
const RECHECK_MS = 1_000;

export interface CollectionNamesOptions {
  provider: Provider;
  /** COLLECTION_IDS; empty for no restriction. */
  collectionIds: readonly string[];
  timeoutMs: number;
}

type Read = ReadonlySet<string> | NotFound | Refusal;

/** The names of the collections whose invoices are published, in their present spelling. */
export class CollectionNames {
  readonly #options: CollectionNamesOptions;
  #names: Promise<Read> | null = null;
  #readAt = 0;

  constructor(options: CollectionNamesOptions) {
    this.#options = options;
  }

  /**
   * Invoices carry their collection's name, not its id, so the names are read again before one counts as
   * foreign.
   * @returns the names; null without a restriction; the provider's refusal where they cannot be read.
   */
  async naming(name: string): Promise<Read | null> {
    if (this.#options.collectionIds.length === 0) return null;
    const known = await this.#namesWithin(STALE_MS);
    return known instanceof Set && !known.has(name) ? await this.#namesWithin(RECHECK_MS) : known;
  }

  async #namesWithin(staleMs: number): Promise<Read> {
    if (this.#names === null || Date.now() - this.#readAt > staleMs) {
      this.#readAt = Date.now();
      this.#names = this.#read();
    }
    const names = await this.#names;
    if (!(names instanceof Set)) this.#names = null;
    return names;
  }

  async #read(): Promise<Read> {
    const { provider, collectionIds, timeoutMs } = this.#options;
    step("collections to be asked for");
    const answers = await Promise.all(collectionIds.map((id) => provider.getCollection(id, { timeoutMs })));
    step("collections answered");
    const refused = answers.find((answer) => answer.kind !== "found");
    if (refused !== undefined) return refused;
    // One without a name names no invoice's collection.
    return new Set(answers.flatMap((answer) => nameIn(answer as { collection: Collection }) ?? []));
  }
}

const nameIn = ({ collection }: { collection: Collection }) => collection.collectionName;
