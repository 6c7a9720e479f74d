import { invalidParameter, type SnsError } from "./sns-error.ts";

const isBoolean = (value: string) => value === "true" || value === "false";

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

const DEFAULTS: Record<string, string> = {
  FifoTopic: "false",
  ContentBasedDeduplication: "false",
  FifoThroughputScope: "Topic",
  SignatureVersion: "1",
};

/** What an attribute of a topic is, set or not. */
export function topicAttribute(attributes: ReadonlyMap<string, string>, name: string): string {
  return attributes.get(name) ?? DEFAULTS[name] ?? "";
}

/** The attributes that a topic may be given, and what each may hold. */
const ALLOWED: Record<string, (value: string) => boolean> = {
  DisplayName: (value) => value.length <= 100,
  Policy: (value) => isJson(value) && value.length <= 30_720,
  SignatureVersion: (value) => value === "1" || value === "2",
  FifoTopic: isBoolean,
  ContentBasedDeduplication: isBoolean,
  FifoThroughputScope: (value) => value === "Topic" || value === "MessageGroup",
};

const FIFO_ONLY = ["ContentBasedDeduplication", "FifoThroughputScope"];

/**
 * Why an attribute cannot be given to a topic; undefined when it can.
 * @param where what SNS writes before the reason: it differs between CreateTopic and SetTopicAttributes
 */
export function topicAttributeRefusal(
  attribute: { name: string; value: string },
  fifo: boolean,
  where: string,
): SnsError | undefined {
  const { name, value } = attribute;
  const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  if (allowed === undefined) return invalidParameter(`${where}Unknown attribute ${name}`);
  if (!fifo && FIFO_ONLY.includes(name)) {
    return invalidParameter(`${where}${name} can only be set for FIFO topics`);
  }
  return allowed(value) ? undefined : invalidParameter(`${where}${name}: Invalid value [${value}]`);
}
