import { createVerify } from "node:crypto";
import { InvoicePaidError } from "./invoice-paid-error.ts";
import { signingCertificate } from "./signing-certificate.ts";
import { type SnsMessage, signedText } from "./sns-message.ts";

/** What an HTTP endpoint trusts. */
export interface Trust {
  /**
   * The topics whose messages are yours. Needed for what comes over HTTP: anyone with an AWS account can send
   * your endpoint a message that SNS signed.
   */
  topicArns?: readonly string[];
  /** Origins beside Amazon's that may hold the certificate, such as `http://127.0.0.1:4002` for a local SNS. */
  trustedOrigins?: readonly string[];
}

/**
 * Verifies that SNS sent a message, for a topic that is named: signature version 1 (SHA-1) or 2 (SHA-256), with
 * the certificate at an address of SNS.
 * @throws InvoicePaidError that says what does not fit
 */
export async function verifySignature(message: SnsMessage, trust: Trust): Promise<void> {
  const { topicArns = [], trustedOrigins = [] } = trust;
  if (!topicArns.includes(message.TopicArn))
    throw new InvoicePaidError(
      "untrusted_topic",
      "The message comes from a topic that is not yours. Name the topics that are in topicArns.",
    );
  const { Signature, SigningCertURL, SignatureVersion } = message;
  if (Signature === undefined || SigningCertURL === undefined || SignatureVersion === undefined)
    throw new InvoicePaidError("forged", "The message is not signed.");
  const certificate = await signingCertificate(SigningCertURL, trustedOrigins);
  const verify = createVerify(SignatureVersion === "2" ? "RSA-SHA256" : "RSA-SHA1").update(
    signedText(message),
  );
  if (!verify.verify(certificate.publicKey, Signature, "base64"))
    throw new InvoicePaidError("forged", "The message's signature does not fit.");
}
