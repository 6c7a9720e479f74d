import type { Database } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { OneForAll } from "../kit/waiting.ts";
import type { KeyProof, Provider } from "../provider/provider.ts";
import { takeProbe, type Upstream } from "../upstreams/upstream.ts";

interface KeyProbeOptions {
  db: Database;
  provider: Provider;
  upstream: Upstream;
  timeoutMs: number;
}

/**
 * Tells a refused invoice from a refused key: the same key asks for an invoice id that nobody has. Only if
 * that is refused too is the source paused, and probed until the key works again.
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
    step("key to be proved");
    const proof = await provider.proveKey({ timeoutMs, signal });
    step("key proved");
    return proof;
  }
}
