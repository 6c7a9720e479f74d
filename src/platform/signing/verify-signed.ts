import { createPublicKey, type KeyObject } from "node:crypto";
import { z } from "zod";
import { RelayError, usageError } from "../errors/index.ts";
import { isTooIntricate } from "../values/index.ts";
import { isSignedBy, keyIdOf, publicKeyOf, type Signature } from "./signed.ts";

/** More than any of ours: a certificate names ten thousand differences. */
const LIMITS = { depth: 32, pieces: 2_000_000 };

/**
 * The documents in a file: one, or a list of them as `certify --json` prints it. Windows' shells write UTF-16.
 * @throws RelayError where it holds no whole JSON document, or one that two readers could read as different things.
 */
export function readDocuments(bytes: Uint8Array): Record<string, unknown>[] {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = decode(bytes, isUtf16 ? "utf-16le" : "utf-8").replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (text.startsWith("row,certificate,"))
    throw new RelayError(
      "It is a certificate's CSV table, which bears no signature to check. Take its JSON: certificate show with --json prints it.",
    );
  if (!/^[{[]/.test(text) || isTooIntricate(text, LIMITS))
    throw new RelayError("It is not a signed document of invoice-relay, which is JSON.");
  const parsed = parseStrictly(text);
  const found = Array.isArray(parsed) ? parsed : [parsed];
  const documents = found.filter(
    (one): one is Record<string, unknown> => typeof one === "object" && one !== null && !Array.isArray(one),
  );
  if (documents.length < found.length || !documents.some((one) => "source" in one || "signature" in one))
    throw new RelayError("It is JSON, but not a signed document of invoice-relay.");
  return documents;
}

/** Bytes that are no text of this coding would all become the same sign, and so hide what was edited. */
function decode(bytes: Uint8Array, coding: string): string {
  try {
    return new TextDecoder(coding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RelayError("It is not text in UTF-8: it was edited or damaged. Get it anew.", { cause });
  }
}

/**
 * `JSON.parse` that refuses what another parser may read otherwise: a name that stands twice in an object, and a
 * number that is not spelled as the relay spells it (`1e2`, `3.0`, more digits than a double holds).
 */
function parseStrictly(text: string): unknown {
  let members = 0;
  let strange: string | null = null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, function (this: unknown, _name, value: unknown, context?: { source?: string }) {
      if (!Array.isArray(this)) members += 1;
      const spelled = context?.source ?? String(value);
      if (typeof value === "number" && String(value) !== spelled) strange ??= spelled;
      return value;
    });
  } catch (cause) {
    const why = /[}\]]$/.test(text)
      ? "is not JSON: it was edited or damaged"
      : "ends in the middle: it is truncated";
    throw new RelayError(`It ${why}. Get it anew.`, { cause });
  }
  if (strange !== null)
    throw new RelayError(
      `It was edited: it holds the number ${String(strange).slice(0, 40)}, which is not spelled so.`,
    );
  // All but the last of members with one name are lost to JSON.parse, which calls once for the whole, too.
  if (countNames(text) !== members - 1)
    throw new RelayError(
      "It was edited: a name stands twice in it, and readers differ in which of them they take.",
    );
  return parsed;
}

/** @param text is JSON. */
function countNames(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) names += 1;
  return names;
}

/** A public key that its user trusts, from a file of theirs. */
interface KnownKey {
  id: string;
  key: KeyObject;
  /** null while it is in use, or where the file does not say. */
  retiredAt: string | null;
}

/** The result for a document. */
export interface Verdict {
  /** `signed`: unchanged since that key signed it. */
  state: "signed" | "unsigned" | "broken";
  /** In plain words, a sentence or two. */
  says: string;
  /** As it stands in the file. */
  document: Record<string, unknown>;
  signature: Signature | null;
  /** Whether the key is one of those given; null where none were. */
  keyIsKnown: boolean | null;
}

export const signatureSchema: z.ZodType<Signature> = z.strictObject({
  kind: z.literal("certificate"),
  signedAt: z.iso.datetime(),
  keyId: z.string(),
  publicKey: z.base64().length(44),
  // Its last digit has four bits that no byte stands for.
  value: z.string().refine((text) => {
    const bytes = Buffer.from(text, "base64");
    return bytes.length === 64 && bytes.toString("base64") === text;
  }),
});

