import { hash, timingSafeEqual } from "node:crypto";
import type { Source } from "../../kit/source.ts";

const digestOf = (text: string): Buffer => hash("sha256", text, "buffer");

/** Which source a URL's token belongs to. Every known token is compared in full, so the time tells nothing. */
export class CallbackTokens {
  readonly #known: { digest: Buffer; source: Source }[];

  constructor(sources: readonly Source[]) {
    this.#known = sources.flatMap((source) =>
      source.callbackTokens.map((token) => ({ digest: digestOf(token.reveal()), source })),
    );
  }

  sourceOf(token: string): Source | null {
    const digest = digestOf(token);
    let found: Source | null = null;
    for (const known of this.#known) {
      if (timingSafeEqual(known.digest, digest)) found = known.source;
    }
    return found;
  }
}
