import { timingSafeEqual } from "node:crypto";
import type { Secret } from "../../kit/secret.ts";
import type { Source } from "../../kit/sources.ts";

/** A byte that UTF-8 never has. It ends a token, so that the zeros after it are padding and no part of it. */
const END = 0xff;

/** A write leaves out a character that does not fit: with this to spare, a long token still comes out too long. */
const CHARACTER_BYTES = 4;

/** Whose a token is. */
export interface TokenOwner {
  source: Source;
  token: Secret;
  /** Tells a source's tokens apart and gives none away. */
  name: string;
}

/** Which source a URL's token belongs to. Every known token is compared in full, so the time tells nothing. */
export class CallbackTokens {
  readonly #known: { bytes: Buffer; owner: TokenOwner }[];
  readonly #given: Buffer;

  constructor(sources: readonly Source[]) {
    const known = sources.flatMap((source) =>
      source.callbackTokens.map((token, index) => ({
        token: token.reveal(),
        owner: { source, token, name: `${source.name}#${index + 1}` },
      })),
    );
    const longest = Math.max(0, ...known.map(({ token }) => Buffer.byteLength(token)));
    this.#given = Buffer.alloc(longest + CHARACTER_BYTES);
    this.#known = known.map(({ token, owner }) => ({ bytes: Buffer.from(this.#padded(token)), owner }));
  }

  ownerOf(token: string): TokenOwner | null {
    const given = this.#padded(token);
    let found: TokenOwner | null = null;
    for (const known of this.#known) {
      if (timingSafeEqual(known.bytes, given)) found = known.owner;
    }
    return found;
  }

  /** One buffer for all: a request costs neither a hash nor memory. */
  #padded(token: string): Buffer {
    const end = this.#given.fill(0).write(token);
    this.#given[end] = END;
    return this.#given;
  }
}
