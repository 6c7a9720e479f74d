import { KINDS_BY_CODE, type Kind } from "./kinds.ts";
import { checksLength, NO_SALT, SALT_BYTES } from "./leaf.ts";
import { microsOf } from "./moments.ts";
import { keyTexts } from "./read-rows.ts";

// A reference says which version of which row a leaf stands for, and what names a changed column. In a tile it takes as
// few bytes as it can: code of the kind, how much later it is than the one before, key, checks. An id that stood in the
// tile before, as a payment's does for answer and verdict, is told by how far back. Beside them stand the salts, one
// for each row that has fields that can be erased.

const UUID_BYTES = 16;
/** The milliseconds that a UUIDv7 begins with. */
const MS_BYTES = 6;
/** Beside the code: the key begins with the row's own time, and goes without it. */
const TIMED = 128;
/** Beside the code: instead of the id stands how many ids ago it stood. */
const KNOWN = 64;

/** What stands in a tile for a leaf, besides its hash and its salt. */
export interface LeafRef {
  kind: Kind;
  key: string;
  /** Its time, in microseconds. */
  micros: number;
  /** See `hashRow`. */
  checks: Buffer;
}

export interface Ref extends LeafRef {
  /** See `nameOf`. */
  name: string;
  /** Where its salt stands among the salts; null where the kind has none. */
  saltAt: number | null;
}

/** Names a version of a row among those of its source: for sets and maps. */
export const nameOf = ({ kind, key, micros }: Omit<LeafRef, "checks">): string =>
  `${kind.code} ${micros} ${key}`;

/** The same of a row as it was read. */
export const nameOfRow = (kind: Kind, { key, at }: { key: string; at: string }): string =>
  nameOf({ kind, key, micros: microsOf(at) });

/** The references as a tile holds them. */
export function packRefs(refs: Iterable<LeafRef>): Buffer {
  const bytes: number[] = [];
  const before = { micros: 0, number: 0 };
  const ids = new Map<string, number>();
  for (const { kind, key, micros, checks } of refs) {
    const isTimed = kind.timeInKey === true && msOfId(key) === Math.floor(micros / 1_000);
    const texts = keyTexts(kind, key);
    const known = ids.get(texts[0] ?? "");
    bytes.push(kind.code | (isTimed ? TIMED : 0) | (known === undefined ? 0 : KNOWN));
    pushNumber(bytes, micros - before.micros);
    before.micros = micros;
    for (const [index, part] of Object.values(kind.key).entries()) {
      const text = texts[index] ?? "";
      if (part === "number") {
        pushNumber(bytes, Number(text) - before.number);
        before.number = Number(text);
      } else if (part === "uuid" && known !== undefined) pushNumber(bytes, ids.size - known);
      else if (part === "uuid") {
        bytes.push(...Buffer.from(text.replaceAll("-", ""), "hex").subarray(isTimed ? MS_BYTES : 0));
        ids.set(text, ids.size);
      } else {
        pushNumber(bytes, Buffer.byteLength(text));
        bytes.push(...Buffer.from(text));
      }
    }
    bytes.push(...checks);
  }
  return Buffer.from(bytes);
}

const msOfId = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, MS_BYTES * 2), 16);

/** Seven bits a byte, the lowest first; the lowest of all is the sign. */
function pushNumber(bytes: number[], number: number): void {
  let left = Math.abs(number);
  let bits = (left % 64) * 2 + (number < 0 ? 1 : 0);
  for (left = Math.floor(left / 64); left > 0; left = Math.floor(left / 128)) {
    bytes.push(bits | 128);
    bits = left % 128;
  }
  bytes.push(bits);
}

/** The references that stand in these bytes, one after the other. @throws Error for a kind nobody knows. */
export function* unpackRefs(bytes: Buffer): Generator<Ref> {
  let at = 0;
  const take = (length: number) => {
    at += length;
    return at - length;
  };
  const readNumber = () => {
    let byte = bytes[take(1)] ?? 0;
    const sign = byte % 2 === 0 ? 1 : -1;
    let number = (byte % 128) >> 1;
    for (let unit = 64; byte >= 128; unit *= 128) {
      byte = bytes[take(1)] ?? 0;
      number += (byte % 128) * unit;
    }
    return sign * number;
  };
  const before = { micros: 0, number: 0 };
  const ids: string[] = [];
  const readUuid = (isTimed: boolean) => {
    const start = take(UUID_BYTES - (isTimed ? MS_BYTES : 0));
    const ms = isTimed
      ? Math.floor(before.micros / 1_000)
          .toString(16)
          .padStart(MS_BYTES * 2, "0")
      : "";
    const hex = ms + bytes.toString("hex", start, at);
    ids.push(
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    );
    return ids.at(-1);
  };
  const readPart = (part: Kind["key"][string], code: number) => {
    if (part === "uuid") return (code & KNOWN) === 0 ? readUuid(code >= TIMED) : ids.at(-readNumber());
    const number = readNumber();
    if (part === "text") return bytes.toString("utf8", take(number), at);
    before.number += number;
    return String(before.number);
  };
  for (let salts = 0; at < bytes.length; ) {
    const code = bytes[take(1)] ?? 0;
    const kind = KINDS_BY_CODE.get(code % KNOWN);
    if (kind === undefined) throw new Error(`no kind of leaf has the code ${code % KNOWN}`);
    before.micros += readNumber();
    const key = Object.values(kind.key)
      .map((part) => readPart(part, code))
      .join("/");
    const checks = bytes.subarray(take(checksLength(kind)), at);
    const ref = { kind, key, micros: before.micros, checks };
    const hasSalt = kind.erasable !== undefined;
    yield { ...ref, name: nameOf(ref), saltAt: hasSalt ? salts : null };
    if (hasSalt) salts += SALT_BYTES;
  }
}

/** The salt of a reference; null where it has none, or erasing has zeroed it. */
export function saltIn(salts: Buffer, { saltAt }: Ref): Buffer | null {
  if (saltAt === null) return null;
  const salt = salts.subarray(saltAt, saltAt + SALT_BYTES);
  return salt.equals(NO_SALT) ? null : salt;
}
