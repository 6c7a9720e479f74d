import { jsonIn } from "../../kit/json.ts";
import { invalidParameter } from "./answers.ts";

type Rules = Readonly<Record<string, (value: string) => boolean>>;

const oneOf =
  (...words: string[]) =>
  (value: string) =>
    words.includes(value);

const isBoolean = oneOf("true", "false");

/** What may be set on a topic, and what each may hold. */
const TOPIC_RULES: Rules = {
  DisplayName: (value) => value.length <= 100,
  Policy: (value) => jsonIn(value) !== undefined && value.length <= 30_720,
  SignatureVersion: oneOf("1", "2"),
  FifoTopic: isBoolean,
  ContentBasedDeduplication: isBoolean,
};

/** What may be set on a subscription; the policy is judged by its own reader. A real SNS filters bodies too. */
const SUBSCRIPTION_RULES: Rules = {
  FilterPolicy: () => true,
  FilterPolicyScope: oneOf("MessageAttributes"),
  RawMessageDelivery: (value) => isBoolean(value.toLowerCase()),
};

const DEFAULTS: Readonly<Record<string, string>> = {
  FifoTopic: "false",
  ContentBasedDeduplication: "false",
  SignatureVersion: "1",
  FilterPolicyScope: "MessageAttributes",
  RawMessageDelivery: "false",
};

export type Attributes = ReadonlyMap<string, string>;

export function attributeOf(attributes: Attributes, name: string): string {
  return attributes.get(name) ?? DEFAULTS[name] ?? "";
}

export const isRaw = (attributes: Attributes): boolean =>
  attributeOf(attributes, "RawMessageDelivery").toLowerCase() === "true";

export const hasOther = (existing: Attributes, wanted: Attributes) =>
  [...wanted].some(([name, value]) => attributeOf(existing, name) !== value);

/** What SNS writes before its reason, where attributes come with a Create or a Subscribe. */
export const AMONG_ATTRIBUTES = "Attributes Reason: ";

/** @param where what SNS writes before the reason @throws SnsError `InvalidParameter` for what no such topic has */
export function checkTopicAttributes(attributes: Attributes, fifo: boolean, where: string): void {
  checkAttributes(TOPIC_RULES, attributes, where);
  if (!fifo && attributes.has("ContentBasedDeduplication"))
    throw invalidParameter(`${where}ContentBasedDeduplication can only be set for FIFO topics`);
}

/** @throws SnsError `InvalidParameter` for an attribute or a value that no subscription may have. */
export function checkSubscriptionAttributes(attributes: Attributes, where: string): void {
  checkAttributes(SUBSCRIPTION_RULES, attributes, where);
}

function checkAttributes(rules: Rules, attributes: Attributes, where: string): void {
  for (const [name, value] of attributes) {
    const isAllowed = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (isAllowed === undefined)
      throw invalidParameter(where === "" ? "AttributeName" : `${where}Unknown attribute ${name}`);
    if (!isAllowed(value)) throw invalidParameter(`${where}${name}: Invalid value [${value}]`);
  }
}
