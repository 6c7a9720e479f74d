import { createPublicKey, type KeyObject } from "node:crypto";
import { z } from "zod";
import { RelayError, usageError } from "../errors/index.ts";
import { jsonIn } from "../values/index.ts";
import { isSignedBy, keyIdOf, publicKeyOf, type Signature } from "./signed.ts";

/**
 * The documents in a file: one, or a list of them as `certify --json` prints it.
 * @throws RelayError where it holds no whole JSON document of this kind.
 */
export function readDocuments(bytes: Uint8Array): Record<string, unknown>[] {
  const parsed = jsonIn(
    Buffer.from(bytes)
      .toString("utf8")
      .replace(/^\ufeff/, ""),
  );
  const found = Array.isArray(parsed) ? parsed : [parsed];
  if (
    found.every((one) => typeof one === "object" && one !== null && ("source" in one || "signature" in one))
  )
    return found;
  throw new RelayError(
    "It is not a signed document of invoice-relay, or was damaged. Get it anew: certificate show with --json prints it.",
  );
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

/**
 * The keys that a file names: the relay's own list of them, or one public key in PEM.
 * @throws RelayError that says what it should be.
 */
export function readKeyFile(text: string): KnownKey[] {
  const given = text.trim();
  try {
    const keys = given.startsWith("-----BEGIN PUBLIC KEY-----")
      ? [{ pem: given, retiredAt: null }]
      : keysSchema.parse(JSON.parse(given)).keys;
    return keys.map(({ pem, retiredAt }) => {
      const key = createPublicKey(pem);
      if (key.asymmetricKeyType !== "ed25519") throw new Error("another kind of key");
      return { id: keyIdOf(key), key, retiredAt };
    });
  } catch (cause) {
    throw usageError(
      "The key file holds no keys. Give the JSON of https://<relay>/.well-known/invoice-relay-keys.json, or an " +
        "Ed25519 public key in PEM.",
      cause,
    );
  }
}
