import { hash } from "node:crypto";
import type { Kind } from "./kinds.ts";
import { leafHash } from "./merkle.ts";
import type { LedgerRow } from "./read-rows.ts";

export const SALT_BYTES = 16;
/** What stands where the salt of an erased row stood. */
export const NO_SALT = Buffer.alloc(SALT_BYTES);
const DIGEST_BYTES = 32;
/** The digest of a field that is null, in `ledger_erasure`. */
const NULL_DIGEST = Buffer.alloc(DIGEST_BYTES);

const sha256 = (...parts: Uint8Array[]) => hash("sha256", Buffer.concat(parts), "buffer");

const fieldSalt = (salt: Uint8Array, field: string): Buffer => sha256(salt, Buffer.from(field));

/** The salted digest of one field; null stays null. */
export const fieldDigest = (salt: Uint8Array, field: string, value: string | Buffer | null): Buffer | null =>
  value === null ? null : sha256(fieldSalt(salt, field), Buffer.from(value));

/** The salts of a row's fields: whoever has one can check that field against the leaf, and no other. */
export const fieldSalts = ({ erasable = [] }: Kind, salt: Uint8Array): Record<string, string> =>
  Object.fromEntries(erasable.map((field) => [field, fieldSalt(salt, field).toString("hex")]));

/** The digests of all fields that can be erased, in the kind's order: what `ledger_erasure` keeps. */
export const packDigests = ({ erasable = [] }: Kind, row: LedgerRow, salt: Uint8Array): Buffer =>
  Buffer.concat(erasable.map((field) => fieldDigest(salt, field, row.values[field] ?? null) ?? NULL_DIGEST));

/** SHA-256 of what stands in the columns that erasing writes. */
export const remainsOf = ({ erasable = [], marks = [] }: Kind, { values }: LedgerRow): Buffer =>
  hash(
    "sha256",
    JSON.stringify([...erasable, ...marks].map((column) => values[column]?.toString() ?? null)),
    "buffer",
  );

/** What a leaf is made with besides the row: its salt, or what erasing kept of it. */
export type Secret = { salt: Uint8Array } | { digests: Buffer };

/** The columns as they stand in the leaf, in its order. */
function standingValues(kind: Kind, { values }: LedgerRow, secret: Secret): (string | null)[] {
  const { erasable = [], marks = [] } = kind;
  return layoutOf(kind).columns.map((column) => {
    const value = values[column] ?? null;
    const place = erasable.indexOf(column);
    if (place < 0) return "digests" in secret && marks.includes(column) ? null : (value as string | null);
    if ("salt" in secret) return fieldDigest(secret.salt, column, value)?.toString("hex") ?? null;
    const digest = secret.digests.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES);
    return digest.equals(NULL_DIGEST) ? null : digest.toString("hex");
  });
}

function bytesOf(kind: Kind, { key, source }: LedgerRow, standing: readonly (string | null)[]): string {
  const { columns } = layoutOf(kind);
  const head = `{"@key":${JSON.stringify(key)},"@kind":"${kind.name}","@source":${JSON.stringify(source)}`;
  const parts = standing.map((value, index) => `"${columns[index]}":${JSON.stringify(value)}`);
  return `${head},"@version":"1",${parts.join(",")}}`;
}

/** The bytes of a row's leaf (docs/ledger.md). */
export const leafBytes = (kind: Kind, row: LedgerRow, secret: Secret): string =>
  bytesOf(kind, row, standingValues(kind, row, secret));

/** The hash of a row's leaf, and its checks, by which a changed column is named. */
export function hashRow(kind: Kind, row: LedgerRow, secret: Secret): { hash: Buffer; checks: Buffer } {
  const standing = standingValues(kind, row, secret);
  return {
    hash: leafHash(Buffer.from(bytesOf(kind, row, standing))),
    checks: checksOf(layoutOf(kind).checked.map((index) => checkOf(standing[index] ?? null))),
  };
}

export const checksLength = (kind: Kind): number => layoutOf(kind).checked.length + SUMS;

/** The largest prime of a byte. */
const PRIME = 251;
const SUMS = 2;

/** A byte of each column, and two sums over all, which say where a change is whose byte is the one that stood there. */
function checksOf(numbers: readonly number[]): Buffer {
  const bytes = numbers.map((number) => (number ^ (number >>> 8) ^ (number >>> 16) ^ (number >>> 24)) & 255);
  const sum = numbers.reduce((all, number) => (all + number) % PRIME, 0);
  const placed = numbers.reduce((all, number, place) => (all + (place + 1) * (number % PRIME)) % PRIME, 0);
  return Buffer.from([...bytes, sum, placed]);
}

/** FNV-1a. */
function checkOf(value: string | null): number {
  let sum = value === null ? 0 : 0x811c9dc5;
  for (let at = 0; at < (value?.length ?? 0); at += 1)
    sum = Math.imul(sum ^ (value?.charCodeAt(at) ?? 0), 0x01000193);
  return sum >>> 0;
}

/** The columns that differ. Of several, one in 256 is left out. */
export function differingColumns(kind: Kind, one: Uint8Array, other: Uint8Array): string[] {
  const { columns, checked } = layoutOf(kind);
  const names = checked.map((index) => columns[index] ?? "");
  const found = names.filter((_, place) => one[place] !== other[place]);
  const [sum = 0, placed = 0] = [0, 1].map(
    (at) => (one[names.length + at] ?? 0) - (other[names.length + at] ?? 0),
  );
  if (found.length > 0 || sum === 0) return found;
  return names.filter((_, place) => ((place + 1) * sum - placed) % PRIME === 0);
}

/** A kind's columns in the order of its leaves, and which of them have a check. */
interface Layout {
  columns: readonly string[];
  checked: readonly number[];
}

const layouts = new Map<Kind, Layout>();

function layoutOf(kind: Kind): Layout {
  const known = layouts.get(kind);
  if (known !== undefined) return known;
  const columns = Object.keys(kind.columns).sort();
  // A row is compared with the leaf of its own source, key and time: these cannot differ.
  const names = ["source", kind.time, ...Object.keys(kind.key)];
  const checked = [...columns.keys()].filter((index) => !names.includes(columns[index] ?? ""));
  layouts.set(kind, { columns, checked });
  return { columns, checked };
}
