import { createVerify, type X509Certificate } from "node:crypto";
import { certificateShelf, isValidNow } from "./certificate-shelf.ts";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { snsAddress } from "./sns-address.ts";
import { type SnsMessage, signedText } from "./sns-message.ts";
import { heldCertificates, namedTopics, originOfTopic, refuseStale, type Trust } from "./trust.ts";

/** SNS names its certificates so; whatever else a message names is not fetched. */
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;

/** One for each topic and origin that a trust names, so that nothing from outside adds one. */
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
  const held = heldCertificates(trust);
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
  if (
    url === undefined ||
    url.href !== `${url.origin}${url.pathname}` ||
    !CERTIFICATE_PATH.test(url.pathname)
  )
    throw new InvoicePaidError(
      "untrusted_certificate",
      "The message's SigningCertURL is no address of a certificate of SNS. Name a local one's origin in " +
        "trustedOrigins.",
    );
  const algorithm = SignatureVersion === "2" ? "RSA-SHA256" : "RSA-SHA1";
  const signed = ({ publicKey }: X509Certificate): boolean =>
    createVerify(algorithm).update(signedText(message)).verify(publicKey, Signature, "base64");
  if (held.some((certificate) => isValidNow(certificate) && signed(certificate))) return origins;
  const shelf = shelves.get(`${message.TopicArn} ${url.origin}`) ?? certificateShelf();
  shelves.set(`${message.TopicArn} ${url.origin}`, shelf);
  const genuine = await shelf.fits(url.href, signed);
  if (!genuine) throw new InvoicePaidError("forged", "The message's signature does not fit.");
  return origins;
}
