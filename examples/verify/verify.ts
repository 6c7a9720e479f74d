// Checks what invoice-relay signed, with nothing of it, on Node 24.2 or newer: node verify.ts document FILE KEYS |
// inclusion FILE | consistency FIRST SECOND PROOF | evidence ledger/proofs.json [KEYS]. The format: docs/ledger.md.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

type Json = { [name: string]: unknown };
/** Emits a number as its digits stood. */
const { rawJSON } = JSON as unknown as { rawJSON(digits: string): { rawJSON: string } };

function fail(why: string): never {
  throw new Error(why);
}

function parse(text: string): Json {
  let members = -1;
  const parsed = JSON.parse(text, function (this: unknown, _name, value, context?: { source?: string }) {
    if (!Array.isArray(this)) members += 1;
    return typeof value === "number" ? rawJSON(context?.source ?? String(value)) : value;
  });
  const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined);
  if (names.length !== members) fail("a name stands twice in an object");
  return parsed;
}

const read = (path = ""): Json => parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));

function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null || "rawJSON" in value) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(",")}}`;
}

const sha = (...parts: Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest();

/** @returns its kind. */
function checkSignature(document: Json, keys: Json): string {
  if (!document.signature) fail("UNSIGNED");
  const { value = "", ...signature } = document.signature as { [name: string]: string };
  const known = (keys.keys as { pem: string; retiredAt: string | null }[]).find(({ pem }) => {
    const spki = createPublicKey(pem).export({ format: "der", type: "spki" });
    return sha(spki).toString("hex").slice(0, 16) === signature.keyId;
  });
  if (known === undefined) fail(`signed by ${signature.keyId}, which is none of the keys given`);
  if (known.retiredAt !== null && String(signature.signedAt) > known.retiredAt)
    fail("signed after its key was retired");
  const message = Buffer.from(`invoice-relay signed document v1\n${canonical({ ...document, signature })}`);
  const bytes = Buffer.from(value, "base64");
  if (bytes.toString("base64") !== value || !verify(null, message, createPublicKey(known.pem), bytes))
    fail("it is not what that key signed");
  return String(signature.kind);
}

function count(value: unknown): number {
  const digits = String((value as { rawJSON?: string } | null)?.rawJSON ?? value);
  return /^(0|[1-9][0-9]{0,14})$/.test(digits) ? Number(digits) : fail(`${digits} is no count`);
}

function bytes(hex: unknown): Buffer {
  return /^[0-9a-f]{64}$/.test(String(hex)) ? Buffer.from(String(hex), "hex") : fail(`${hex} is no hash`);
}

const pathIn = (proof: Json) => (proof.path as unknown[]).map(bytes);
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

function checkInclusion(proof: Json): void {
  const [index, size] = [count(proof.index), count(proof.size)];
  const leaf = sha(Buffer.of(0), Buffer.from(String(proof.leaf)));
  const found = index < size ? goUp(index, size - 1, leaf, pathIn(proof)) : null;
  if (!found?.other.equals(bytes(proof.root))) fail(`leaf ${index} is not in that tree`);
}

function isConsistent(first: Json, second: Json, path: Buffer[]): boolean {
  const [m, n, older, newer] = [count(first.size), count(second.size), bytes(first.root), bytes(second.root)];
  if (m === n || m === 0) return path.length === 0 && older.equals(m === n ? newer : sha());
  let [here, last] = [m - 1, n - 1];
  while (here % 2 === 1) [here, last] = [half(here), half(last)];
  // A tree of a power of two leaves is one subtree of the second, whose root the path leaves out.
  const [start, ...steps] = here === 0 ? [older, ...path] : path;
  const found = start === undefined || m > n ? null : goUp(here, last, start, steps);
  return found?.one.equals(older) === true && found.other.equals(newer);
}

function checkEvidence(proofs: Json, keys: Json | null): string[] {
  const [invoiceId, roots, events, kinds] = [
    proofs.invoiceId,
    new Map<unknown, Json>(),
    new Set(),
    [] as string[],
  ];
  for (const root of proofs.roots as Json[]) {
    if (roots.has(root.source)) fail(`two roots of ${root.source}`);
    if (keys !== null && checkSignature(root, keys) !== "root")
      fail("it is signed, but as something else than a root");
    roots.set(root.source, root);
  }
  for (const proof of proofs.leaves as Json[]) {
    const [root, leaf] = [roots.get(proof.source), parse(String(proof.leaf)) as { [name: string]: string }];
    checkInclusion(proof);
    if (
      count(root?.size) !== count(proof.size) ||
      root?.root !== proof.root ||
      leaf["@source"] !== proof.source
    )
      fail(`leaf ${count(proof.index)} is of another tree than ${proof.source}`);
    const named = { answer: leaf.id, event: leaf.invoice_id, callback: leaf.invoice_ids }[
      String(leaf["@kind"])
    ];
    const isOfEvent = leaf["@kind"] === "acceptance" && events.has(leaf.event_id);
    if (!isOfEvent && !(named ?? leaf.invoice_id ?? "").split(" ").includes(String(invoiceId)))
      fail(`leaf ${count(proof.index)} is not of invoice ${invoiceId}`);
    if (leaf["@kind"] === "event") events.add(leaf.id);
    kinds.push(String(leaf["@kind"]));
  }
  const whose = keys === null ? "roots not checked: give KEYS" : "roots signed by those keys";
  return [
    `INCLUDED: ${kinds.length} leaves of invoice ${invoiceId}: ${kinds.join(", ")}; ${whose}`,
    ...(proofs.notInTree as Json[]).map(({ kind, key, why }) => `NOT COVERED: ${kind} ${key}: ${why}`),
    ...(proofs.isWhole === true ? [] : ["NOT COVERED: what the file has no room for"]),
  ];
}

/** @returns lines. @throws Error where it is not as it should be. */
export function check(what = "", ...files: string[]): string[] {
  const [first = {}, second = null, proof = {}] = files.map(read);
  if (what === "document") return [`SIGNED: ${checkSignature(first, second ?? {})}`];
  if (what === "evidence") return checkEvidence(first, second);
  if (what === "inclusion") {
    checkInclusion(first);
    return [`INCLUDED: compare with a signed root of size ${count(first.size)}: ${first.root}`];
  }
  if (what !== "consistency")
    fail("document FILE KEYS | inclusion FILE | consistency FIRST SECOND PROOF | evidence FILE [KEYS]");
  if (first.source !== second?.source) fail("they are roots of two sources");
  if (!isConsistent(first, second ?? {}, pathIn(proof)))
    fail("the second tree does not begin with the first");
  return ["CONSISTENT"];
}

if (import.meta.main)
  try {
    process.stdout.write(`${check(...process.argv.slice(2)).join("\n")}\n`);
  } catch (error) {
    process.stderr.write(`BROKEN: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
