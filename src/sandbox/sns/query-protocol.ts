import querystring from "node:querystring";
import { SnsError } from "./sns-error.ts";

/**
 * The fields of a request: a name is a value, or holds further fields. Has no prototype, so any name is safe.
 */
export interface Fields {
  readonly [name: string]: string | Fields | undefined;
}

type Building = { [name: string]: string | Building | undefined };

/**
 * `PublishBatchRequestEntries.member.1.MessageAttributes.entry.1.Value.StringValue` is the deepest that SNS
 * knows.
 */
const DEEPEST = 8;

const NONE: Fields = Object.freeze(Object.create(null));

/**
 * Reads a form of the AWS Query protocol: dots in the names say how the fields nest.
 * @throws SnsError `MalformedQueryString` when they nest deeper than any request of SNS.
 */
export function readForm(form: string): Fields {
  const root: Building = Object.create(null);
  for (const pair of form.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    place(root, decode(name).split("."), equals === -1 ? "" : decode(pair.slice(equals + 1)));
  }
  return root;
}

// Node's own parse gathers everything in an object first, which costs as much again as all the rest of a
// batch.
function decode(text: string): string {
  return querystring.unescape(text.includes("+") ? text.replaceAll("+", " ") : text);
}

function place(root: Building, path: string[], value: string): void {
  if (path.length > DEEPEST) {
    throw new SnsError("MalformedQueryString", "The query string contains a name that nests too deep.");
  }
  let node = root;
  const last = path.length - 1;
  for (let depth = 0; depth < last; depth++) {
    const step = path[depth] ?? "";
    const inner = node[step];
    if (typeof inner === "object") {
      node = inner;
    } else {
      const made: Building = Object.create(null);
      node[step] = made;
      node = made;
    }
  }
  node[path[last] ?? ""] = value;
}

export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

export function fieldsOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  return typeof value === "object" ? value : NONE;
}

/** The items of a list, in the order of their numbers; none when it is empty or left out. */
export function membersOf(fields: Fields, name: string): Fields[] {
  const members = fieldsOf(fieldsOf(fields, name), "member");
  return Object.keys(members).map((number) => fieldsOf(members, number));
}

/**
 * The entries of a map, in the order of their numbers. SNS spells `Name`/`Value` for message attributes,
 * `key`/`value` elsewhere.
 */
export function entriesOf(fields: Fields, name: string): Fields[] {
  const entries = fieldsOf(fieldsOf(fields, name), "entry");
  return Object.keys(entries).map((number) => fieldsOf(entries, number));
}

/** A map from text to text, such as the attributes of a topic. */
export function textMapOf(fields: Fields, name: string): Map<string, string> {
  return new Map(
    entriesOf(fields, name).map((entry) => [textOf(entry, "key") ?? "", textOf(entry, "value") ?? ""]),
  );
}
