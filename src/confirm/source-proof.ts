import type { Answer, CollectionAnswer } from "../provider/answer.ts";
import type { Provider } from "../provider/provider.ts";

export interface SourceProofOptions {
  provider: Provider;
  /** COLLECTION_IDS: each is known to exist. */
  collectionIds: readonly string[];
  /** An invoice that the provider knew once; null when none is stored. */
  knownInvoiceId(): Promise<string | null>;
  timeoutMs: number;
}

/** A source stays proven for so long, in ms. */
const PROVEN_MS = 60_000;

/** An unproven source is not asked for a proof more often than this, in ms. */
const TRY_AGAIN_MS = 5_000;

/**
 * Whether it is the provider itself that answers, and not a gateway or a web server before it: then a bare
 * 404 means that there is no such invoice. It is proven by any answer in the provider's own envelope within
 * the last minute.
 */
export class SourceProof {
  readonly #options: SourceProofOptions;
  #provenAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #trying: Promise<void> | null = null;

  constructor(options: SourceProofOptions) {
    this.#options = options;
  }

  note(answer: Answer | CollectionAnswer): void {
    if (answer.kind === "found" || (answer.kind === "not_found" && answer.inOwnWords))
      this.#provenAt = performance.now();
  }

  /** Asks for something that is known to exist, if nothing has proven the source lately. */
  async isProven(): Promise<boolean> {
    if (this.#isFresh) return true;
    if (performance.now() - this.#triedAt >= TRY_AGAIN_MS) {
      this.#trying ??= this.#try().finally(() => {
        this.#trying = null;
        this.#triedAt = performance.now();
      });
    }
    await this.#trying;
    return this.#isFresh;
  }

  get #isFresh(): boolean {
    return performance.now() - this.#provenAt < PROVEN_MS;
  }

  async #try(): Promise<void> {
    const { provider, collectionIds, knownInvoiceId, timeoutMs } = this.#options;
    const [collectionId] = collectionIds;
    if (collectionId !== undefined) this.note(await provider.getCollection(collectionId, { timeoutMs }));
    if (this.#isFresh) return;
    const invoiceId = await knownInvoiceId();
    if (invoiceId !== null) this.note(await provider.askInvoice(invoiceId, { timeoutMs }));
  }
}
