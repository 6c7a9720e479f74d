import { OneForAll } from "../kit/waiting.ts";
import type { Answer, CollectionAnswer, Provider } from "../provider/provider.ts";

interface SourceProofOptions {
  provider: Provider;
  /** COLLECTION_IDS: each is known to exist. */
  collectionIds: readonly string[];
  /** An invoice that the provider knew once; null when none is stored. */
  knownInvoiceId(): Promise<string | null>;
  timeoutMs: number;
}

/** How long a source stays proven, in ms. */
const PROVEN_MS = 60_000;

/** The shortest time between two attempts to prove a source, in ms. */
const TRY_AGAIN_MS = 5_000;

/**
 * Whether the provider itself answers, and not a gateway or a web server in front of it: only then does a
 * bare 404 mean that there is no such invoice. Any answer in the provider's own envelope within the last
 * minute proves it.
 */
export class SourceProof {
  readonly #options: SourceProofOptions;
  #provenAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  readonly #tries = new OneForAll<void>();

  constructor(options: SourceProofOptions) {
    this.#options = options;
  }

  note(answer: Answer | CollectionAnswer): void {
    if (answer.kind === "found" || (answer.kind === "not_found" && answer.inOwnWords))
      this.#provenAt = performance.now();
  }

  /** Asks for something that is known to exist, if nothing has proven the source lately. */
  async isProven(): Promise<boolean> {
    if (this.isFresh) return true;
    if (performance.now() - this.#triedAt >= TRY_AGAIN_MS)
      await this.#tries.run(() =>
        this.#try().finally(() => {
          this.#triedAt = performance.now();
        }),
      );
    return this.isFresh;
  }

  /** Whether anything has proven it within the last minute. */
  get isFresh(): boolean {
    return performance.now() - this.#provenAt < PROVEN_MS;
  }

  async #try(): Promise<void> {
    const { provider, collectionIds, knownInvoiceId, timeoutMs } = this.#options;
    const [collectionId] = collectionIds;
    if (collectionId !== undefined) this.note(await provider.getCollection(collectionId, { timeoutMs }));
    if (this.isFresh) return;
    const invoiceId = await knownInvoiceId();
    if (invoiceId !== null) this.note(await provider.askInvoice(invoiceId, { timeoutMs }));
  }
}
