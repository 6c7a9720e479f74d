// Checks what invoice-relay signed, with nothing of it but docs/ledger.md; needs Node 24.2 or newer.
// node verify.ts document FILE KEYS: a certificate or a root
// node verify.ts consistency KEPT PRINTED: a root that was kept, and what `ledger root --since ITS_SIZE --json` prints
// node verify.ts evidence ledger/proofs.json [KEYS]
import { createHash, verify } from "node:crypto";
import { readFileSync } from "node:fs";

type Root = { source: string; size: string; root: string; path?: string[]; signature?: Texts | null };
type Keys = { keys: { id: string; pem: string; retiredAt: string | null }[] };
type Proofs = { invoiceId: string; roots: Root[]; leaves: Proof[]; notInTree: Texts[]; isWhole: boolean };
type Proof = { index: string; path: string[]; leaf: string };
type Texts = { [name: string]: string };

function fail(why: string): never {
  throw new Error(why);
}

const same = <Found>(found: Found, spelled: unknown): Found =>
  String(found) === spelled ? found : fail(`${spelled} should be spelled ${found}`);

/** Members sorted by name, so that `JSON.stringify` writes canonical JSON. */
function parse(text: string): unknown {
  let members = -1;
  const parsed = JSON.parse(text, function (this: unknown, _name, value, context?: { source?: string }) {
    if (!Array.isArray(this)) members += 1;
    if (typeof value === "number") return same(value, context?.source);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
  const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined);
  return names.length === members ? parsed : fail("a name stands twice in an object");
}

function read(path: string): unknown {
  const bytes = readFileSync(path);
  return parse(new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes));
}

/** @returns what it was signed as. */
function checkSignature(document: Root, { keys }: Keys): string {
  const { value = "", ...signature } = document.signature ?? fail("UNSIGNED");
  const { keyId, signedAt = "", kind = "" } = signature;
  const key = keys.find(({ id }) => id === keyId) ?? fail(`key ${keyId} is not in KEYS`);
  if (key.retiredAt !== null && signedAt > key.retiredAt) fail("it was signed after its key was retired");
  const message = `invoice-relay signed document v1\n${JSON.stringify({ ...document, signature })}`;
  const bytes = Buffer.from(value, "base64");
  same(bytes.toString("base64"), value);
  return verify(null, Buffer.from(message), key.pem, bytes) ? kind : fail("it is not what that key signed");
}

const sha = (...parts: Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
const node = (left: Buffer, right: Buffer) => sha(Buffer.of(1), left, right);

function count(digits: string): number {
  return Number.isSafeInteger(Number(digits)) ? same(Number(digits), digits) : fail(`${digits} is no count`);
}

function hashIn(digits: string): Buffer {
  const found = Buffer.from(digits, "hex");
  return found.length === 32 && found.toString("hex") === digits ? found : fail(`${digits} is no hash`);
}

/** The leaves of the left subtree: the largest power of two below the size. */
function leftOf(size: number): number {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

/** RFC 9162, 2.1.3, from the root down: the path ends with the hash of the side that the leaf is not on. */
export function rootOf(leaf: Buffer, index: number, size: number, path: Buffer[]): Buffer {
  if (size <= 1) return index === 0 && size === 1 && path.length === 0 ? leaf : fail("a path does not fit");
  const [left, rest, other = fail("a path is too short")] = [leftOf(size), path.slice(0, -1), path.at(-1)];
  if (index < left) return node(rootOf(leaf, index, left, rest), other);
  return node(other, rootOf(leaf, index - left, size - left, rest));
}

/** RFC 9162, 2.1.4, likewise: the roots of both sizes. The path leaves out `kept`, if that is a subtree. */
export function rootsOf(first: number, second: number, kept: Buffer[], path: Buffer[]): [Buffer, Buffer] {
  const [known = fail("a path is too short"), ...more] = [...kept, ...path].reverse();
  if (first === second) return more.length === 0 ? [known, known] : fail("a path is too long");
  const [left, rest, other = fail("a path is too short")] = [leftOf(second), path.slice(0, -1), path.at(-1)];
  if (first > left) {
    const [older, newer] = rootsOf(first - left, second - left, [], rest);
    return [node(other, older), node(other, newer)];
  }
  const [older, newer] = rootsOf(first, left, kept, rest);
  return [older, node(newer, other)];
}

function checkConsistency(kept: Root, printed: Root[]): string {
  const later = printed.find(({ source }) => source === kept.source) ?? fail("no root of that source");
  const [first, second] = [count(kept.size), count(later.size)];
  const [older, newer] = [hashIn(kept.root), hashIn(later.root)];
  if (first < 1 || first > second) fail("the later tree is smaller than the kept one");
  const roots = rootsOf(first, second, [older], (later.path ?? []).map(hashIn));
  if (!older.equals(roots[0]) || !newer.equals(roots[1]))
    fail("the later tree does not begin with the kept one");
  return `CONSISTENT: the first ${first} of ${second} leaves are those of the kept root`;
}

function checkEvidence({ invoiceId, roots, leaves, notInTree, isWhole }: Proofs, keys?: Keys): string {
  const trees = new Map(roots.map((root) => [root.source, root]));
  if (trees.size < roots.length) fail("two roots of one source");
  if (keys !== undefined && roots.some((root) => checkSignature(root, keys) !== "root"))
    fail("it is signed, but not as a root");
  const ids = new Set<string | undefined>([String(invoiceId)]);
  const kinds = leaves.map(({ index, path, leaf }) => {
    const { "@kind": kind, "@source": source = "", id, ...row } = parse(leaf) as Partial<Texts>;
    const root = trees.get(source) ?? fail(`no root of ${source}`);
    const hashed = sha(Buffer.of(0), Buffer.from(leaf));
    if (!rootOf(hashed, count(index), count(root.size), path.map(hashIn)).equals(hashIn(root.root)))
      fail(`leaf ${index} is not in that tree`);
    const named = [id, row.invoice_id, row.event_id, ...(row.invoice_ids?.match(/\S+/g) ?? [])];
    if (!named.some((one) => ids.has(one))) fail(`leaf ${index} is not of invoice ${invoiceId}`);
    if (kind === "event") ids.add(id);
    return kind;
  });
  const whose = keys === undefined ? "roots not checked: give KEYS" : "roots signed by those keys";
  const lines = [`INCLUDED: ${kinds.length} leaves of invoice ${invoiceId}: ${kinds.join(", ")}; ${whose}`];
  for (const { kind, key, why } of notInTree) lines.push(`NOT COVERED: ${kind} ${key}: ${why}`);
  if (isWhole !== true) lines.push("NOT COVERED: what the file has no room for");
  return lines.join("\n");
}

/** @returns what there is to say. @throws Error where something is not as it should be. */
export function check(what = "", ...files: string[]): string {
  const [one, other] = files.map(read) as [Root, unknown];
  if (what === "document" && files.length === 2)
    return `SIGNED: ${checkSignature(one, other as Keys)} of ${one.source}, at ${one.signature?.signedAt}`;
  if (what === "consistency" && files.length === 2) return checkConsistency(one, other as Root[]);
  if (what === "evidence") return checkEvidence(one as unknown as Proofs, other as Keys | undefined);
  return fail("document FILE KEYS | consistency KEPT PRINTED | evidence FILE [KEYS]");
}

if (import.meta.main)
  try {
    process.stdout.write(`${check(...process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`BROKEN: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
