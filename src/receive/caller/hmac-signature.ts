import { createHmac } from "node:crypto";
import type { CallbackChecks } from "../../kit/callback-checks.ts";
import { sameBytes } from "./same-bytes.ts";

/**
 * Whether the header holds an HMAC of the raw bytes under one of the secrets, as hex or base64 behind the
 * prefix.
 */
export function hmacHolds(
  check: NonNullable<CallbackChecks["hmac"]>,
  header: string | undefined,
  body: Uint8Array,
): boolean {
  if (header === undefined || !header.startsWith(check.prefix)) return false;
  const given = decode(header.slice(check.prefix.length).trim(), check.algorithm === "sha256" ? 32 : 64);
  if (given === null) return false;
  const matches = check.secrets.map((secret) =>
    sameBytes(createHmac(check.algorithm, secret.reveal()).update(body).digest(), given),
  );
  return matches.includes(true);
}

/** Hex and base64 of a digest differ in length, so what was sent tells which it is. */
function decode(text: string, bytes: number): Buffer | null {
  if (text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null;
  const decoded = Buffer.from(text, "base64");
  return decoded.length === bytes ? decoded : null;
}
