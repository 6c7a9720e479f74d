import { createPrivateKey, sign, X509Certificate } from "node:crypto";
import { RelayError } from "../../kit/errors.ts";

/** Signs messages as SNS does, with a key that lives as long as the process. */
export interface Signer {
  readonly certificatePem: string;
  /** Where the certificate is served, as a path. */
  readonly certificatePath: string;
  /** Version 1 signs with SHA-1, version 2 with SHA-256; the answer is Base64. */
  sign(text: string, version: string): Promise<string>;
}

/** Makes a key and a self-signed certificate for `sns.<region>.amazonaws.com`. */
export async function createSigner(region: string): Promise<Signer> {
  const generate = await loadGenerate();
  const made = await generate([{ name: "commonName", value: `sns.${region}.amazonaws.com` }], {
    keySize: 2048,
    algorithm: "sha256",
  });
  const key = createPrivateKey(made.private);
  // As long as SNS' own names are.
  const id = new X509Certificate(made.cert).fingerprint.replaceAll(":", "").toLowerCase().slice(0, 32);
  return {
    certificatePem: made.cert,
    certificatePath: `/SimpleNotificationService-${id}.pem`,
    sign: (text, version) =>
      new Promise((resolve, reject) => {
        // With a callback it is done by the thread pool, beside the answering of requests.
        sign(version === "2" ? "RSA-SHA256" : "RSA-SHA1", Buffer.from(text), key, (error, signature) =>
          error === null ? resolve(signature.toString("base64")) : reject(error),
        );
      }),
  };
}

// Loading it takes longer than starting everything else here, and no other room needs it. Those who install
// the package for production do not get it.
async function loadGenerate(): Promise<typeof import("selfsigned").generate> {
  try {
    return (await import("selfsigned")).generate;
  } catch (cause) {
    throw new RelayError(
      "The local SNS needs the package selfsigned, which is not installed. Run: npm install --save-dev " +
        "selfsigned",
      { cause },
    );
  }
}

const NOTIFICATION_FIELDS = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const CONFIRMATION_FIELDS = [
  "Message",
  "MessageId",
  "SubscribeURL",
  "Timestamp",
  "Token",
  "TopicArn",
  "Type",
];

/**
 * The text whose signature stands in an envelope: names and values of certain fields, a line each, in the
 * order of their names.
 */
export function stringToSign(envelope: { readonly Type: string; readonly [field: string]: unknown }): string {
  const names = envelope.Type === "Notification" ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS;
  return names
    .filter((name) => envelope[name] !== undefined)
    .map((name) => `${name}\n${String(envelope[name])}\n`)
    .join("");
}
