import type { Database } from "../../platform/database/index.ts";
import { failpoint, OneForAll } from "../../platform/process/index.ts";
import { takeProbe, type Upstream } from "../../platform/upstreams/index.ts";
import type { Answer, CollectionAnswer, KeyProof, Provider } from "../../provider/index.ts";

interface SourceProofOptions {
  provider: Provider;
  /** COLLECTION_IDS: each is known to exist. */
  collectionIds: readonly string[];
  /** An invoice that the provider knew once; null without a stored one. */
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

interface KeyProbeOptions {
  db: Database;
  provider: Provider;
  upstream: Upstream;
  timeoutMs: number;
}

/**
 * Tells a refused invoice from a refused key: the same key asks for an invoice id that does not exist. Only
 * if that is refused too is the source paused, and probed until the key works again.
 */
export class KeyProbe {
  readonly #options: KeyProbeOptions;
  readonly #probes = new OneForAll<void>();

  constructor(options: KeyProbeOptions) {
    this.#options = options;
  }

  /** A confirmation was refused for its key. */
  suspect(signal: AbortSignal): Promise<void> {
    return this.#probes.run(async () => {
      const proof = await this.#prove(signal);
      if (proof.kind === "refused") await this.#options.upstream.note(proof);
    });
  }

  /** Called while the source is refused: whichever process comes first when a probe is due tries the key. */
  probeWhenDue(): Promise<void> {
    return this.#probes.run(async () => {
      const { db, upstream } = this.#options;
      if (!(await takeProbe(db, upstream.kind, upstream.name))) return;
      const proof = await this.#prove();
      if (proof.kind !== "refused") await upstream.note({ kind: "works" });
    });
  }

  async #prove(signal?: AbortSignal): Promise<KeyProof> {
    const { provider, timeoutMs } = this.#options;
    failpoint("key to be proved");
    const proof = await provider.proveKey({ timeoutMs, signal });
    failpoint("key proved");
    return proof;
  }
}
