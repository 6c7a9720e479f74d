import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { readSigningKey } from "../config/index.ts";
import type { Secret } from "../values/index.ts";

// A certificate bears its signature as a member. docs/certificates.md describes both, for independent checks.

export interface Signature {
  /** Signed too, so that nothing else that a key may sign passes for a certificate. */
  kind: "certificate";
  /** ISO 8601, UTC, by Postgres' clock. */
  signedAt: string;
  /** The first 16 hex digits of the SHA-256 of the public key (its SPKI in DER). */
  keyId: string;
  /** Its 32 bytes in base64: it shows that nothing was changed since, not whose key it is. */
  publicKey: string;
  /** Ed25519 over `signedBytes`, in base64. */
  value: string;
}

export type Signed<Document> = Document & { signature: Signature | null };

/**
 * The canonical spelling of a JSON value: keys sorted, no white space. Undefined members are left out, as
 * `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

const PURPOSE = "invoice-relay signed document v1\n";

/** The signed bytes: everything in the document but the signature's `value`. */
const signedBytes = (
  document: object,
  { value: _, ...signature }: Omit<Signature, "value"> & { value?: string },
) => Buffer.from(PURPOSE + canonicalJson({ ...document, signature }));

const rawOf = (key: KeyObject): string =>
  Buffer.from(key.export({ format: "jwk" }).x as string, "base64url").toString("base64");

export const publicKeyOf = (raw: string): KeyObject =>
  createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(raw, "base64").toString("base64url") },
    format: "jwk",
  });

export const keyIdOf = (key: KeyObject): string =>
  createHash("sha256")
    .update(key.export({ format: "der", type: "spki" }))
    .digest("hex")
    .slice(0, 16);

/** Signs by CERTIFICATE_SIGNING_KEY. */
export class Signer {
  readonly keyId: string;
  /** In base64, its 32 bytes. */
  readonly publicKey: string;
  readonly #key: KeyObject;

  /** @returns null without a key: what is made then is unsigned, and says so. */
  static of({
    CERTIFICATE_SIGNING_KEY: secret,
  }: {
    CERTIFICATE_SIGNING_KEY?: Secret | undefined;
  }): Signer | null {
    const key = secret === undefined ? null : readSigningKey(secret.reveal());
    // Settings hold no other: they say what is wrong with one.
    return key === null || typeof key === "string" ? null : new Signer(key);
  }

  private constructor(key: KeyObject) {
    this.#key = key;
    const open = createPublicKey(key);
    this.keyId = keyIdOf(open);
    this.publicKey = rawOf(open);
  }

  sign<Document extends object>(document: Document, at: Date): Signed<Document> {
    const { keyId, publicKey } = this;
    const signature = { kind: "certificate" as const, signedAt: at.toISOString(), keyId, publicKey };
    const value = sign(null, signedBytes(document, signature), this.#key).toString("base64");
    return { ...document, signature: { ...signature, value } };
  }
}

/** Whether the document is what the holder of this key signed. */
export const isSignedBy = (document: object, signature: Signature, key: KeyObject): boolean =>
  verify(null, signedBytes(document, signature), key, Buffer.from(signature.value, "base64"));

/** By whom and when, for people. */
export const signatureText = (signature: Signature | null | undefined): string =>
  signature
    ? `Signed by key ${signature.keyId} at ${signature.signedAt}`
    : "UNSIGNED: it was made without CERTIFICATE_SIGNING_KEY, so nothing shows who made it, nor that it is unchanged";
