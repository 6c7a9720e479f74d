import { z } from "zod";
import { jsonIn } from "../../kit/json.ts";
import { invalidParameter } from "./answers.ts";

const condition = z.union([z.string(), z.boolean(), z.null(), z.strictObject({ exists: z.boolean() })]);
const filterPolicy = z.record(z.string(), z.array(condition).min(1));

/** A policy that was checked: every key must match, by one of its conditions. */
export type FilterPolicy = Readonly<z.output<typeof filterPolicy>>;

/** No keys let all through. @throws SnsError for what is no policy, and for what only a real SNS knows */
export function readFilterPolicy(json: string): FilterPolicy {
  const policy = filterPolicy.safeParse(jsonIn(json)).data;
  if (policy !== undefined) return policy;
  throw invalidParameter(
    "Attributes Reason: FilterPolicy: it should be an object of lists; the local SNS compares texts, and knows " +
      "exists: true or false",
  );
}

/** Whether the policy lets a message with these attributes through. */
export function letsThrough(
  policy: FilterPolicy,
  attributes: ReadonlyMap<string, { readonly value: string }>,
): boolean {
  const rules = Object.entries(policy);
  // SNS: not even `exists: false` matches a message that has no attribute at all.
  if (attributes.size === 0) return rules.length === 0;
  return rules.every(([key, conditions]) => {
    const value = attributes.get(key)?.value;
    return conditions.some((one) =>
      typeof one === "object" && one !== null ? one.exists === (value !== undefined) : one === value,
    );
  });
}
