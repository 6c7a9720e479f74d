import { X509Certificate } from "node:crypto";
import { InvoicePaidError } from "./invoice-paid-error.ts";

/** What an HTTP endpoint trusts. */
export interface Trust {
  /**
   * The ARNs of the topics whose messages are yours, at least one: anyone with an AWS account can send your
   * endpoint a message that SNS signed.
   */
  topicArns: readonly string[];
  /**
   * Origins beside Amazon's that may hold the certificate, such as `http://127.0.0.1:4002` for a local SNS.
   */
  trustedOrigins?: readonly string[];
  /**
   * Certificates of SNS that you hold already, in PEM: what one of them signed is taken without fetching
   * anything. Any other is fetched as ever, so SNS may change its own at any time.
   */
  certificates?: readonly string[];
  /**
   * How long ago SNS may have accepted a message, in seconds; 3,600 when left out, since SNS repeats a
   * delivery for at most that long.
   */
  maxAgeSeconds?: number;
  /**
   * Takes signature version 1 (SHA-1) too, for a topic whose attribute SignatureVersion cannot be set to 2.
   */
  allowSha1?: boolean;
}

const TOPIC_ARN = /^arn:(aws[a-z-]*):sns:([a-z0-9-]+):\d{12}:\S+$/;
const MAX_AGE_SECONDS = 3_600;
/** How far the clocks of SNS and of this machine may be apart. */
const CLOCKS_APART_SECONDS = 300;

/**
 * The topics that a trust names.
 * @throws TypeError when it names none, or names something that is no ARN: a bug in the program, not a bad
 *   message
 */
export function namedTopics(trust: Trust | undefined): readonly string[] {
  const topicArns = trust?.topicArns ?? [];
  if (topicArns.length === 0 || !topicArns.every((arn) => TOPIC_ARN.test(arn)))
    throw new TypeError(
      "topicArns must name your topics by their ARNs, such as arn:aws:sns:eu-west-1:123456789012:invoices.",
    );
  return topicArns;
}

const read = new WeakMap<readonly string[], readonly X509Certificate[]>();

/**
 * The certificates that a trust holds.
 * @throws TypeError when one cannot be read: a bug in the program, not a bad message
 */
export function heldCertificates({ certificates = [] }: Trust): readonly X509Certificate[] {
  const known = read.get(certificates);
  if (known !== undefined) return known;
  try {
    const found = certificates.map((pem) => new X509Certificate(pem));
    read.set(certificates, found);
    return found;
  } catch (cause) {
    throw new TypeError("certificates must hold SNS' certificates in PEM, each a text of its own.", {
      cause,
    });
  }
}

/**
 * The origin at which SNS keeps the certificates of a topic that is named:
 * `https://sns.<region>.amazonaws.com`.
 * @throws InvoicePaidError `untrusted_topic`
 */
export function originOfTopic(topicArn: string, topicArns: readonly string[]): string {
  if (!topicArns.includes(topicArn))
    throw new InvoicePaidError(
      "untrusted_topic",
      "The message comes from a topic that is not yours. Name the topics that are in topicArns.",
    );
  const [, partition, region] = TOPIC_ARN.exec(topicArn) ?? [];
  return `https://sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
}

/**
 * Refuses a message that was not signed lately: someone may have recorded it and be playing it again.
 * @param timestamp the message's own `Timestamp`
 * @param now in ms since 1970
 * @throws InvoicePaidError `stale`
 */
export function refuseStale(timestamp: string, maxAgeSeconds = MAX_AGE_SECONDS, now = Date.now()): void {
  const age = (now - Date.parse(timestamp)) / 1_000;
  // An unreadable time gives NaN, for which both comparisons are false.
  if (age <= maxAgeSeconds && age >= -CLOCKS_APART_SECONDS) return;
  throw new InvoicePaidError(
    "stale",
    `The message's Timestamp is not of the last ${maxAgeSeconds} seconds. ` +
      "Check this machine's clock, or raise maxAgeSeconds.",
  );
}
