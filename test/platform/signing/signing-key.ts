import { generateKeyPairSync } from "node:crypto";

/** A new key, as CERTIFICATE_SIGNING_KEY has it. */
export const newSigningKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
