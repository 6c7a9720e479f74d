import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";

/** The most bytes of a callback's body, as sent and after decompression. */
export const BODY_LIMIT = 256 * 1024;

type Inflate = (bytes: Uint8Array, maxOutputLength: number) => Uint8Array;

// A body cut off on its way gives what can be had of it, not an error: an id often stands near the beginning.
const TOLERANT = { finishFlush: constants.Z_SYNC_FLUSH };

const INFLATE: ReadonlyMap<string, Inflate> = new Map([
  ["gzip", gunzip],
  ["deflate", inflateEither],
  ["br", unbrotli],
  ["zstd", unzstd],
]);

/** Of gzip, in bytes. */
const TRAILER = 8;

/** 8 MiB. Left to itself, a frame may claim 128 MiB of memory before its first byte comes out. */
const WINDOW_LOG_LIMIT = 23;

/** Honest senders use one coding; a proxy may add another. */
const CODINGS_LIMIT = 3;

/**
 * Undoes the Content-Encoding: gzip, deflate (with and without the zlib header), br, zstd, and several in a
 * row. Bytes that are not what the header says are handed back as they are, since proxies inflate and forget
 * the header; a coding that its first bytes tell is undone without the header, under another's name, and once more
 * inside of what it names.
 *
 * Synchronous: the thread that reads heavy callbacks has nothing else to do meanwhile, and its limits of time
 * and memory are those of the work.
 *
 * @param limit the most bytes that may come out, also for a body that was never compressed
 */
export function inflateBody(
  body: Uint8Array,
  contentEncoding: string | null,
  limit = BODY_LIMIT,
): Uint8Array | "too_large" {
  if (body.length > limit) return "too_large";
  if (!mayBeCompressed(body, contentEncoding)) return body;
  let bytes = body;
  for (const coding of codingsOf(body, contentEncoding)) {
    const inflated = tryInflate(coding, bytes, limit);
    if (inflated === "too_large") return inflated;
    if (inflated === null) break;
    bytes = inflated;
  }
  const untold = codingWithin(bytes);
  return untold === null ? bytes : (tryInflate(untold, bytes, limit) ?? bytes);
}

function codingsOf(body: Uint8Array, contentEncoding: string | null): Inflate[] {
  if (body.length === 0) return [];
  const named = (contentEncoding ?? "")
    .split(",", CODINGS_LIMIT + 1)
    .map((coding) => coding.trim().toLowerCase().replace(/^x-/, ""))
    .map((coding) => INFLATE.get(coding))
    .filter((inflate) => inflate !== undefined);
  return named.length > CODINGS_LIMIT ? [] : named.reverse();
}

/** Whether `inflateBody` would inflate anything, which may take long. */
export const mayBeCompressed = (body: Uint8Array, contentEncoding: string | null): boolean =>
  contentEncoding !== null || codingWithin(body) !== null;

function isGzip(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** What the first bytes tell of the coding: gzip, zlib and zstd by their magic numbers, base64 by what JSON becomes. */
function codingWithin(body: Uint8Array): Inflate | null {
  const [a, b = 0] = body;
  if (isGzip(body)) return gunzip;
  if (a === 0x78 && (0x7800 + b) % 31 === 0) return inflateEither;
  if (a === 0x28 && b === 0xb5) return unzstd;
  return (a === 0x65 || a === 0x57) && BASE64_JSON.test(latin1(body)) ? fromBase64 : null;
}

/**
 * The JSON begins with a brace or bracket, and a quote, a space, a line end or a brace. Nothing here holds a UUID or
 * a form's field as it is; what ends it begins with a sign that cannot stand before, so that one look is enough.
 */
const BASE64_JSON = /^(?:e[wy]|W[3wy])[A-Za-z0-9+/\r\n]*(?:=[=\r\n]*)?$/;

const latin1 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1");

const fromBase64: Inflate = (bytes) => Buffer.from(latin1(bytes), "base64");

function tryInflate(inflate: Inflate, bytes: Uint8Array, limit: number): Uint8Array | "too_large" | null {
  try {
    return inflate(bytes, limit);
  } catch (error) {
    return isTooLarge(error) ? "too_large" : null;
  }
}

/** Of all codings, gzip alone is refused for what follows it, a line break perhaps, or for its checksum. */
function gunzip(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const options = { ...TOLERANT, maxOutputLength };
  try {
    return gunzipSync(bytes, options);
  } catch (error) {
    if (isTooLarge(error) || !isGzip(bytes)) throw error;
    // It ends with a checksum and its length, whose last byte is zero below 16 MiB: read as one that was cut off.
    const alone = gunzipSync(bytes.subarray(0, Math.max(0, bytes.lastIndexOf(0) + 1 - TRAILER)), options);
    if (alone.length === 0) throw error;
    return alone;
  }
}

function unbrotli(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  return brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength });
}

function unzstd(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  return zstdDecompressSync(bytes, {
    maxOutputLength,
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_LIMIT },
  });
}

/** The standard demands the zlib header, but some senders leave it out. */
function inflateEither(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    return inflateSync(bytes, { ...TOLERANT, maxOutputLength });
  } catch (error) {
    if (isTooLarge(error)) throw error;
    // Strict here: without a header to check, plain text could pass for the beginning of a stream.
    return inflateRawSync(bytes, { maxOutputLength });
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

/**
 * The text of a body: UTF-8, or UTF-16 or 32 where a byte order mark or the zeros between ASCII letters tell.
 * Broken bytes become U+FFFD and never throw: an id is ASCII, so it survives a broken name beside it. The
 * charset that a Content-Type names is ignored: ASCII is the same in all others that occur.
 */
export function decodeText(bytes: Uint8Array): string {
  const [a, b, c, d] = bytes;
  if (a === undefined) return "";
  if (((a === 0 && b === 0) || (c === 0 && d === 0)) && isUtf32(bytes))
    return utf16(a === 0 ? "utf-16be" : "utf-16le", bytes)
      .replaceAll("\0", "")
      .replace("\uFEFF", "");
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0))
    return utf16("utf-16le", bytes);
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0))
    return utf16("utf-16be", bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  // UTF-16 that begins otherwise reads as ASCII does without its zeros.
  const letters = text.replaceAll("\0", "") || text;
  return letters.charCodeAt(0) === 0xfeff ? letters.slice(1) : letters;
}

/** By its first two characters, which are in ASCII in JSON, or a byte order mark and one. */
function isUtf32(bytes: Uint8Array): boolean {
  const units = Array.from(bytes.subarray(0, 8), (byte) => (byte === 0 ? "0" : "x")).join("");
  return /^(x000|xx00)x000$|^(000x|00xx)000x$/.test(units);
}

function utf16(encoding: "utf-16le" | "utf-16be", bytes: Uint8Array): string {
  return new TextDecoder(encoding).decode(bytes);
}
