// Checks a certificate that invoice-relay signed, with nothing of it but docs/certificates.md; needs Node 24.2 or newer.
// node verify.ts document FILE KEYS
import { verify } from "node:crypto";
import { readFileSync } from "node:fs";

type Document = { source: string; signature?: { [name: string]: string } | null };
type Keys = { keys: { id: string; pem: string; retiredAt: string | null }[] };

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
function checkSignature(document: Document, { keys }: Keys): string {
  const { value = "", ...signature } = document.signature ?? fail("UNSIGNED");
  const { keyId, signedAt = "", kind = "" } = signature;
  const key = keys.find(({ id }) => id === keyId) ?? fail(`key ${keyId} is not in KEYS`);
  if (key.retiredAt !== null && signedAt > key.retiredAt) fail("it was signed after its key was retired");
  const message = `invoice-relay signed document v1\n${JSON.stringify({ ...document, signature })}`;
  const bytes = Buffer.from(value, "base64");
  same(bytes.toString("base64"), value);
  return verify(null, Buffer.from(message), key.pem, bytes) ? kind : fail("it is not what that key signed");
}

/** @returns what there is to say. @throws Error where something is not as it should be. */
export function check(what = "", ...files: string[]): string {
  if (what !== "document" || files.length !== 2) fail("document FILE KEYS");
  const [document, keys] = files.map(read) as [Document, Keys];
  return `SIGNED: ${checkSignature(document, keys)} of ${document.source}, at ${document.signature?.signedAt}`;
}

if (import.meta.main)
  try {
    process.stdout.write(`${check(...process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`BROKEN: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
