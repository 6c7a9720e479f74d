import type { Condition, FilterPolicy, Simple } from "./filter-match.ts";

export type FilterPolicyScope = "MessageAttributes" | "MessageBody";

/**
 * The limits of SNS: keys on the first level, and values of all keys multiplied with each other and with
 * their depth.
 */
const MOST_KEYS = 5;
const MOST_COMBINATIONS = 150;

/** Not a limit of SNS: it keeps a hostile policy from using up the stack. */
const DEEPEST = 100;

/** What SNS knows besides. */
const BEYOND_US = ["prefix", "suffix", "equals-ignore-case", "anything-but", "numeric", "cidr"];

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
  const policy: FilterPolicy = new Map();
  for (const [key, value] of Object.entries(given)) {
    if (Array.isArray(value)) {
      if (value.length === 0) throw new Flaw("Empty arrays are not allowed");
      policy.set(key, { conditions: value.map(readCondition) });
      combinations *= value.length * depth;
    } else if (isObject(value)) {
      const inner = readKeys(value, scope, depth + 1);
      policy.set(key, { inside: inner.policy });
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
  if (BEYOND_US.includes(operator))
    throw new Flaw(`The local SNS compares exact values and knows exists; ${operator} is for a real one`);
  if (operator !== "exists") throw new Flaw(`Unrecognized match type ${operator}`);
  if (typeof value !== "boolean") throw new Flaw("exists match pattern must be either true or false.");
  return { kind: "exists", wanted: value };
}
