import { createVerify } from "node:crypto";
import { certificateShelf } from "./certificate-shelf.ts";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { snsAddress } from "./sns-address.ts";
import { type SnsMessage, signedText } from "./sns-message.ts";
import { namedTopics, originOfTopic, refuseStale, type Trust } from "./trust.ts";

/** As many as there are regions of named topics and trusted origins: nothing from outside adds one. */
const shelves = new Map<string, ReturnType<typeof certificateShelf>>();

/**
 * Verifies that SNS sent a message, lately, for a topic that is named: signature version 2 (SHA-256), with a
 * certificate from the address of SNS in the topic's region. The certificate is fetched only once everything
 * else has proved right.
 * @returns the origins at which SNS is: its own and those that are trusted
 * @throws InvoicePaidError that says what does not fit
 */
export async function verifySignature(message: SnsMessage, trust: Trust): Promise<readonly string[]> {
  const origins = [originOfTopic(message.TopicArn, namedTopics(trust)), ...(trust.trustedOrigins ?? [])];
  refuseStale(message.Timestamp, trust.maxAgeSeconds);
  const { Signature, SigningCertURL, SignatureVersion } = message;
  if (Signature === undefined || SigningCertURL === undefined || SignatureVersion === undefined)
    throw new InvoicePaidError("forged", "The message is not signed.");
  if (SignatureVersion !== "2" && trust.allowSha1 !== true)
    throw new InvoicePaidError(
      "weak_signature",
      "The topic signs with SHA-1. Set its attribute SignatureVersion to 2, or say allowSha1.",
    );
  const url = snsAddress(SigningCertURL, origins);
  if (url === undefined || !url.pathname.endsWith(".pem") || url.search !== "" || url.hash !== "")
    throw new InvoicePaidError(
      "untrusted_certificate",
      "The message's SigningCertURL is not an address of SNS. Name a local one's origin in trustedOrigins.",
    );
  const shelf = shelves.get(url.origin) ?? certificateShelf();
  shelves.set(url.origin, shelf);
  const algorithm = SignatureVersion === "2" ? "RSA-SHA256" : "RSA-SHA1";
  const genuine = await shelf.fits(url.href, ({ publicKey }) =>
    createVerify(algorithm).update(signedText(message)).verify(publicKey, Signature, "base64"),
  );
  if (!genuine) throw new InvoicePaidError("forged", "The message's signature does not fit.");
  return origins;
}
