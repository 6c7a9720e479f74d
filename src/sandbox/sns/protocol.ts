import querystring from "node:querystring";
import { z } from "zod";
import { markupText } from "../../platform/values/index.ts";

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
  NotFound: 404,
  ParameterValueInvalid: 400,
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

/** Characters that XML 1.0 cannot carry: SNS does not take them in a message. */
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

/** The fields of a request: a name is a value, or holds further fields. Has no prototype: any name is safe. */
interface Fields {
  [name: string]: string | Fields | undefined;
}

/** Dots in the names say how fields nest. */
export function readForm(form: string): Fields {
  const root: Fields = Object.create(null);
  for (const pair of form.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    putField(root, decode(name).split("."), equals === -1 ? "" : decode(pair.slice(equals + 1)));
  }
  return root;
}

// Node's own parse gathers everything in an object first, which costs as much again as all the rest of a batch.
const decode = (text: string) => querystring.unescape(text.includes("+") ? text.replaceAll("+", " ") : text);

function putField(root: Fields, path: string[], value: string): void {
  let node = root;
  for (const step of path.slice(0, -1)) {
    let inner = node[step];
    if (typeof inner !== "object") {
      inner = Object.create(null) as Fields;
      node[step] = inner;
    }
    node = inner;
  }
  node[path.at(-1) ?? ""] = value;
}

const itemsOf = (kind: "member" | "entry") => (list: unknown) =>
  Object.values((list as Record<string, object> | undefined)?.[kind] ?? {});

/** A list, in the order of its numbers; empty when it is left out. */
export const members = <Item extends z.ZodType>(item: Item) => z.preprocess(itemsOf("member"), z.array(item));

/** The entries of a map, in the order of their numbers. */
export const entries = <Entry extends z.ZodType>(entry: Entry) =>
  z.preprocess(itemsOf("entry"), z.array(entry));

/** A map from text to text, such as the attributes of a topic. */
export const textMap = entries(z.object({ key: z.string(), value: z.string().default("") })).transform(
  (all) => new Map(all.map(({ key, value }) => [key, value])),
);

export const text = z.string().default("");

/** An operation of SNS: from the fields of a request to the XML of its result; undefined where it has none. */
export interface Operation {
  /** @throws SnsError for a request that is refused. */
  answer(fields: unknown): string | undefined;
}

/** @param shape of the fields that it takes. */
export function operation<Shape extends z.ZodRawShape>(
  shape: Shape,
  answer: (input: z.output<z.ZodObject<Shape>>) => string | undefined,
): Operation {
  const schema = z.object(shape);
  return {
    answer(fields) {
      const read = schema.safeParse(fields);
      if (!read.success) throw invalidParameter(read.error.issues[0]?.path.join(".") ?? "");
      return answer(read.data);
    },
  };
}
