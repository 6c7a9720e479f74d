import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Secret } from "../../src/kit/secret.ts";
import { readSettings } from "../../src/kit/settings.ts";
import { readSigningKey } from "../../src/kit/signing-key.ts";
import { readDocuments } from "../../src/signing/read-documents.ts";
import { canonicalJson, keyIdOf, publicKeyOf, Signer } from "../../src/signing/signed.ts";
import { readKeyFile, verifySigned } from "../../src/signing/verify-signed.ts";
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

describe("one spelling of a document", () => {
  it("sorts keys, tells a number from a text of its digits, and leaves out what is undefined", () => {
    expect(canonicalJson({ b: [1, "1", "é\n"], a: { d: null, c: true }, e: undefined })).toBe(
      '{"a":{"c":true,"d":null},"b":[1,"1","é\\n"]}',
    );
  });
});

describe("a signed document", () => {
  it("is known again from a file, by its own key, the relay's list and a key in PEM", () => {
    expect(check(reread(signed))).toMatchObject({ state: "signed", keyIsKnown: null });
    expect(check(reread(signed)).says).toContain("Whose key that is, it cannot show itself");
    for (const keys of [keysOf(signer), readKeyFile(pemOf(signer))])
      expect(check(reread(signed), keys)).toMatchObject({
        state: "signed",
        keyIsKnown: true,
        says: `It is unchanged since key ${signer.keyId} signed it at ${AT.toISOString()}.`,
      });
  });

  it("that was edited anywhere is named as such, its signature included", () => {
    const { signature } = signed;
    const forged = [
      { ...signed, result: "not_equal" },
      { ...signed, total: { count: 4, amount: "4500.00" } },
      { ...signed, more: true },
      { ...signed, total: { count: "3", amount: "4500.00" } },
      { source: "default", signature },
      { ...signed, signature: { ...signature, signedAt: LATER } },
      { ...signed, signature: { ...signature, kind: "root" } },
    ];
    for (const document of forged) {
      expect(check(reread(document)).state).toBe("broken");
      expect(check(reread(document)).says).toMatch(/edited/);
      expect(check(reread(document), keysOf(signer)).state).toBe("broken");
    }
    const damaged = check({ ...signed, signature: { ...signature, value: "AAAA" } });
    expect(damaged.says).toContain("Its signature is damaged");
  });

  it("by somebody else's key, or an older one, is told apart by the keys that are believed", () => {
    const other = signerOf().sign(certificate, AT);
    expect(check(reread(other)).state).toBe("signed");
    const foreign = check(reread(other), keysOf(signer));
    expect(foreign).toMatchObject({ state: "broken", keyIsKnown: false });
    expect(foreign.says).toContain(`signed by key ${other.signature?.keyId}, which is not in the key file`);
    // Another's public key under the name of ours.
    const posing = { ...other, signature: { ...other.signature, keyId: signer.keyId } };
    expect(check(reread(posing)).says).toContain("It was edited");
    expect(check(reread(posing), keysOf(signer)).says).toContain("It was edited");
    const older = check(reread(signed), keysOf(signer, LATER));
    expect(older).toMatchObject({ state: "signed" });
    expect(older.says).toContain(`That key was retired at ${LATER}, after it signed.`);
    const stolen = signer.sign(certificate, new Date("2026-12-02T00:00:00Z"));
    expect(check(reread(stolen), keysOf(signer, LATER))).toMatchObject({ state: "broken" });
  });

  it("without a signature says that it is unsigned", () => {
    for (const document of [certificate, { ...certificate, signature: null }])
      expect(check(document, keysOf(signer))).toMatchObject({ state: "unsigned", keyIsKnown: null });
  });
});

describe("a file that should hold one", () => {
  it.each([
    ["truncated", JSON.stringify(signed).slice(0, -20), "ends in the middle: it is truncated"],
    ["damaged", `${JSON.stringify(signed).slice(0, 40)}}`, "is not JSON: it was edited or damaged"],
    ["empty", "", "not a signed document"],
    ["a PDF", "%PDF-1.7", "not a signed document"],
    ["too deep", "[".repeat(100_000), "not a signed document"],
    ["CSV", "row,certificate,source\r\n", "Take its JSON"],
    ["other JSON", '[{"error":{}},7]', "not a signed document"],
    ["a list of one and none", `[${JSON.stringify(signed)},7]`, "not a signed document"],
    ["twice with a name", JSON.stringify(signed).replace("{", '{"result":"not_equal",'), "stands twice"],
    ["with another spelling", JSON.stringify(signed).replace('"count":3', '"count":3.0'), "number 3.0"],
    [
      "with lost digits",
      JSON.stringify(signed).replace('"count":3', '"count":3.00000000000000000001'),
      "number 3.0",
    ],
  ])("and is %s is refused in plain words", (_, text, words) => {
    expect(() => readDocuments(Buffer.from(text))).toThrow(words);
  });

  it("may be a list of them, or in the UTF-16 of a Windows shell", () => {
    expect(readDocuments(Buffer.from(JSON.stringify([signed, signed])))).toHaveLength(2);
    expect(readDocuments(Buffer.from(`\ufeff${JSON.stringify(signed)}`, "utf16le"))).toEqual([signed]);
  });
});

describe("a key", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const locked = { format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "x" } as const;

  it("may be PEM, its line ends perhaps written out, or base64 of the PKCS8 or the seed", () => {
    const forms = [
      pem,
      pem.replaceAll("\n", "\\n"),
      der.toString("base64"),
      der.subarray(-32).toString("base64"),
    ];
    const ids = forms.map((form) => signerOf(form).keyId);
    expect(new Set(ids)).toEqual(new Set([keyIdOf(publicKey)]));
  });

  it.each([
    ["public", publicKey.export({ format: "pem", type: "spki" }).toString(), "is a public key"],
    ["RSA", rsa.privateKey.export({ format: "pem", type: "pkcs8" }).toString(), "of the kind rsa"],
    ["locked", privateKey.export(locked).toString(), "is protected by a passphrase"],
    ["a word", "secret", "should be one Ed25519 private key"],
    ["one of two", pem + pem, "should be one Ed25519 private key and nothing else"],
    ["followed by a word", `${pem}more`, "and nothing else"],
    ["followed by bytes", Buffer.concat([der, Buffer.alloc(8)]).toString("base64"), "and nothing else"],
    ["spelled with more", `${der.subarray(-32).toString("base64")}x`, "and nothing else"],
  ])("that is %s is refused at the start, and never printed", (_, key, words) => {
    expect(() => readSettings({ CERTIFICATE_SIGNING_KEY: key })).toThrow(
      `CERTIFICATE_SIGNING_KEY ${readSigningKey(key)}`,
    );
    expect(readSigningKey(key)).toContain(words);
    expect(readSigningKey(key)).not.toContain(key.slice(30, 60) || key);
  });

  it.each([
    ["a private key", pem, "holds a private key, which belongs to the relay alone"],
    [
      "an RSA key",
      rsa.publicKey.export({ format: "pem", type: "spki" }).toString(),
      "holds a key of the kind rsa",
    ],
    ["a broken key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "cannot be read"],
    ["a certificate", JSON.stringify(signed), "is JSON of another kind"],
    ["an empty list", '{"format":"invoice-relay-keys:v1","keys":[]}', "names no key"],
    ["text", "hello", "is neither JSON nor PEM"],
  ])("file that is %s is refused in plain words", (_, text, words) => {
    expect(() => readKeyFile(text)).toThrow(words);
  });
});
