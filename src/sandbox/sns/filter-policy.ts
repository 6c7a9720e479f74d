import { jsonIn } from "../../kit/json.ts";
import { invalidParameter } from "./answers.ts";

type Simple = string | number | boolean | null;
type Condition = Simple | { readonly exists: boolean };

/** A policy that was checked: every key must match, by one of its conditions. */
export type FilterPolicy = Readonly<Record<string, readonly Condition[]>>;

/** The limits of SNS: keys, and the numbers of their values multiplied. */
const KEY_LIMIT = 5;
const COMBINATION_LIMIT = 150;

/** What a real SNS knows besides. */
const BEYOND_US = ["prefix", "suffix", "equals-ignore-case", "anything-but", "numeric", "cidr"];

/** No keys let all through. @param where SNS writes before the reason @throws SnsError with the flaw that SNS names */
export function readFilterPolicy(json: string, where: string): FilterPolicy {
  const refusal = (flaw: string) => invalidParameter(`${where}FilterPolicy: ${flaw}`);
  const policy = jsonIn(json);
  if (policy === undefined) throw refusal("failed to parse JSON.");
  if (!isObject(policy)) throw refusal("Filter policy must be an object");
  const rules = Object.entries(policy);
  if (rules.length > KEY_LIMIT) throw refusal(`Filter policy can not have more than ${KEY_LIMIT} keys`);
  let combinations = 1;
  for (const [key, rule] of rules) {
    if (isObject(rule))
      throw refusal("Filter policy scope MessageAttributes does not support nested filter policy");
    if (!Array.isArray(rule)) throw refusal(`"${key}" must be an object or an array`);
    if (rule.length === 0) throw refusal("Empty arrays are not allowed");
    for (const condition of rule) checkCondition(condition);
    combinations *= rule.length;
  }
  if (combinations > COMBINATION_LIMIT) throw refusal("Filter policy is too complex");
  return policy as FilterPolicy;

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
export function letsThrough(
  policy: FilterPolicy,
  attributes: ReadonlyMap<string, { readonly type: string; readonly value: string }>,
): boolean {
  const rules = Object.entries(policy);
  // SNS: not even `exists: false` matches a message that has no attribute at all.
  if (attributes.size === 0) return rules.length === 0;
  return rules.every(([key, conditions]) => {
    const { type = "", value } = attributes.get(key) ?? {};
    const isThere = value !== undefined && !type.startsWith("Binary");
    const seen = type.startsWith("Number") ? Number(value) : value;
    return conditions.some((condition) =>
      isObject(condition) ? condition.exists === isThere : isThere && condition === seen,
    );
  });
}
