import { type BlockList, isIP } from "node:net";

export type Simple = string | number | boolean | null;

export interface Numeric {
  readonly operator: "=" | "<" | "<=" | ">" | ">=";
  readonly operand: number;
}

export type Condition =
  | { readonly kind: "equals"; readonly value: Simple }
  | {
      readonly kind: "prefix" | "suffix" | "equals-ignore-case" | "anything-but-prefix";
      readonly text: string;
    }
  | { readonly kind: "anything-but"; readonly values: readonly Simple[] }
  | { readonly kind: "exists"; readonly wanted: boolean }
  | { readonly kind: "numeric"; readonly bounds: readonly Numeric[] }
  | { readonly kind: "cidr"; readonly network: BlockList };

/** A policy that was read: every key must match, and of every `$or` at least one choice. */
export interface FilterPolicy {
  readonly keys: Map<string, { conditions: readonly Condition[] } | { inside: FilterPolicy }>;
  readonly anyOf: FilterPolicy[][];
}

type Attributes = ReadonlyMap<string, { readonly type: string; readonly value: string }>;

/**
 * Whether the policy lets a message with these attributes through. Binary attributes are not looked at, as in
 * SNS.
 */
export function matchesAttributes(policy: FilterPolicy, attributes: Attributes): boolean {
  if (isEmpty(policy)) return true;
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

/**
 * Whether the policy lets this message body through. A body that is no JSON object passes an empty policy
 * only.
 */
export function matchesBody(policy: FilterPolicy, body: string): boolean {
  if (isEmpty(policy)) return true;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) && matches(policy, value);
  } catch {
    return false;
  }
}

const isEmpty = (policy: FilterPolicy) => policy.keys.size === 0 && policy.anyOf.length === 0;

function matches(policy: FilterPolicy, value: unknown): boolean {
  if (Array.isArray(value) && value.length > 0) return value.some((item) => matches(policy, item));
  for (const [key, rule] of policy.keys) {
    const child = childOf(value, key);
    const matched = "inside" in rule ? matches(rule.inside, child) : matchesAny(rule.conditions, child);
    if (!matched) return false;
  }
  return policy.anyOf.every((choices) => choices.some((choice) => matches(choice, value)));
}

function childOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function matchesAny(conditions: readonly Condition[], value: unknown): boolean {
  const values = Array.isArray(value) ? value : [value];
  return conditions.some((condition) =>
    condition.kind === "exists"
      ? condition.wanted === (value !== undefined && value !== "" && value !== null && values.length > 0)
      : values.some((item) => item !== undefined && satisfies(condition, item)),
  );
}

function satisfies(condition: Exclude<Condition, { kind: "exists" }>, value: unknown): boolean {
  switch (condition.kind) {
    case "equals":
      return value === condition.value;
    case "prefix":
      return typeof value === "string" && value.startsWith(condition.text);
    case "suffix":
      return typeof value === "string" && value.endsWith(condition.text);
    case "equals-ignore-case":
      return typeof value === "string" && value.toLowerCase() === condition.text;
    case "anything-but":
      return !condition.values.some((refused) => refused === value);
    case "anything-but-prefix":
      return typeof value === "string" && !value.startsWith(condition.text);
    case "numeric":
      return typeof value === "number" && condition.bounds.every((bound) => within(bound, value));
    case "cidr": {
      const family = typeof value === "string" ? isIP(value) : 0;
      return family !== 0 && condition.network.check(value as string, family === 4 ? "ipv4" : "ipv6");
    }
  }
}

function within({ operator, operand }: Numeric, value: number): boolean {
  switch (operator) {
    case "=":
      return value === operand;
    case "<":
      return value < operand;
    case "<=":
      return value <= operand;
    case ">":
      return value > operand;
    case ">=":
      return value >= operand;
  }
}
