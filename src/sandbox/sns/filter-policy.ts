import { invalidParameter } from "./answers.ts";

type Simple = string | number | boolean | null;
type Condition = Simple | { readonly exists: boolean };

/** A policy that was checked: every key must match, by one of its conditions or by what is inside. */
export type FilterPolicy = { readonly [key: string]: readonly Condition[] | FilterPolicy };

/** The limits of SNS: keys on the first level, and the values of all keys multiplied with their depth. */
const KEY_LIMIT = 5;
const COMBINATION_LIMIT = 150;

/** Not a limit of SNS: it keeps a hostile policy from using up the stack. */
const DEPTH_LIMIT = 100;

/** What a real SNS knows besides. */
const BEYOND_US = ["prefix", "suffix", "equals-ignore-case", "anything-but", "numeric", "cidr"];

/**
 * Reads the JSON of a filter policy. A policy of no keys lets everything through.
 * @param where what SNS writes before the reason
 * @throws SnsError `InvalidParameter` with the flaw that SNS names.
 */
export function readFilterPolicy(json: string, nested: boolean, where: string): FilterPolicy {
  const refusal = (flaw: string) => invalidParameter(`${where}FilterPolicy: ${flaw}`);
  let policy: unknown;
  try {
    policy = JSON.parse(json);
  } catch {
    throw refusal("failed to parse JSON.");
  }
  if (!isObject(policy)) throw refusal("Filter policy must be an object");
  if (Object.keys(policy).length > KEY_LIMIT)
    throw refusal(`Filter policy can not have more than ${KEY_LIMIT} keys`);
  if (countCombinations(policy, 1) > COMBINATION_LIMIT) throw refusal("Filter policy is too complex");
  return policy as FilterPolicy;

  function countCombinations(level: Record<string, unknown>, depth: number): number {
    if (depth > 1 && !nested)
      throw refusal("Filter policy scope MessageAttributes does not support nested filter policy");
    if (depth > DEPTH_LIMIT) throw refusal("Filter policy is too complex");
    let combinations = 1;
    for (const [key, rule] of Object.entries(level)) {
      if (isObject(rule)) combinations *= countCombinations(rule, depth + 1);
      else if (!Array.isArray(rule)) throw refusal(`"${key}" must be an object or an array`);
      else if (rule.length === 0) throw refusal("Empty arrays are not allowed");
      else {
        for (const condition of rule) checkCondition(condition);
        combinations *= rule.length * depth;
      }
    }
    return combinations;
  }

  function checkCondition(given: unknown): void {
    if (given === null || ["string", "number", "boolean"].includes(typeof given)) return;
    if (!isObject(given)) throw refusal("Match value must be String, number, true, false, or null");
    const [entry, ...more] = Object.entries(given);
    if (entry === undefined || more.length > 0) throw refusal("Only one key allowed in match expression");
    const [operator, value] = entry;
    if (BEYOND_US.includes(operator))
      throw refusal(`The local SNS compares exact values and knows exists; ${operator} is for a real one`);
    if (operator !== "exists") throw refusal(`Unrecognized match type ${operator}`);
    if (typeof value !== "boolean") throw refusal("exists match pattern must be either true or false.");
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether the policy lets a message with these attributes through; SNS does not look at binary ones. */
export function matchesAttributes(
  policy: FilterPolicy,
  attributes: ReadonlyMap<string, { readonly type: string; readonly value: string }>,
): boolean {
  if (Object.keys(policy).length === 0) return true;
  // SNS: not even `exists: false` matches a message that has no attribute at all.
  if (attributes.size === 0) return false;
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, { type, value }] of attributes) {
    if (type.startsWith("Binary")) continue;
    values[name] =
      type === "String.Array" ? JSON.parse(value) : type.startsWith("Number") ? Number(value) : value;
  }
  return matches(policy, values);
}

/** Whether the policy lets this body through. One that is no JSON object passes an empty policy only. */
export function matchesBody(policy: FilterPolicy, body: string): boolean {
  if (Object.keys(policy).length === 0) return true;
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) && matches(policy, value);
  } catch {
    return false;
  }
}

function matches(policy: FilterPolicy, value: unknown): boolean {
  if (Array.isArray(value) && value.length > 0) return value.some((item) => matches(policy, item));
  return Object.entries(policy).every(([key, rule]) => {
    const child = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return Array.isArray(rule) ? matchesAny(rule, child) : matches(rule as FilterPolicy, child);
  });
}

function matchesAny(conditions: readonly Condition[], value: unknown): boolean {
  const values = Array.isArray(value) ? value : [value];
  return conditions.some((condition) =>
    isObject(condition)
      ? condition.exists === (value !== undefined && value !== "" && value !== null && values.length > 0)
      : values.includes(condition),
  );
}
