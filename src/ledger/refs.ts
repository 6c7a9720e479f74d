import { KINDS_BY_CODE, type Kind } from "./kinds.ts";
import { checksLength, NO_SALT, SALT_BYTES } from "./leaf.ts";
import { microsOf, timeOfMicros } from "./moments.ts";
import { keyTexts } from "./read-rows.ts";

// A reference says which version of which row a leaf stands for: code of the kind, time, key. Beside them stand
// the salts, one for each row that has fields that can be erased.

const CODE_AND_TIME = 9;
const UUID_BYTES = 16;
const NUMBER_BYTES = 8;

/** A reference as it stands in a tile. */
export interface Ref {
  kind: Kind;
  /** Its bytes, which name the version, as a latin1 text: for sets and maps. */
  name: string;
  /** Where its salt stands among the salts; null where the kind has none. */
  saltAt: number | null;
  /** Where the checks of its columns stand. */
  checksAt: number;
}

/** The bytes that name a version of a row. */
export function packName(kind: Kind, key: string, at: string): Buffer {
  const head = Buffer.allocUnsafe(CODE_AND_TIME);
  head.writeUInt8(kind.code, 0);
  head.writeDoubleBE(microsOf(at), 1);
  const texts = keyTexts(kind, key);
  const parts = Object.values(kind.key).map((part, index) => packPart(part, texts[index] ?? ""));
  return Buffer.concat([head, ...parts]);
}

function packPart(part: Kind["key"][string], text: string): Buffer {
  if (part === "uuid") return Buffer.from(text.replaceAll("-", ""), "hex");
  if (part === "text") return Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]);
  const number = Buffer.allocUnsafe(NUMBER_BYTES);
  number.writeDoubleBE(Number(text));
  return number;
}

/** The version that these bytes name. */
export function readName({ kind, name }: Pick<Ref, "kind" | "name">): { key: string; at: string } {
  const bytes = Buffer.from(name, "latin1");
  const texts: string[] = [];
  let at = CODE_AND_TIME;
  for (const part of Object.values(kind.key)) {
    const length = lengthOf(part, bytes, at);
    const raw = bytes.subarray(at, at + length);
    if (part === "uuid") texts.push(raw.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
    else texts.push(part === "text" ? raw.toString("utf8", 1) : String(raw.readDoubleBE()));
    at += length;
  }
  return { key: texts.join("/"), at: timeOfMicros(bytes.readDoubleBE(1)) };
}

const lengthOf = (part: Kind["key"][string], bytes: Buffer, at: number): number =>
  part === "uuid" ? UUID_BYTES : part === "number" ? NUMBER_BYTES : 1 + (bytes[at] ?? 0);

/** The references that stand in these bytes, one after the other. @throws Error for a kind nobody knows. */
export function* unpackRefs(bytes: Buffer): Generator<Ref> {
  let salts = 0;
  let checks = 0;
  for (let at = 0; at < bytes.length; ) {
    const kind = KINDS_BY_CODE.get(bytes[at] ?? 0);
    if (kind === undefined) throw new Error(`no kind of leaf has the code ${bytes[at]}`);
    let end = at + CODE_AND_TIME;
    for (const part of Object.values(kind.key)) end += lengthOf(part, bytes, end);
    const hasSalt = kind.erasable !== undefined;
    yield { kind, name: bytes.toString("latin1", at, end), saltAt: hasSalt ? salts : null, checksAt: checks };
    if (hasSalt) salts += SALT_BYTES;
    checks += checksLength(kind);
    at = end;
  }
}

/** The salt of a reference; null where it has none, or erasing has zeroed it. */
export function saltIn(salts: Buffer, { saltAt }: Ref): Buffer | null {
  if (saltAt === null) return null;
  const salt = salts.subarray(saltAt, saltAt + SALT_BYTES);
  return salt.equals(NO_SALT) ? null : salt;
}
