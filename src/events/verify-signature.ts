import { createVerify, X509Certificate } from "node:crypto";
import { InvoicePaidError } from "./invoice-paid.ts";
import {
  fetchText,
  misplaced,
  readJson,
  type SnsMessage,
  signedText,
  snsMessageSchema,
} from "./sns-message.ts";

/** SNS names its certificates so; nothing else that a message names is fetched. */
const CERTIFICATE_NAME = /\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;

/** How many certificates are kept: forgers can name any number. */
const KEPT = 100;

/** By address: those under way and those that were fetched. */
const certificates = new Map<string, Promise<X509Certificate>>();

/** Fetched once, however many ask at once; a fetch that failed is not kept. */
export function certificateAt(address: string): Promise<X509Certificate> {
  const known = certificates.get(address);
  if (known !== undefined) return known;
  const fetched = fetchCertificate(address);
  fetched.catch(() => certificates.delete(address));
  const [oldest] = certificates.keys();
  if (certificates.size >= KEPT && oldest !== undefined) certificates.delete(oldest);
  certificates.set(address, fetched);
  return fetched;
}

async function fetchCertificate(address: string): Promise<X509Certificate> {
  const pem = await fetchText(address);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new InvoicePaidError(
      "untrusted_certificate",
      "The file at SigningCertURL is not a certificate.",
      cause,
    );
  }
}

/** Whether this machine's clock is within a certificate's time. */
const isValidNow = ({ validFrom, validTo }: X509Certificate): boolean =>
  Date.now() >= Date.parse(validFrom) && Date.now() <= Date.parse(validTo);

/**
 * Verifies that SNS sent a message, lately, for a topic that is named: signature version 2 (SHA-256), with a
 * certificate from the address of SNS in the topic's region. The certificate is fetched only once everything
 * else has proved right.
 * @returns the origins at which SNS is: its own and those that are trusted
 * @throws InvoicePaidError that says what does not fit
 */
export async function verifySignature(message: SnsMessage, trust: Trust): Promise<readonly string[]> {
  const own = originOfTopic(message.TopicArn, namedTopics(trust));
  const origins = [own, ...(trust.trustedOrigins ?? [])];
  refuseStale(message.Timestamp, trust.maxAgeSeconds);
  const { Signature, SigningCertURL, SignatureVersion } = message;
  if (Signature === undefined || SigningCertURL === undefined || SignatureVersion === undefined)
    throw new InvoicePaidError("forged", "The message is not signed.");
  if (SignatureVersion !== "2")
    throw new InvoicePaidError(
      "weak_signature",
      "The topic signs with SHA-1. Set its attribute SignatureVersion to 2.",
    );
  const misfit = misplaced(SigningCertURL, origins) ?? unlikeCertificate(SigningCertURL, own);
  if (misfit !== null)
    throw new InvoicePaidError(
      "untrusted_certificate",
      `The message's SigningCertURL is no address of a certificate of SNS: ${misfit}. Name a local one's ` +
        "origin in trustedOrigins.",
    );
  const signed = ({ publicKey }: X509Certificate): boolean =>
    createVerify("RSA-SHA256").update(signedText(message)).verify(publicKey, Signature, "base64");
  const certificate = await certificateAt(new URL(SigningCertURL).href);
  if (!isValidNow(certificate))
    throw new InvoicePaidError(
      "untrusted_certificate",
      "The certificate that signed the message is not valid now.",
    );
  if (!signed(certificate)) throw new InvoicePaidError("forged", "The message's signature does not fit.");
  return origins;
}

/** The messages that an HTTP endpoint trusts: their topics, certificates, age and signatures. */
export interface Trust {
  /**
   * The ARNs of the topics whose messages are yours, at least one: anyone with an AWS account can send your
   * endpoint a message that SNS signed.
   */
  topicArns: readonly string[];
  /** Origins beside Amazon's that may hold the certificate, such as `http://127.0.0.1:4002` for a local SNS. */
  trustedOrigins?: readonly string[];
  /** How long ago SNS may have accepted it, in s; 3,600 when left out: SNS repeats a delivery for so long. */
  maxAgeSeconds?: number;
}

