import type { Signature } from "./signed.ts";

/** By whom and when, for people. */
export const signatureText = (signature: Signature | null | undefined): string =>
  signature
    ? `Signed by key ${signature.keyId} at ${signature.signedAt}`
    : "UNSIGNED: it was made without CERTIFICATE_SIGNING_KEY, so nothing shows who made it, nor that it is unchanged";
