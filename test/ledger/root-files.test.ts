import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { check } from "../../examples/verify/verify.ts";
import { Secret } from "../../src/kit/secret.ts";
import { buildLedger } from "../../src/ledger/build.ts";
import { issueRoots } from "../../src/ledger/signed-roots.ts";
import { Signer } from "../../src/signing/signed.ts";
import { readKeys } from "../../src/signing/signing-keys.ts";
import { newSigningKey } from "../signing/signing-key.ts";
import { runCli } from "../support/cli-process.ts";
import { addPayments } from "../support/ledgered-rows.ts";
import { withDatabase } from "../support/log-rows.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a root file's signature is checked, and `ledger root --since` proves what an older root stands for", async () => {
  const { around, db } = await withDatabase();
  await addPayments(around, 40);
  await buildLedger(db);
  const roots = await issueRoots(db, Signer.of({ LEDGER_SIGNING_KEY: new Secret(newSigningKey()) }));
  const first = roots.find(({ source }) => source === "default");
  const folder = await temporaryFolder();
  const kept = async (name: string, content: unknown) => {
    await writeFile(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const run = (...words: string[]) => runCli(["ledger", ...words], around.environment());
  const keys = await kept("keys.json", await readKeys(db));
  const file = await kept("roots.json", roots);
  expect(await run("verify", "--root", file, "--keys", keys)).toMatchObject({ code: 0 });
  expect(await run("verify", "--root", await kept("edited.json", { ...first, size: "7" }))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("It was edited"),
  });
  const unsigned = await kept("unsigned.json", { ...first, signature: null });
  expect(await run("verify", "--root", unsigned)).toMatchObject({ code: 0 });
  expect(await run("verify", "--root", unsigned, "--keys", keys)).toMatchObject({ code: 1 });
  expect(await run("verify", "--keys", keys)).toMatchObject({ code: 2 });
  const away = { ...around.environment(), DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
  expect(await runCli(["ledger", "verify", "--root", keys], away)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/keys\.json holds no root: It is JSON, but not a signed document/),
  });
  const cut = await kept("cut.json", first);
  await writeFile(cut, JSON.stringify(first).slice(0, -9));
  expect(await run("verify", "--root", cut)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/cut\.json holds no root: It ends in the middle: it is truncated/),
  });

  await addPayments(around, 50, { from: new Date(Date.now() - 60_000) });
  await buildLedger(db);
  const { stdout } = await run("root", "--since", String(first?.size), "--json");
  const printed = JSON.parse(stdout);
  const files = [await kept("first.json", first), await kept("printed.json", printed)];
  expect(check("consistency", ...files)).toMatch(/^CONSISTENT: the first 3\d\d of 7\d\d leaves/);
  expect(printed.find(({ source }: { source: string }) => source === "*").path).toBeNull();
});
