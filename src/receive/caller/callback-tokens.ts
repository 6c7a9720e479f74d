import { hash, timingSafeEqual } from "node:crypto";
import type { Source } from "../../kit/sources-file.ts";

const digestOf = (token: string): Buffer => hash("sha256", token, "buffer");

/** Which source a URL's token belongs to. Every known token is compared in full, so the time says nothing. */
export class CallbackTokens {
  readonly #known: { digest: Buffer; source: Source }[];

  constructor(sources: readonly Source[]) {
    this.#known = sources.flatMap((source) =>
      source.callbackTokens.map((token) => ({ digest: digestOf(token.reveal()), source })),
    );
  }

  sourceOf(token: string): Source | null {
    const given = digestOf(token);
    let found: Source | null = null;
    for (const { digest, source } of this.#known) if (timingSafeEqual(digest, given)) found = source;
    return found;
  }
}
