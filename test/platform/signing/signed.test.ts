import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readSettings, readSigningKey } from "../../../src/platform/config/index.ts";
import { readDocuments, readKeyFile, verifySigned } from "../../../src/platform/signing/index.ts";
import { canonicalJson, keyIdOf, publicKeyOf, Signer } from "../../../src/platform/signing/signed.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { expectGolden } from "../../support/golden.ts";
import { newSigningKey } from "./signing-key.ts";

const AT = new Date("2026-11-01T00:00:00Z");
const LATER = "2026-12-01T00:00:00.000Z";
const signerOf = (key = newSigningKey()) => Signer.of({ CERTIFICATE_SIGNING_KEY: new Secret(key) }) as Signer;
const signer = signerOf();
const certificate = { source: "default", result: "equal", total: { count: 3, amount: "4500.00" }, days: [] };
const signed = signer.sign(certificate, AT);
const pemOf = ({ publicKey }: Signer) =>
  publicKeyOf(publicKey).export({ format: "pem", type: "spki" }).toString();
const keysOf = (one: Signer, retiredAt: string | null = null) =>
  readKeyFile(
    JSON.stringify({
      format: "invoice-relay-keys:v1",
      keys: [{ id: one.keyId, pem: pemOf(one), createdAt: AT, retiredAt }],
    }),
  );
/** As it comes out of a file. */
const reread = (document: unknown) =>
  readDocuments(Buffer.from(JSON.stringify(document, null, 2)))[0] as object;
const check = (document: object, keys = null as ReturnType<typeof readKeyFile> | null) =>
  verifySigned({ ...document }, keys);

it("a document's one spelling sorts keys, tells a number from its text, and leaves out undefined", () => {
  const spelled = canonicalJson({ b: [1, "1", "é\n"], a: { d: null, c: true }, e: undefined });
  expect(spelled).toBe('{"a":{"c":true,"d":null},"b":[1,"1","é\\n"]}');
});

describe("a signed document", () => {
  it("is known again from a file, by its own key, the relay's list and a key in PEM", () => {
    expect(check(reread(signed))).toMatchObject({ state: "signed", keyIsKnown: null });
    for (const keys of [keysOf(signer), readKeyFile(pemOf(signer))])
      expect(check(reread(signed), keys)).toMatchObject({ state: "signed", keyIsKnown: true });
  });

  it("that was edited anywhere is named as such, its signature included", () => {
    const { signature } = signed;
    const forged = [
      { ...signed, result: "not_equal" },
      { ...signed, more: true },
      { ...signed, total: { count: "3", amount: "4500.00" } },
      { source: "default", signature },
      { ...signed, signature: { ...signature, signedAt: LATER } },
      { ...signed, signature: { ...signature, kind: "root" } },
    ];
    for (const document of forged) {
      expect(check(reread(document)).state).toBe("broken");
      expect(check(reread(document), keysOf(signer)).state).toBe("broken");
    }
    expect(check({ ...signed, signature: { ...signature, value: "AAAA" } }).state).toBe("broken");
  });

  it("by somebody else's key, or an older one, is told apart by the keys that are believed", () => {
    const other = signerOf().sign(certificate, AT);
    expect(check(reread(other)).state).toBe("signed");
    const foreign = check(reread(other), keysOf(signer));
    expect(foreign).toMatchObject({ state: "broken", keyIsKnown: false });
    // Another's public key under the name of ours.
    const posing = { ...other, signature: { ...other.signature, keyId: signer.keyId } };
    expect(check(reread(posing)).state).toBe("broken");
    expect(check(reread(posing), keysOf(signer))).toMatchObject({ state: "broken", keyIsKnown: true });
    expect(check(reread(signed), keysOf(signer, LATER))).toMatchObject({ state: "signed" });
    const stolen = signer.sign(certificate, new Date("2026-12-02T00:00:00Z"));
    expect(check(reread(stolen), keysOf(signer, LATER))).toMatchObject({ state: "broken" });
  });

  it("without a signature says that it is unsigned", () => {
    const unsigned = { ...certificate, signature: null };
    expect(check(unsigned, keysOf(signer))).toMatchObject({ state: "unsigned", keyIsKnown: null });
  });
});

/** What is said of each; each is refused. */
const refusals = (cases: Record<string, () => unknown>): string =>
  Object.entries(cases)
    .map(([name, read]) => {
      let said = "";
      try {
        read();
      } catch (error) {
        said = error instanceof Error ? error.message : "";
      }
      expect(said, name).not.toBe("");
      return `${name}: ${said}`;
    })
    .join("\n");

describe("a file that should hold one", () => {
  it("and holds something else is refused in plain words", async () => {
    const text = JSON.stringify(signed);
    const files = {
      ...{ truncated: text.slice(0, -20), damaged: `${text.slice(0, 40)}}`, empty: "", "a PDF": "%PDF-1.7" },
      "other JSON": '[{"error":{}},7]',
      "a list of one and none": `[${text},7]`,
    };
    const cases = Object.entries(files).map(([name, file]) => [name, () => readDocuments(Buffer.from(file))]);
    await expectGolden("documents-refused", refusals(Object.fromEntries(cases)));
  });

  it("may be a list of them", () => {
    expect(readDocuments(Buffer.from(JSON.stringify([signed, signed])))).toHaveLength(2);
  });
});

describe("a key", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const locked = { format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "x" } as const;

  it("may be PEM, its line ends perhaps written out, or base64 of the PKCS8", () => {
    const ids = [pem, pem.replaceAll("\n", "\\n"), der.toString("base64")].map(
      (form) => signerOf(form).keyId,
    );
    expect(new Set(ids)).toEqual(new Set([keyIdOf(publicKey)]));
  });

  it("of another kind is refused at the start, and never printed", async () => {
    const keys: Record<string, string> = {
      public: publicKey.export({ format: "pem", type: "spki" }).toString(),
      RSA: rsa.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
      ...{ locked: privateKey.export(locked).toString(), "a word": "secret" },
    };
    for (const [name, key] of Object.entries(keys)) {
      const said = readSigningKey(key);
      expect(() => readSettings({ CERTIFICATE_SIGNING_KEY: key }), name).toThrow(
        `CERTIFICATE_SIGNING_KEY ${said}`,
      );
      expect(said, name).not.toContain(key.slice(30, 60) || key);
    }
    const cases = Object.entries(keys).map(([name, key]) => [
      name,
      () => readSettings({ CERTIFICATE_SIGNING_KEY: key }),
    ]);
    await expectGolden("keys-refused", refusals(Object.fromEntries(cases)));
  });

  it("file of another kind is refused in plain words", async () => {
    const files = {
      ...{ "a private key": pem, text: "hello", "a certificate": JSON.stringify(signed) },
      "an RSA key": rsa.publicKey.export({ format: "pem", type: "spki" }).toString(),
      "a broken key": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    };
    const cases = Object.entries(files).map(([name, file]) => [name, () => readKeyFile(file)]);
    await expectGolden("key-files-refused", refusals(Object.fromEntries(cases)));
  });
});
