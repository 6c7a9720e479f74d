// Checks what invoice-relay signed, with nothing of it, on Node 24 or newer: node verify.ts document FILE KEYS |
// inclusion FILE | consistency FIRST SECOND PROOF | evidence ledger/proofs.json [KEYS]. The format: docs/ledger.md.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

type Json = { [name: string]: unknown };

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

/** Numbers keep their digits, as strings: so they are signed. */
function read(path = ""): Json {
  const text = readFileSync(path, "utf8");
  let members = -1;
  try {
    const parsed = JSON.parse(text, function (this: unknown, _name, value, context?: { source?: string }) {
      if (!Array.isArray(this)) members += 1;
      return typeof value === "number" ? (context?.source ?? String(value)) : value;
    });
    const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined);
    if (names.length !== members) fail("BROKEN: a name stands twice in an object");
    return parsed;
  } catch (error) {
    fail(`BROKEN: ${path} is no JSON: ${error}`);
  }
}

function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(",")}}`;
}

const sha = (...parts: Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest();

function checkSignature(document: Json, keys: Json): string {
  if (!document.signature) fail("UNSIGNED");
  const { value, ...signature } = document.signature as { [name: string]: string };
  const head = Buffer.from("302a300506032b6570032100", "hex");
  const spki = Buffer.concat([head, Buffer.from(signature.publicKey ?? "", "base64")]);
  const id = sha(spki).toString("hex").slice(0, 16);
  const known = (keys.keys as { id: string; retiredAt: string | null }[]).find((key) => key.id === id);
  if (known === undefined || signature.keyId !== id) fail(`BROKEN: signed by ${id}, none of the keys given`);
  if (known.retiredAt !== null && String(signature.signedAt) > known.retiredAt)
    fail("BROKEN: signed after its key was retired");
  const message = `invoice-relay signed document v1\n${canonical({ ...document, signature })}`;
  const key = createPublicKey({ key: spki, format: "der", type: "spki" });
  if (!verify(null, Buffer.from(message), key, Buffer.from(value ?? "", "base64")))
    fail("BROKEN: it is not what that key signed");
  return String(signature.kind);
}

const hashesOf = (proof: Json) => (proof.path as string[]).map((one) => Buffer.from(one, "hex"));
const node = (left: Uint8Array, right: Uint8Array) => sha(Buffer.of(1), left, right);
const half = (number: number) => Math.floor(number / 2);

/** RFC 9162, 2.1.3.2 and 2.1.4.2: both go up the same way. `one` is the root of what ends at `here`. */
function goUp(
  here: number,
  last: number,
  start: Buffer,
  path: Buffer[],
): { one: Buffer; other: Buffer } | null {
  let [one, other] = [start, start];
  for (const step of path) {
    if (last === 0) return null;
    if (here % 2 === 1 || here === last) {
      [one, other] = [node(step, one), node(step, other)];
      while (here % 2 === 0 && here !== 0) [here, last] = [half(here), half(last)];
    } else other = node(other, step);
    [here, last] = [half(here), half(last)];
  }
  return last === 0 ? { one, other } : null;
}

function rootFrom(proof: Json, size: number): string | null {
  const index = Number(proof.index);
  const leaf = sha(Buffer.of(0), Buffer.from(String(proof.leaf)));
  const found = index < size ? goUp(index, size - 1, leaf, hashesOf(proof)) : null;
  return found?.other.toString("hex") ?? null;
}

function isConsistent(first: Json, second: Json, path: Buffer[]): boolean {
  const [m, n] = [Number(first.size), Number(second.size)];
  const whole = m & (m - 1) ? path : [Buffer.from(String(first.root), "hex"), ...path];
  if (m === n) return path.length === 0 && first.root === second.root;
  if (m === 0 || m > n) return m === 0 && path.length === 0;
  let [here, last] = [m - 1, n - 1];
  while (here % 2 === 1) [here, last] = [half(here), half(last)];
  const [start, ...steps] = whole;
  const found = start === undefined ? null : goUp(here, last, start, steps);
  return found?.one.toString("hex") === first.root && found?.other.toString("hex") === second.root;
}

function checkEvidence(proofs: Json, keys: Json | null): void {
  const [roots, leaves] = [proofs.roots as Json[], proofs.leaves as Json[]];
  for (const root of keys === null ? [] : roots)
    if (checkSignature(root, keys ?? {}) !== "root")
      fail("BROKEN: it is signed, but as something else than a root");
  for (const proof of leaves) {
    const root = roots.find(({ source }) => source === proof.source);
    if (root === undefined || rootFrom(proof, Number(root.size)) !== root.root)
      fail(`BROKEN: leaf ${proof.index} is not in the tree ${proof.source}`);
  }
  const newer = (proofs.notInTree as Json[]).length;
  const whose = keys === null ? "not checked: give KEYS" : "signed by those keys";
  process.stdout.write(`INCLUDED: ${leaves.length} leaves; ${newer} not in the tree; roots ${whose}\n`);
}

const [what, ...files] = process.argv.slice(2);
if (what === "document") process.stdout.write(`SIGNED: ${checkSignature(read(files[0]), read(files[1]))}\n`);
else if (what === "inclusion") {
  const proof = read(files[0]);
  if (rootFrom(proof, Number(proof.size)) !== proof.root) fail("BROKEN: the leaf is not in that tree");
  process.stdout.write(`INCLUDED: compare with a signed root of size ${proof.size}: ${proof.root}\n`);
} else if (what === "evidence") checkEvidence(read(files[0]), files[1] === undefined ? null : read(files[1]));
else if (what === "consistency") {
  const [first, second, proof] = [read(files[0]), read(files[1]), read(files[2])];
  if (first.source !== second.source) fail("BROKEN: they are roots of two sources");
  if (!isConsistent(first, second, hashesOf(proof)))
    fail("BROKEN: the second tree does not begin with the first");
  process.stdout.write("CONSISTENT\n");
} else fail("document FILE KEYS | inclusion FILE | consistency FIRST SECOND PROOF | evidence FILE [KEYS]");