const TOPIC_ARN = /^arn:(aws[a-z-]*):sns:([a-z0-9-]+):\d{12}:\S+$/;
const MAX_AGE_SECONDS = 3_600;
/** How far the clocks of SNS and of this machine may be apart. */
const CLOCKS_APART_SECONDS = 300;

/** @throws TypeError when a trust names no topic, or what is no ARN: a bug in the program, no bad message */
export function namedTopics(trust: Trust | undefined): readonly string[] {
  const topicArns = trust?.topicArns ?? [];
  if (topicArns.length === 0 || !topicArns.every((arn) => TOPIC_ARN.test(arn)))
    throw new TypeError(
      "topicArns must name your topics by their ARNs, such as arn:aws:sns:eu-west-1:123456789012:invoices.",
    );
  return topicArns;
}

/**
 * The part of an address by which no certificate of SNS stands there; null when one may. SNS keeps its own at
 * the root, a stand-in under any path: LocalStack under `/_aws/sns`.
 */
function unlikeCertificate(address: string, own: string): string | null {
  const { href, origin, pathname } = new URL(address);
  if (!CERTIFICATE_NAME.test(pathname) || (origin === own && pathname.lastIndexOf("/") > 0))
    return "the path is not /SimpleNotificationService-<32 hex digits>.pem";
  return href === `${origin}${pathname}` ? null : "a query or fragment follows its path";
}

/** Amazon's domain where it is not amazonaws.com, by partition: China, the European sovereign cloud. */
const DOMAINS = new Map([
  ["aws-cn", "amazonaws.com.cn"],
  ["aws-eusc", "amazonaws.eu"],
]);

/** `https://sns.<region>.amazonaws.com`, of a topic that is named. @throws InvoicePaidError `untrusted_topic` */
function originOfTopic(topicArn: string, topicArns: readonly string[]): string {
  if (!topicArns.includes(topicArn))
    throw new InvoicePaidError(
      "untrusted_topic",
      "The message comes from a topic that is not yours. Name the topics that are in topicArns.",
    );
  const [, partition = "", region] = TOPIC_ARN.exec(topicArn) ?? [];
  return `https://sns.${region}.${DOMAINS.get(partition) ?? "amazonaws.com"}`;
}

/**
 * Refuses a message that was not signed lately, since it may be a recording played again.
 * @param timestamp the message's own `Timestamp`
 * @param now in ms since 1970
 * @throws InvoicePaidError `stale`
 */
function refuseStale(timestamp: string, maxAgeSeconds = MAX_AGE_SECONDS, now = Date.now()): void {
  const age = (now - Date.parse(timestamp)) / 1_000;
  // An unreadable time gives NaN, for which both comparisons are false.
  if (age <= maxAgeSeconds && age >= -CLOCKS_APART_SECONDS) return;
  throw new InvoicePaidError(
    "stale",
    `The message's Timestamp is not of the last ${maxAgeSeconds} seconds. ` +
      "Check this machine's clock, or raise maxAgeSeconds.",
  );
}

/**
 * Answers SNS' question whether this endpoint wants a topic's messages: verifies it, then opens its
 * SubscribeURL.
 * @param body what SNS posted with `x-amz-sns-message-type: SubscriptionConfirmation`, as text, bytes or
 *   parsed
 * @returns the topic's ARN
 * @throws InvoicePaidError; with `retry`, answer 500 so that SNS asks again
 * @throws TypeError when `topicArns` names no topic
 */
export async function confirmSubscription(body: unknown, trust: Trust): Promise<string> {
  namedTopics(trust);
  const read = snsMessageSchema.safeParse(readJson(body));
  if (!read.success || read.data.Type !== "SubscriptionConfirmation")
    throw new InvoicePaidError("unreadable", "This is no SubscriptionConfirmation of SNS.");
  const message = read.data;
  const origins = await verifySignature(message, trust);
  const misfit = misplaced(message.SubscribeURL, origins);
  if (misfit !== null)
    throw new InvoicePaidError("forged", `The message's SubscribeURL is not an address of SNS: ${misfit}.`);
  await fetchText(message.SubscribeURL);
  return message.TopicArn;
}
