import { createPrivateKey, type KeyObject } from "node:crypto";
import { z } from "zod";
import { Secret } from "../values/index.ts";

/** What stands before the 32 bytes of an Ed25519 seed in PKCS8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

const HOW = "(make one with: openssl genpkey -algorithm ed25519)";

/** Takes PEM, its line ends perhaps `\n`, or base64 of the PKCS8 or 32-byte seed. @returns what is wrong with it. */
export function readSigningKey(text: string): KeyObject | string {
  const given = text.replaceAll("\\n", "\n").trim();
  if (given.includes("PUBLIC KEY-----")) return `is a public key; signing takes the private one ${HOW}`;
  if (/ENCRYPTED/.test(given)) return `is protected by a passphrase; it should be without one ${HOW}`;
  const key = keyIn(given);
  if (key === null) return `should be one Ed25519 private key and nothing else, in PEM or base64 ${HOW}`;
  if (key.asymmetricKeyType !== "ed25519")
    return `is a private key of the kind ${key.asymmetricKeyType}; it should be an Ed25519 one ${HOW}`;
  return key;
}

/** Of two keys OpenSSL takes the first. */
const ONE_PEM = /^-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----$/;

/** Whether nothing follows the first value of DER; a long one is no Ed25519 key, and its kind is told by itself. */
const isOneValue = (der: Buffer): boolean => (der[1] ?? 0) > 127 || der.length === 2 + (der[1] ?? 0);

function keyIn(text: string): KeyObject | null {
  try {
    if (text.startsWith("-----")) return ONE_PEM.test(text) ? createPrivateKey(text) : null;
    const bytes = Buffer.from(text, "base64");
    const key = bytes.length === 32 ? Buffer.concat([PKCS8_HEAD, bytes]) : bytes;
    // What follows the key, OpenSSL and Buffer would pass over.
    const isWhole = bytes.toString("base64") === text.replaceAll(/\s/g, "") && isOneValue(key);
    return isWhole ? createPrivateKey({ key, format: "der", type: "pkcs8" }) : null;
  } catch {
    return null;
  }
}

export const signingKey = z
  .string()
  .transform((text, context) => {
    const key = readSigningKey(text);
    if (typeof key !== "string") return new Secret(text);
    context.addIssue(key);
    return z.NEVER;
  })
  .meta({ kind: "Ed25519 private key, PEM or base64", secret: true });
