import { promisify } from "node:util";
import {
  brotliDecompress,
  gunzip as gunzipWithCallback,
  inflateRaw,
  inflate as inflateZlib,
  type ZlibOptions,
} from "node:zlib";
import { RelayError } from "../../../platform/errors/index.ts";
import { Turns } from "../../../platform/process/index.ts";

/** The most bytes of a callback's body, as sent and after decompression. */
export const BODY_LIMIT = 256 * 1024;

/** More than the default, so that each body goes to a thread of Node's and back a few times, not sixteen. */
const CHUNK_BYTES = 64 * 1024;

type Inflate = (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>;

const gunzip: Inflate = promisify(gunzipWithCallback);
const withHeader: Inflate = promisify(inflateZlib);
const withoutHeader: Inflate = promisify(inflateRaw);

/** The standard demands the zlib header, but some senders leave it out. */
const inflate: Inflate = (bytes, options) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? withHeader(bytes, options) : withoutHeader(bytes, options);

const INFLATE: ReadonlyMap<string, Inflate> = new Map([
  ["gzip", gunzip],
  ["deflate", inflate],
  ["br", promisify(brotliDecompress)],
]);

/** A decoder of br may take 16 MiB and ten milliseconds: there is one at a time, and so many wait (G8). */
const inflating = new Turns(1);
const WAITING_LIMIT = 256;
let waiting = 0;

/**
 * Undoes the Content-Encoding gzip, deflate or br, and gzip without it, by its first bytes. Bytes that are
 * not what the header says are returned as they are, since proxies inflate and forget the header. Node's
 * threads do it: a few bytes can cost ten milliseconds.
 * @param limit the most bytes that may come out, also for a body that was never compressed
 * @throws RelayError when too many wait: the sender must try again.
 */
export async function inflateBody(
  body: Uint8Array,
  contentEncoding: string | null,
  limit = BODY_LIMIT,
): Promise<Uint8Array | "too_large"> {
  if (body.length > limit) return "too_large";
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const undo = isGzip ? gunzip : INFLATE.get(contentEncoding?.trim().toLowerCase() ?? "");
  if (undo === undefined || body.length === 0) return body;
  if (waiting >= WAITING_LIMIT)
    throw new RelayError("Too many compressed bodies wait to be read. Try again shortly.", { next: "retry" });
  waiting += 1;
  try {
    return await inflating.run(() => undo(body, { maxOutputLength: limit, chunkSize: CHUNK_BYTES }));
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? "too_large" : body;
  } finally {
    waiting -= 1;
  }
}

/**
 * The text of a body in UTF-8. Broken bytes become U+FFFD and never throw: an id is ASCII, so it survives a
 * broken name beside it. The charset that a Content-Type names is ignored: ASCII is the same in all that occur.
 */
export function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