/**
 * Checks a certificate: by whom it is, and that nothing was changed since. Pure; needs nothing but it.
 * @param keys the keys to believe; without them only that nothing was changed is shown.
 */
export function verifySigned(document: Record<string, unknown>, keys: readonly KnownKey[] | null): Verdict {
  const { signature: given, ...rest } = document;
  const verdict = (state: Verdict["state"], says: string, signature: Signature | null = null): Verdict => ({
    ...{ state, says, document, signature },
    keyIsKnown: signature === null || keys === null ? null : keys.some(({ id }) => id === signature.keyId),
  });
  if (given === undefined || given === null)
    return verdict(
      "unsigned",
      "It is unsigned: nothing shows who made it, nor that it is unchanged. It was made without CERTIFICATE_SIGNING_KEY, or its signature was taken out.",
    );
  const read = signatureSchema.safeParse(given);
  if (!read.success) return verdict("broken", "Its signature is damaged: it was edited. Get it anew.");
  const signature = read.data;
  const { keyId, signedAt } = signature;
  const broken = (says: string) => verdict("broken", says, signature);
  const known = keys?.find(({ id }) => id === keyId);
  if (keys !== null && known === undefined)
    return broken(
      `It is signed by key ${keyId}, which is not in the key file (${keys.map(({ id }) => id).join(", ")}). It is another relay's, or the file is older than the key: get https://<relay>/.well-known/invoice-relay-keys.json anew.`,
    );
  const key = known?.key ?? keyIn(signature);
  if (key === null || keyIdOf(key) !== keyId || !isSignedBy(rest, signature, key))
    return broken(`It was edited: it is not what key ${keyId} signed at ${signedAt}.`);
  if (known?.retiredAt && Date.parse(signedAt) > Date.parse(known.retiredAt))
    return broken(
      `Key ${keyId} signed it at ${signedAt}, but was retired at ${known.retiredAt}: another person may hold it.`,
    );
  const whose =
    known === undefined
      ? " Whose key that is, it cannot show itself: compare the id with https://<relay>/.well-known/invoice-relay-keys.json, or give that file as --keys."
      : known.retiredAt === null
        ? ""
        : ` That key was retired at ${known.retiredAt}, after it signed.`;
  return verdict("signed", `It is unchanged since key ${keyId} signed it at ${signedAt}.${whose}`, signature);
}

/** null where its 32 bytes are no key. */
function keyIn({ publicKey }: Signature): KeyObject | null {
  try {
    return publicKeyOf(publicKey);
  } catch {
    return null;
  }
}

const keysSchema = z.object({
  format: z.literal("invoice-relay-keys:v1"),
  keys: z.array(
    z.object({ id: z.string(), pem: z.string(), createdAt: z.string(), retiredAt: z.string().nullable() }),
  ),
});
export type KeysDocument = z.output<typeof keysSchema>;

const WRONG_KEYS =
  "Give the JSON of https://<relay>/.well-known/invoice-relay-keys.json, or an Ed25519 public key in PEM.";

/**
 * The keys that a file names: the relay's own list of them, or one public key in PEM.
 * @throws RelayError that says what else it is.
 */
export function readKeyFile(text: string): KnownKey[] {
  const refuse = (what: string, cause?: unknown) => usageError(`The key file ${what}. ${WRONG_KEYS}`, cause);
  const keyIn = (pem: string): KeyObject => {
    if (pem.includes("PRIVATE KEY-----"))
      throw refuse("holds a private key, which belongs to the relay alone");
    let key: KeyObject;
    try {
      key = createPublicKey(pem);
    } catch (cause) {
      throw refuse("holds a key that cannot be read", cause);
    }
    if (key.asymmetricKeyType !== "ed25519") throw refuse(`holds a key of the kind ${key.asymmetricKeyType}`);
    return key;
  };
  const given = text.trim();
  if (given.startsWith("-----")) {
    const key = keyIn(given);
    return [{ id: keyIdOf(key), key, retiredAt: null }];
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(given);
  } catch (cause) {
    throw refuse("is neither JSON nor PEM", cause);
  }
  const { success, data } = keysSchema.safeParse(parsed);
  if (!success) throw refuse("is JSON of another kind");
  if (data.keys.length === 0) throw refuse("names no key: nothing was signed when it was made");
  return data.keys.map(({ pem, retiredAt }) => {
    const key = keyIn(pem);
    return { id: keyIdOf(key), key, retiredAt };
  });
}
