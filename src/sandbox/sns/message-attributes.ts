import { entriesOf, type Fields, fieldsOf, textOf } from "./query-protocol.ts";
import { SnsError } from "./sns-error.ts";

export interface MessageAttribute {
  /** `String`, `Number`, `Binary`, `String.Array`, or one of them with a custom label behind a dot. */
  readonly type: string;
  /** Base64 for a binary attribute. */
  readonly value: string;
}

export type MessageAttributes = ReadonlyMap<string, MessageAttribute>;

const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const TYPE = /^(String|Number|Binary)(\..+)?$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const refused = (message: string) => new SnsError("ParameterValueInvalid", message);

/**
 * Reads and checks the attributes of one message.
 * @throws SnsError `ParameterValueInvalid` or `ValidationError`. In a batch this refuses the whole request,
 *   as SNS does.
 */
export function readMessageAttributes(fields: Fields): MessageAttributes {
  const attributes = new Map<string, MessageAttribute>();
  for (const entry of entriesOf(fields, "MessageAttributes")) {
    const name = textOf(entry, "Name") ?? "";
    checkName(name);
    attributes.set(name, readAttribute(name, fieldsOf(entry, "Value")));
  }
  return attributes;
}

/** What the attributes count towards the size limit, in bytes: names, types and values. */
export function sizeOfAttributes(attributes: MessageAttributes): number {
  let size = 0;
  for (const [name, { type, value }] of attributes) {
    const encoding = type.startsWith("Binary") ? "base64" : "utf8";
    size += Buffer.byteLength(name) + Buffer.byteLength(type) + Buffer.byteLength(value, encoding);
  }
  return size;
}

function checkName(name: string): void {
  if (NAME.test(name)) {
    if (name.length <= 256) return;
    throw refused("Length of message attribute name must be less than 256 bytes.");
  }
  if (name.startsWith("."))
    throw refused("Invalid message attribute name starting with character '.' was found.");
  if (name.endsWith("."))
    throw refused("Invalid message attribute name ending with character '.' was found.");
  if (name.includes("..")) throw refused("Message attribute name can not have successive '.' character.");
  throw refused(
    "Invalid non-alphanumeric character was found in the message attribute name. Can only include " +
      "alphanumeric characters, hyphens, underscores, or dots.",
  );
}

function readAttribute(name: string, given: Fields): MessageAttribute {
  const type = textOf(given, "DataType");
  if (type === undefined) {
    throw new SnsError(
      "ValidationError",
      `1 validation error detected: Value null at 'messageAttributes.${name}.member.dataType' failed ` +
        "to satisfy constraint: Member must not be null",
    );
  }
  if (!TYPE.test(type)) {
    throw refused(
      `The message attribute '${name}' has an invalid message attribute type, the set of supported ` +
        "type prefixes is Binary, Number, and String.",
    );
  }
  const field = type.startsWith("Binary") ? "Binary" : "String";
  const value = textOf(given, `${field}Value`);
  if (value === undefined && Object.keys(given).some((key) => key.endsWith("Value"))) {
    throw refused(`The message attribute '${name}' with type '${type}' must use field '${field}'.`);
  }
  if (value === undefined || value === "") {
    throw refused(
      `The message attribute '${name}' must contain non-empty message attribute value for message ` +
        `attribute type '${type}'.`,
    );
  }
  checkValue(name, type, value);
  return { type, value };
}

function checkValue(name: string, type: string, value: string): void {
  if (type === "String.Array" && !isArrayOfSimpleValues(value)) {
    throw refused(
      `The message attribute '${name}' with type 'String.Array' must be a JSON array of strings, ` +
        "numbers, true, false or null.",
    );
  }
  if (type.startsWith("Number") && (value.trim() === "" || !Number.isFinite(Number(value)))) {
    throw refused(`Could not cast message attribute '${name}' value to number.`);
  }
  if (type.startsWith("Binary") && !BASE64.test(value)) {
    throw refused(`The message attribute '${name}' holds a value that is no Base64.`);
  }
}

function isArrayOfSimpleValues(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
  } catch {
    return false;
  }
}
