import type { Mask } from "../kit/mask.ts";
import type { WholeCallback } from "../receive/log/list-callbacks.ts";

/** How a callback's body is read for a screen; `app` hands it in. */
export interface Reading {
  /** The text that the reader of callbacks sees in the bytes of one. */
  decode: (request: { contentEncoding: string | null; body: Uint8Array }) => string;
  /** Takes callback tokens out of a text. */
  mask: Mask;
}

export interface ShownBody {
  /** In base64; empty once the callback is erased. */
  body: string;
  /** What these bytes are: those that came, those with tokens masked, or the masked text in UTF-8. */
  bodyIs: "as_came" | "masked" | "text";
  /** Unpacked, decoded and masked; null once the callback is erased. */
  text: string | null;
}

/**
 * A body without callback tokens. Where a token stands in plain bytes, those alone change. Where it is
 * compressed, or written with two bytes a letter, the bytes that came cannot be shown: the masked text takes
 * their place.
 */
export function shownBody(
  { headers, body, erasedAt }: Pick<WholeCallback, "headers" | "body" | "erasedAt">,
  { decode, mask }: Reading,
): ShownBody {
  if (erasedAt !== null) return { body: "", bodyIs: "as_came", text: null };
  const contentEncoding =
    headers.findLast(([name]) => name.toLowerCase() === "content-encoding")?.[1] ?? null;
  const read = (bytes: Uint8Array) => decode({ contentEncoding, body: bytes });
  const came = read(body);
  const text = mask(came);
  // A byte a letter: tokens are ASCII, so everything around them stays as it is.
  const bytes = Buffer.from(mask(body.toString("latin1")), "latin1");
  if (text === came && bytes.equals(body)) return { body: body.toString("base64"), bodyIs: "as_came", text };
  if (read(bytes) === text) return { body: bytes.toString("base64"), bodyIs: "masked", text };
  return { body: Buffer.from(text).toString("base64"), bodyIs: "text", text };
}
