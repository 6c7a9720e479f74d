import { BlockList, isIP } from "node:net";
import type { Condition, FilterPolicy, Numeric, Simple } from "./filter-match.ts";

export type FilterPolicyScope = "MessageAttributes" | "MessageBody";

/**
 * The limits of SNS: keys on the first level, and values of all keys multiplied with each other and with
 * their depth.
 */
const MOST_KEYS = 5;
const MOST_COMBINATIONS = 150;

/** Not a limit of SNS: it keeps a hostile policy from using up the stack. */
const DEEPEST = 100;

/** What is wrong with a policy, in the words of SNS; it never leaves this file. */
class Flaw extends Error {}

/**
 * Reads the JSON of a filter policy. A policy of no keys lets everything through.
 * @returns the policy, or the flaw that SNS names when it refuses it.
 */
export function readFilterPolicy(
  json: string,
  scope: FilterPolicyScope,
): { policy: FilterPolicy } | { flaw: string } {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    return { flaw: "failed to parse JSON." };
  }
  try {
    if (!isObject(given)) throw new Flaw("Filter policy must be an object");
    if (Object.keys(given).length > MOST_KEYS) {
      throw new Flaw(`Filter policy can not have more than ${MOST_KEYS} keys`);
    }
    const read = readKeys(given, scope, 1);
    if (read.combinations > MOST_COMBINATIONS) throw new Flaw("Filter policy is too complex");
    return { policy: read.policy };
  } catch (error) {
    if (error instanceof Flaw) return { flaw: error.message };
    throw error;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readKeys(
  given: Record<string, unknown>,
  scope: FilterPolicyScope,
  depth: number,
): { policy: FilterPolicy; combinations: number } {
  if (depth > 1 && scope === "MessageAttributes") {
    throw new Flaw("Filter policy scope MessageAttributes does not support nested filter policy");
  }
  if (depth > DEEPEST) throw new Flaw("Filter policy is too complex");
  let combinations = 1;
  const policy: FilterPolicy = { keys: new Map(), anyOf: [] };
  for (const [key, value] of Object.entries(given)) {
    if (key === "$or" && Array.isArray(value) && value.length > 1 && value.every(isObject)) {
      const choices = value.map((choice) => readKeys(choice, scope, depth));
      policy.anyOf.push(choices.map((choice) => choice.policy));
      combinations *= choices.reduce((sum, choice) => sum + choice.combinations, 0);
    } else if (Array.isArray(value)) {
      if (value.length === 0) throw new Flaw("Empty arrays are not allowed");
      policy.keys.set(key, { conditions: value.map(readCondition) });
      combinations *= value.length * depth;
    } else if (isObject(value)) {
      const inner = readKeys(value, scope, depth + 1);
      policy.keys.set(key, { inside: inner.policy });
      combinations *= inner.combinations;
    } else {
      throw new Flaw(`"${key}" must be an object or an array`);
    }
  }
  return { policy, combinations };
}

const isSimple = (value: unknown): value is Simple =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

function readCondition(given: unknown): Condition {
  if (isSimple(given)) return { kind: "equals", value: given };
  if (!isObject(given)) throw new Flaw("Match value must be String, number, true, false, or null");
  const [entry, ...more] = Object.entries(given);
  if (entry === undefined || more.length > 0) throw new Flaw("Only one key allowed in match expression");
  const [operator, value] = entry;
  switch (operator) {
    case "prefix":
    case "suffix":
      return { kind: operator, text: pattern(operator, value) };
    case "equals-ignore-case":
      return { kind: operator, text: pattern(operator, value).toLowerCase() };
    case "anything-but":
      return readAnythingBut(value);
    case "exists":
      if (typeof value !== "boolean") throw new Flaw("exists match pattern must be either true or false.");
      return { kind: "exists", wanted: value };
    case "numeric":
      return { kind: "numeric", bounds: readNumeric(value) };
    case "cidr":
      return { kind: "cidr", network: readNetwork(value) };
    default:
      throw new Flaw(`Unrecognized match type ${operator}`);
  }
}

function pattern(operator: string, value: unknown): string {
  if (typeof value !== "string") throw new Flaw(`${operator} match pattern must be a string`);
  return value;
}

function readAnythingBut(value: unknown): Condition {
  if (isObject(value)) {
    const other = Object.keys(value).find((operator) => operator !== "prefix");
    if (other !== undefined) throw new Flaw(`Unsupported anything-but pattern: ${other}`);
    return { kind: "anything-but-prefix", text: pattern("prefix", value.prefix) };
  }
  const values = Array.isArray(value) ? value : [value];
  if (!values.every(isSimple)) throw new Flaw("Match value must be String, number, true, false, or null");
  return { kind: "anything-but", values };
}

const isOperator = (value: unknown): value is Numeric["operator"] =>
  typeof value === "string" && ["=", "<", "<=", ">", ">="].includes(value);

/** One comparison, or a range: a lower bound and then an upper one. */
function readNumeric(value: unknown): Numeric[] {
  const terms = Array.isArray(value) ? value : [];
  if (terms.length === 0) throw new Flaw("Invalid member in numeric match: ]");
  const bounds: Numeric[] = [];
  for (let at = 0; at < terms.length; at += 2) {
    const operator: unknown = terms[at];
    const operand: unknown = terms[at + 1];
    if (!isOperator(operator)) throw new Flaw(`Unrecognized numeric range operator: ${String(operator)}`);
    if (typeof operand !== "number") {
      throw new Flaw(`Value of ${operator === "=" ? "equals" : operator} must be numeric`);
    }
    bounds.push({ operator, operand });
  }
  const [first, second, third] = bounds;
  if (third !== undefined) throw new Flaw("Too many terms in numeric range expression");
  if (first !== undefined && second !== undefined) {
    if (!first.operator.startsWith(">")) throw new Flaw("Too many elements in numeric expression");
    if (!second.operator.startsWith("<")) throw new Flaw(`Bad numeric range operator: ${second.operator}`);
    if (second.operand <= first.operand) throw new Flaw("Bottom must be less than top");
  }
  return bounds;
}

function readNetwork(value: unknown): BlockList {
  const [address = "", mask = "", ...more] = pattern("prefix", value).split("/");
  if (mask === "" || more.length > 0) throw new Flaw("Malformed CIDR, one '/' required");
  const family = isIP(address);
  if (family === 0) throw new Flaw(`Nonstandard IP address: ${address}`);
  const bits = Number(mask);
  if (!Number.isInteger(bits) || bits < 0 || bits > (family === 4 ? 32 : 128)) {
    throw new Flaw("Malformed CIDR, mask bits must be an integer");
  }
  const network = new BlockList();
  network.addSubnet(address, bits, family === 4 ? "ipv4" : "ipv6");
  return network;
}
