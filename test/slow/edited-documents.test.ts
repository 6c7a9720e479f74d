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
import { buildLedger } from "../../src/ledger/build.ts";
import { consistencyPath, leafHash, nodeHash, rootOf } from "../../src/ledger/merkle.ts";
import { issueRoots } from "../../src/ledger/signed-roots.ts";
import { readProofs } from "../../src/operate/evidence-proofs.ts";
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
  for (const { 0: hex, index } of text.matchAll(/(?<=")[0-9a-f]{64}(?=")/g))
    for (const other of [hex.toUpperCase(), ` ${hex}`, `${hex}00`, hex.slice(2), ""])
      yield text.slice(0, index) + other + text.slice(index + 64);
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

async function signedBooks() {
  const given = await books();
  const signer = Signer.of({ LEDGER_SIGNING_KEY: new Secret(newSigningKey()) });
  const [key, other] = [await place(given), await place(given)];
  await buildLedger(given.db);
  const certificate = await prove({ ...given, context: { ...given.context, signer } });
  const [root] = await issueRoots(given.db, signer);
  const keys = JSON.stringify(await readKeys(given.db));
  const proofsOf = async (invoiceId: string, limit?: number) => {
    const events = await given.db
      .selectFrom("event")
      .select("id")
      .where("invoice_id", "=", invoiceId)
      .execute();
    const payment = { invoiceId, sources: ["default"], eventIds: events.map(({ id }) => id) };
    return (await readProofs(given.db, payment, signer, limit)).proofs;
  };
  return { certificate, root, keys, key, other, proofsOf };
}

it("a certificate and a root are taken as they were signed, however they are laid out, and by all three alike", async () => {
  const { certificate, root, keys } = await signedBooks();
  const strangers = await verifiers();
  const known = readKeyFile(keys);
  let taken = 0;
  for (const document of [certificate, root]) {
    const text = JSON.stringify(document);
    expect(await strangers("document", text, keys)).toEqual({ ts: true, py: true });
    for (const edited of edits(text, 7)) {
      const own = isTaken(() =>
        readDocuments(Buffer.from(edited)).every(
          (one) => verifySigned(one, { kinds: ["certificate", "root"], keys: known }).state === "signed",
        ),
      );
      const says = meaning(textOf(edited));
      const same = says !== undefined && isDeepStrictEqual(says, meaning(text));
      const found = { own, ...(await strangers("document", edited, keys)) };
      const edit = around(text, edited);
      expect({ edit, ...found }).toEqual({ edit, own: same, ts: same, py: same });
      if (same) taken += 1;
    }
  }
  // Escapes in names and space around it.
  expect(taken).toBeGreaterThan(20);
});

it("the proofs of a payment are taken as they are, and those of another one are not", async () => {
  const { keys, key, other, proofsOf } = await signedBooks();
  const strangers = await verifiers();
  const [proofs, others] = [await proofsOf(key), await proofsOf(other)];
  const text = JSON.stringify(proofs);
  expect(await strangers("evidence", text, keys)).toEqual({ ts: true, py: true });
  const parts = (value: unknown) => {
    const { invoiceId, roots, leaves } = value as typeof proofs;
    const own = ({ index, path, leaf }: (typeof leaves)[number]) => [index, path, leaf];
    return isTaken(() => leaves.map(own)) && { invoiceId, roots, leaves: leaves.map(own) };
  };
  const said = (edited: string) => JSON.stringify(parts(meaning(edited) ?? {}));
  for (const edited of edits(text, 11)) {
    const same = said(textOf(edited)) === said(text);
    const found = await strangers("evidence", edited, keys);
    const edit = around(text, edited);
    if (same) expect([edit, found.ts]).toEqual([edit, found.py]);
    else expect({ edit, ...found }).toEqual({ edit, ts: false, py: false });
  }
  const { leaves } = proofs;
  const foreign = [
    ...[other, "", null, undefined].map((invoiceId) => ({ ...proofs, invoiceId })),
    { ...proofs, leaves: [...leaves, ...others.leaves] },
    { ...proofs, leaves: others.leaves },
    { ...proofs, leaves: others.leaves.filter(({ leaf }) => leaf.includes('"acceptance"')) },
    { ...proofs, roots: [...proofs.roots, ...proofs.roots] },
    { ...proofs, roots: [] },
    ...[0, "-1", "1e15", "", "0x1", "+0", ["0"], true, null].map((index) => ({
      ...proofs,
      leaves: leaves.map((one) => ({ ...one, index })),
    })),
    ...leaves.map((one, at) => ({ ...proofs, leaves: leaves.with(at, { ...one, path: one.path.slice(1) }) })),
    ...leaves.map((one, at) => ({
      ...proofs,
      leaves: leaves.with(at, { ...one, path: [...one.path, "00".repeat(32)] }),
    })),
  ];
  for (const swapped of foreign)
    expect(await strangers("evidence", JSON.stringify(swapped), keys)).toEqual({ ts: false, py: false });
});

it("of more rows than a file holds, it says that there are more", async () => {
  const { key, proofsOf } = await signedBooks();
  expect(await proofsOf(key)).toMatchObject({ isWhole: true, limit: "2000", notInTree: [] });
  expect(await proofsOf(key, 2)).toMatchObject({ isWhole: false, limit: "2", leaves: [{}, {}] });
});

it("a tree begins with a smaller one by its own path alone", async () => {
  const strangers = await verifiers();
  const hashes = Array.from({ length: 9 }, (_, at) => leafHash(Buffer.from(String(at))));
  const read = (level: number, index: number): Buffer =>
    level === 0
      ? (hashes[index] as Buffer)
      : nodeHash(read(level - 1, 2 * index), read(level - 1, 2 * index + 1));
  const same = Buffer.alloc(32, 7);
  for (let second = 1; second <= hashes.length; second += 1)
    for (let first = 0; first <= second + 1; first += 1) {
      const isSize = first > 0 && first <= second;
      const [older, newer] = [await rootOf(0, isSize ? first : 1, read), await rootOf(0, second, read)];
      const path = await consistencyPath(isSize ? first : 1, second, read);
      const cases = [
        [older, newer, path],
        [same, newer, path],
        [older, same, path],
        [older, newer, [...path, same]],
        [older, newer, [same, ...path]],
        [older, newer, path.slice(1)],
        [older, newer, path.slice(0, -1)],
        [older, newer, path.toReversed()],
      ] as const;
      for (const [firstRoot, secondRoot, steps] of cases) {
        const [one, two] = [
          { source: "a", size: String(first), root: firstRoot.toString("hex") },
          { source: "a", size: String(second), root: secondRoot.toString("hex") },
        ];
        const printed = [{ ...two, path: steps.map((step) => step.toString("hex")) }];
        const isTrue = isSize && isDeepStrictEqual([firstRoot, secondRoot, steps], [older, newer, path]);
        const found = await strangers("consistency", JSON.stringify(one), JSON.stringify(printed));
        expect([first, second, found]).toEqual([first, second, { ts: isTrue, py: isTrue }]);
      }
    }
});
