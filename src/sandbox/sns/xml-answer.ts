import type { SnsError } from "./sns-error.ts";

const NAMESPACE = "http://sns.amazonaws.com/doc/2010-03-31/";

const SPECIAL: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
};

// What XML 1.0 cannot hold at all, not even escaped, becomes the replacement character.
const NEEDS_ESCAPE = /[&<>"\r]|[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function escapeXml(text: string): string {
  return text.replace(NEEDS_ESCAPE, (character) => SPECIAL[character] ?? "\uFFFD");
}

/** `<name>text</name>`, escaped; nothing when there is no text. */
export function element(name: string, text: string | undefined): string {
  return text === undefined ? "" : `<${name}>${escapeXml(text)}</${name}>`;
}

/** A list whose items are XML already. */
export function listElement(name: string, items: readonly string[]): string {
  return `<${name}>${items.map((item) => `<member>${item}</member>`).join("")}</${name}>`;
}

export function mapElement(name: string, entries: Iterable<readonly [string, string]>): string {
  const inside = [...entries].map(
    ([key, value]) => `<entry>${element("key", key)}${element("value", value)}</entry>`,
  );
  return `<${name}>${inside.join("")}</${name}>`;
}

/**
 * The answer to an action; `result` is XML, or undefined for actions that answer nothing but their success.
 */
export function successAnswer(action: string, result: string | undefined, requestId: string): string {
  const body = result === undefined ? "" : `<${action}Result>${result}</${action}Result>`;
  const about = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
  return `<${action}Response xmlns="${NAMESPACE}">${body}${about}</${action}Response>`;
}

export function errorAnswer(error: SnsError, requestId: string): string {
  const type = error.senderFault ? "Sender" : "Receiver";
  const said = `<Type>${type}</Type>${element("Code", error.code)}${element("Message", error.message)}`;
  const about = `<Error>${said}</Error><RequestId>${requestId}</RequestId>`;
  return `<ErrorResponse xmlns="${NAMESPACE}">${about}</ErrorResponse>`;
}
