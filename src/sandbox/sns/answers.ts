import { markupText } from "../../kit/text.ts";

/** The codes of Amazon SNS that this endpoint answers with, and their HTTP status. */
const STATUS = {
  BatchEntryIdsNotDistinct: 400,
  BatchRequestTooLong: 400,
  AuthorizationError: 403,
  EmptyBatchRequest: 400,
  InternalError: 500,
  InvalidAction: 400,
  InvalidBatchEntryId: 400,
  InvalidClientTokenId: 403,
  InvalidParameter: 400,
  MalformedQueryString: 400,
  MissingAuthenticationToken: 403,
  NotFound: 404,
  ParameterValueInvalid: 400,
  RequestEntityTooLarge: 413,
  Throttled: 429,
  TooManyEntriesInBatchRequest: 400,
} as const;

/** A request that is refused, as SNS words it: the AWS SDK turns `code` into its typed exception. */
export class SnsError extends Error {
  override readonly name = "SnsError";
  readonly code: keyof typeof STATUS;

  constructor(code: keyof typeof STATUS, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }

  /** True when the sender is at fault, so that the same request would be refused again. */
  get senderFault(): boolean {
    return this.status < 500;
  }
}

/** SNS puts these words before nearly everything that it refuses. */
export const invalidParameter = (what: string) =>
  new SnsError("InvalidParameter", `Invalid parameter: ${what}`);

/** What XML 1.0 cannot carry: SNS does not take it in a message. */
export const FORBIDDEN_CHARACTER = /[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const escapeXml = (text: string) =>
  markupText(text).replaceAll("\r", "&#xD;").replace(FORBIDDEN_CHARACTER, "\uFFFD");

/** `<name>text</name>`, escaped; nothing when there is no text. */
export function element(name: string, text: string | undefined): string {
  return text === undefined ? "" : `<${name}>${escapeXml(text)}</${name}>`;
}

/** A list whose items are XML already. */
export function listElement(name: string, items: readonly string[]): string {
  return `<${name}>${items.map((item) => `<member>${item}</member>`).join("")}</${name}>`;
}

export function mapElement(name: string, entries: Iterable<readonly [string, string]>): string {
  const inside = Array.from(
    entries,
    ([key, value]) => `<entry>${element("key", key)}${element("value", value)}</entry>`,
  );
  return `<${name}>${inside.join("")}</${name}>`;
}

const NAMESPACE = "http://sns.amazonaws.com/doc/2010-03-31/";

/** @param result XML; undefined for actions that answer nothing but their success. */
export function successAnswer(action: string, result: string | undefined, requestId: string): string {
  const body = result === undefined ? "" : `<${action}Result>${result}</${action}Result>`;
  const about = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
  return `<${action}Response xmlns="${NAMESPACE}">${body}${about}</${action}Response>`;
}

export function errorAnswer(error: SnsError, requestId: string): string {
  const type = error.senderFault ? "Sender" : "Receiver";
  const said = `<Type>${type}</Type>${element("Code", error.code)}${element("Message", error.message)}`;
  return `<ErrorResponse xmlns="${NAMESPACE}"><Error>${said}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
}
