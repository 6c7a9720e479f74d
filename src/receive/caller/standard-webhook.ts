import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { CallbackChecks } from "../../kit/callback-checks.ts";
import { sameBytes } from "./same-bytes.ts";

/**
 * How far the sender's clock may be off, and how old a copied request may be; the specification's five
 * minutes.
 */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Whether a request is signed as the Standard Webhooks specification says: HMAC-SHA256 over
 * `<webhook-id>.<webhook-timestamp>.<body>`, base64 behind `v1,`, several separated by spaces while a secret
 * is rotated. Over the raw bytes: the specification's own library reads them as text, which changes broken
 * UTF-8.
 */
export function standardWebhookHolds(
  check: NonNullable<CallbackChecks["standardWebhooks"]>,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  now: Date,
): boolean {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"];
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") return false;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() - Number(timestamp) * 1_000) > TOLERANCE_MS)
    return false;
  const given = signatures
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .slice(0, 10)
    .map((signature) => Buffer.from(signature.slice("v1,".length), "base64"));
  const matches = check.secrets.flatMap((secret) => {
    const key = Buffer.from(secret.reveal().slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    return given.map((signature) => sameBytes(expected, signature));
  });
  return matches.includes(true);
}
