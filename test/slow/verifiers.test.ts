import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Secret } from "../../src/kit/secret.ts";
import { buildLedger } from "../../src/ledger/build.ts";
import { proveConsistency } from "../../src/ledger/proofs.ts";
import { issueRoots } from "../../src/ledger/signed-roots.ts";
import { gatherEvidence } from "../../src/operate/evidence-files.ts";
import { Signer } from "../../src/signing/signed.ts";
import { readKeys } from "../../src/signing/signing-keys.ts";
import { place, prove } from "../reconcile/prove-period.ts";
import { books } from "../reconcile/relay-books.ts";
import { newSigningKey } from "../signing/signing-key.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LANGUAGES = { TypeScript: [process.execPath, "verify.ts"], Python: ["python3", "verify.py"] } as const;

describe.each(Object.entries(LANGUAGES))("a stranger's verifier in %s", (_, [command, program]) => {
  it("takes what was really made, and nothing that was changed", async () => {
    const given = await books();
    const signer = Signer.of({ LEDGER_SIGNING_KEY: new Secret(newSigningKey()) });
    await place(given);
    const key = await place(given);
    await buildLedger(given.db);
    const [first] = await issueRoots(given.db, signer);
    for (let more = 0; more < 5; more += 1) await place(given);
    await buildLedger(given.db);
    const [second] = await issueRoots(given.db, signer);
    const certificate = await prove({ ...given, context: { ...given.context, signer } });
    const path = await proveConsistency(given.db, "default", Number(first?.size), Number(second?.size));
    const printed = { ...second, path: path.map((one) => one.toString("hex")) };

    const folder = await temporaryFolder();
    const check = async (what: string, ...documents: unknown[]) => {
      const files = await Promise.all(
        documents.map(async (document, index) => {
          const file = join(folder, `${index}.json`);
          await writeFile(file, typeof document === "string" ? document : JSON.stringify(document, null, 1));
          return file;
        }),
      );
      return await new Promise<string>((resolve) => {
        execFile(command, [`examples/verify/${program}`, what, ...files], (_error, stdout, stderr) =>
          resolve(stdout + stderr),
        );
      });
    };
    const keys = await readKeys(given.db);
    expect(await check("document", certificate, keys)).toMatch(
      /^SIGNED: certificate of default, at 20\S+Z\n$/,
    );
    expect(await check("document", second, keys)).toMatch(/^SIGNED: root of default, at 20\S+Z\n$/);
    expect(await check("document", { ...certificate, result: "refused" }, keys)).toContain(
      "not what that key",
    );
    expect(await check("document", certificate, { keys: [] })).toContain("is not in KEYS");
    expect(await check("document", { ...certificate, signature: null }, keys)).toContain("UNSIGNED");
    const text = JSON.stringify(certificate);
    expect(await check("document", text.replace("{", '{"gaps":7,'), keys)).toContain("stands twice");
    expect(await check("document", text.replace('"gaps":0', '"gaps":0.0'), keys)).toContain("BROKEN");
    expect(await check("document", certificate)).toMatch(/^BROKEN: .*document FILE KEYS/s);
    expect(await check("document", text.slice(0, -9), keys)).toContain("BROKEN");
    // The very file of the evidence, with a payment that is newer than the tree.
    const newer = await place(given);
    const proofsOf = async (id: string) => {
      const reading = { mask: (text: string) => text, currency: () => undefined, signer };
      const found = await gatherEvidence(given.db, id, reading);
      return String(await found?.files.find(({ path }) => path === "ledger/proofs.json")?.read());
    };
    const evidence = await proofsOf(key);
    expect(await check("evidence", evidence, keys)).toMatch(
      /^INCLUDED: [1-9]\d* leaves of invoice \S+: .*answer.*acceptance; roots signed by those keys\n$/,
    );
    expect(await check("evidence", evidence)).toContain("roots not checked");
    expect(await check("evidence", await proofsOf(newer), keys)).toMatch(
      /^INCLUDED: 0 leaves .*\n(NOT COVERED: \w+ \S+: it has no leaf yet.*\n){3,}$/,
    );
    expect(await check("evidence", evidence, { keys: [] })).toContain("is not in KEYS");
    expect(await check("evidence", evidence.replace("@version", "@Version"), keys)).toContain("BROKEN: leaf");
    expect(await check("consistency", first, [{ ...printed, source: "other" }, printed])).toBe(
      `CONSISTENT: the first ${first?.size} of ${second?.size} leaves are those of the kept root\n`,
    );
    const broken = "does not begin with the kept one";
    expect(await check("consistency", { ...first, root: second?.root }, [printed])).toContain(broken);
    expect(await check("consistency", first, [{ ...printed, path: printed.path.slice(1) }])).toContain(
      "BROKEN",
    );
    expect(await check("consistency", { ...second, path: null }, [{ ...first, path: [] }])).toContain(
      "is smaller",
    );
    expect(await check("consistency", { ...first, source: "other" }, [printed])).toContain("no root of that");
  });
});
