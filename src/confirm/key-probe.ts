import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Provider } from "../provider/provider.ts";
import { takeProbe } from "../upstreams/probe.ts";
import type { Upstream } from "../upstreams/upstream.ts";

export interface KeyProbeOptions {
  db: Kysely<Tables>;
  provider: Provider;
  upstream: Upstream;
  timeoutMs: number;
}

/**
 * Tells one invoice that is refused from a key that is refused: an invoice id that nobody has is asked for
 * with the same key, and only if that is refused too is the source paused, and tried until the key works
 * again.
 */
export class KeyProbe {
  readonly #options: KeyProbeOptions;
  #probing: Promise<void> | null = null;

  constructor(options: KeyProbeOptions) {
    this.#options = options;
  }

  /** A confirmation was refused for its key. */
  suspect(): Promise<void> {
    return this.#once(async () => {
      const { provider, upstream, timeoutMs } = this.#options;
      const proof = await provider.proveKey({ timeoutMs });
      if (proof.kind === "refused") await upstream.note(proof);
    });
  }

  /** Called while the source is refused; tries the key when that is due, in whichever process comes first. */
  probeWhenDue(): Promise<void> {
    return this.#once(async () => {
      const { db, provider, upstream, timeoutMs } = this.#options;
      if (!(await takeProbe(db, upstream.kind, upstream.name))) return;
      const proof = await provider.proveKey({ timeoutMs });
      if (proof.kind !== "refused") await upstream.note({ kind: "works" });
    });
  }

  #once(work: () => Promise<void>): Promise<void> {
    this.#probing ??= work().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }
}
