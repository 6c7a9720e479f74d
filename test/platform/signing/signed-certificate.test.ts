import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCertificate } from "../../../src/pipeline/reconcile/read-certificates.ts";
import { Signer } from "../../../src/platform/signing/signed.ts";
import { issue, readKeys, registerKey } from "../../../src/platform/signing/signing-keys.ts";
import { readKeyFile, verifySigned } from "../../../src/platform/signing/verify-signed.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { place, prove } from "../../pipeline/reconcile/prove-period.ts";
import { books } from "../../pipeline/reconcile/relay-books.ts";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { startHarness, startRelay } from "../../support/relay.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { newSigningKey } from "./signing-key.ts";

const signerOf = (key = newSigningKey()) => Signer.of({ CERTIFICATE_SIGNING_KEY: new Secret(key) }) as Signer;

/** A file of the day, and how the command line finds it. */
async function files() {
  const folder = await temporaryFolder();
  const save = async (name: string, content: unknown) => {
    const path = join(folder, name);
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return path;
  };
  // Nothing but the files: no settings, no database.
  const verify = async (...words: string[]) => {
    const { code, stdout } = await runCli(["certificate", "verify", ...words, "--json"], {});
    const [verdict] = [JSON.parse(stdout)].flat();
    return [code, verdict.error?.code ?? verdict.state, verdict.keyIsKnown];
  };
  return { save, verify };
}

describe("a certificate", () => {
  it("is kept as it was signed, and checked offline", async () => {
    const given = await books();
    await place(given);
    const signer = signerOf();
    const { id } = await prove({ ...given, context: { ...given.context, signer } });
    const kept = await readCertificate(given.db, id);
    expect(kept?.basis.topics).toMatchObject({ live: given.source.liveTopicArn });
    const { save, verify } = await files();
    const file = await save("certificate.json", kept);
    const keys = await save("keys.json", await readKeys(given.db));
    expect(await verify(file, "--keys", keys)).toEqual([0, "signed", true]);
    // Anybody can sign: without keys to believe it proves nothing about who did.
    expect(await verify(file)).toEqual([1, "signed", null]);
    const edited = await save("edited.json", { ...kept, result: "not_equal" });
    expect(await verify(edited, "--keys", keys)).toEqual([1, "broken", true]);
    const stranger = signerOf();
    const foreign = await save("foreign.json", stranger.sign({ ...kept }, new Date()));
    expect(await verify(foreign, "--keys", keys)).toEqual([1, "broken", false]);
    const { signature: _, ...unsigned } = kept ?? {};
    const older = await save("older.json", unsigned);
    expect(await verify(older, "--keys", keys)).toEqual([1, "unsigned", null]);
    const cut = await save("cut.json", JSON.stringify(kept).slice(0, -9));
    expect(await verify(cut, "--keys", keys)).toEqual([1, "failed", undefined]);
    expect(await verify(file, "--keys", file)).toEqual([2, "usage", undefined]);
    expect(await verify(`${file}.none`)).toEqual([2, "usage", undefined]);
    const said = [file, edited, foreign, older, cut].map(async (one) => {
      const { stdout, stderr } = await runCli(["certificate", "verify", one, "--keys", keys], {});
      return stdout + stderr;
    });
    const { stdout } = await runCli(["certificate", "verify", file], {});
    const ids = new RegExp(`${signer.keyId}|${stranger.keyId}`, "g");
    const words = [...(await Promise.all(said)), stdout].join("\n").replaceAll(ids, "<key>");
    await expectGolden("certificate-verify", words);
  });

  it("is signed as it is shown: a callback token that it quotes is masked before", async () => {
    const given = await books();
    const signer = signerOf();
    const quoting = { source: "default", name: "x/callbacks/0123456789abcdefghijkl" };
    const signed = await issue(given.db, signer, quoting);
    expect(signed.name).toBe("x/callbacks/***");
    expect(verifySigned(signed, null).state).toBe("signed");
  });
});

describe("keys", () => {
  it("that were used before stay published, on both ports, and check what they signed", async () => {
    const harness = await startHarness();
    const key = newSigningKey();
    const relay = await startRelay(harness.environment({ CERTIFICATE_SIGNING_KEY: key, OPS_PORT: "0" }));
    const read = async (url: string) => await fetch(`${url}/.well-known/invoice-relay-keys.json`);
    const answer = await read(relay.url);
    expect(await answer.clone().json()).toMatchObject({
      keys: [{ id: signerOf(key).keyId, retiredAt: null }],
    });
    expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
    expect(await (await read(relay.opsUrl ?? "")).text()).toBe(await answer.text());
    const given = await books();
    const [old, next] = [signerOf(), signerOf()];
    const signed = await issue(given.db, old, { source: "default" });
    await registerKey(given.db, next);
    const keys = readKeyFile(JSON.stringify(await readKeys(given.db)));
    expect(keys.map(({ id, retiredAt }) => [id, retiredAt === null])).toEqual([
      [next.keyId, true],
      [old.keyId, false],
    ]);
    expect(verifySigned(signed, keys)).toMatchObject({ state: "signed", keyIsKnown: true });
  });
});
