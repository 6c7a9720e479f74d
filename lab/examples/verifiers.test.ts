import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readKeys, Signer } from "../../src/platform/signing/index.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { place, prove } from "../../test/pipeline/reconcile/prove-period.ts";
import { books } from "../../test/pipeline/reconcile/relay-books.ts";
import { newSigningKey } from "../../test/platform/signing/signing-key.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const LANGUAGES = { TypeScript: [process.execPath, "verify.ts"], Python: ["python3", "verify.py"] } as const;

describe.each(Object.entries(LANGUAGES))("a stranger's verifier in %s", (_, [command, program]) => {
  it("takes what was really made, and nothing that was changed", async () => {
    const given = await books();
    const signer = Signer.of({ CERTIFICATE_SIGNING_KEY: new Secret(newSigningKey()) });
    await place(given);
    const certificate = await prove({ ...given, context: { ...given.context, signer } });

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
  });
});
