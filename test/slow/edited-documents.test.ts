import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { check } from "../../examples/verify/verify.ts";
import { Secret } from "../../src/kit/secret.ts";
import { readDocuments } from "../../src/signing/read-documents.ts";
import { Signer } from "../../src/signing/signed.ts";
import { readKeys } from "../../src/signing/signing-keys.ts";
import { readKeyFile, verifySigned } from "../../src/signing/verify-signed.ts";
import { place, prove } from "../reconcile/prove-period.ts";
import { books } from "../reconcile/relay-books.ts";
import { newSigningKey } from "../signing/signing-key.ts";

// The relay's own verifier and the two of strangers take what says the same as what was signed, and nothing else.

/** Answers each line of paths with whether the verifier in Python takes them; a crash is no answer. */
const DRIVER = `
import json, sys
sys.path.insert(0, "examples/verify")
import verify
for line in sys.stdin:
    try:
        verify.check(*json.loads(line))
        print("taken", flush=True)
    except (ValueError, LookupError, TypeError, AttributeError):
        print("refused", flush=True)
`;

async function verifiers() {
  const folder = await mkdtemp(join(tmpdir(), "edited-"));
  const python = spawn("python3", ["-c", DRIVER], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  onTestFinished(async () => {
    python.stdin.end();
    await once(python, "exit");
    await rm(folder, { recursive: true });
  });
  return async (what: string, ...contents: (string | Buffer)[]) => {
    const files = contents.map((_, index) => join(folder, `${index}.json`));
    await Promise.all(contents.map((content, index) => writeFile(files[index] ?? "", content)));
    python.stdin.write(`${JSON.stringify([what, ...files])}\n`);
    return { ts: isTaken(() => check(what, ...files)), py: (await answers.next()).value === "taken" };
  };
}

function isTaken(verify: () => unknown): boolean {
  try {
    return verify() !== false;
  } catch {
    return false;
  }
}

/** What stands in a file: UTF-8, or UTF-16 as Windows' shells write it; "" where it is neither. */
function textOf(edited: string | Buffer): string {
  if (typeof edited === "string") return edited.replace(/^\ufeff/, "");
  return edited[0] === 0xff ? edited.toString("utf16le").replace(/^\ufeff/, "") : "";
}

/** What a text says, each number as it is spelled; undefined when that is not one thing. */
function meaning(text: string): unknown {
  let members = -1;
  try {
    const parsed = JSON.parse(text, function (this: unknown, _, value, context?: { source?: string }) {
      if (!Array.isArray(this)) members += 1;
      return typeof value === "number" ? { digits: context?.source } : value;
    });
    return members === text.match(/"(?:[^"\\]|\\.)*"\s*:/g)?.length ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The edit itself, for whoever reads that it was taken or refused. */
function around(text: string, edited: string | Buffer): string {
  const other = edited.toString();
  const at = [...text].findIndex((one, index) => one !== other[index]);
  return other.slice(Math.max(0, at - 30), at + 30);
}

/** Edits of a JSON text, the same ones each time. @param step how many characters apart some of them are. */
function* edits(text: string, step: number): Generator<string | Buffer> {
  for (let at = 0; at < text.length; at += 1) {
    const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << (at % 5)));
    yield text.slice(0, at) + flipped + text.slice(at + 1);
    if (at % step !== 0) continue;
    yield text.slice(0, at);
    yield text.slice(0, at) + text.slice(at + 1);
    yield text.slice(0, at) + text.slice(at, at + 1) + text.slice(at);
    yield Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.of(0xff), Buffer.from(text.slice(at + 1))]);
  }
  for (const { 0: number, index } of text.matchAll(/(?<=[:[,])-?\d+(\.\d+)?(?=[,}\]])/g))
    for (const other of [`${number}.0`, `0${number}`, `-${number}`, `"${number}"`, `${number}e0`, "NaN"])
      yield text.slice(0, index) + other + text.slice(index + number.length);
  for (const { 0: name, index } of text.matchAll(/"\w+":/g)) {
    yield `${text.slice(0, index)}${name}null,${text.slice(index)}`;
    yield `${text.slice(0, index)}"__proto__":{},${text.slice(index)}`;
    const escaped = `"\\u00${name.charCodeAt(1).toString(16)}${name.slice(2)}`;
    yield text.slice(0, index) + escaped + text.slice(index + name.length);
    yield `${text.slice(0, index)}${escaped}7,${text.slice(index)}`;
  }
  for (const space of ["\ufeff", "\ufeff\ufeff", "\n", "\r\n", "\u00a0", "\0", "\u2028"]) {
    yield space + text;
    yield text + space;
  }
  yield JSON.stringify(JSON.parse(text), null, 2).replaceAll("\n", "\r\n");
  yield Buffer.from(`\ufeff${text}`, "utf16le");
  yield Buffer.from(text, "utf16le");
  yield Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  yield `${text}${text}`;
  yield `[${text}`;
}

it("a certificate is taken as it was signed, however it is laid out, and by all three alike", async () => {
  const given = await books();
  const signer = Signer.of({ CERTIFICATE_SIGNING_KEY: new Secret(newSigningKey()) });
  await place(given);
  const text = JSON.stringify(await prove({ ...given, context: { ...given.context, signer } }));
  const keys = JSON.stringify(await readKeys(given.db));
  const known = readKeyFile(keys);
  const strangers = await verifiers();
  expect(await strangers("document", text, keys)).toEqual({ ts: true, py: true });
  let taken = 0;
  for (const edited of edits(text, 7)) {
    const own = isTaken(() =>
      readDocuments(Buffer.from(edited)).every((one) => verifySigned(one, known).state === "signed"),
    );
    const says = meaning(textOf(edited));
    const same = says !== undefined && isDeepStrictEqual(says, meaning(text));
    const found = { own, ...(await strangers("document", edited, keys)) };
    const edit = around(text, edited);
    expect({ edit, ...found }).toEqual({ edit, own: same, ts: same, py: same });
    if (same) taken += 1;
  }
  // Escapes in names and space around it.
  expect(taken).toBeGreaterThan(20);
});
