export type Simple = string | number | boolean | null;

export type Condition =
  | { readonly kind: "equals"; readonly value: Simple }
  | { readonly kind: "exists"; readonly wanted: boolean };

/** A policy that was read: every key must match. */
export type FilterPolicy = Map<string, { conditions: readonly Condition[] } | { inside: FilterPolicy }>;

type Attributes = ReadonlyMap<string, { readonly type: string; readonly value: string }>;

/**
 * Whether the policy lets a message with these attributes through. Binary attributes are not looked at, as in
 * SNS.
 */
export function matchesAttributes(policy: FilterPolicy, attributes: Attributes): boolean {
  if (policy.size === 0) return true;
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
  if (policy.size === 0) return true;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) && matches(policy, value);
  } catch {
    return false;
  }
}

function matches(policy: FilterPolicy, value: unknown): boolean {
  if (Array.isArray(value) && value.length > 0) return value.some((item) => matches(policy, item));
  for (const [key, rule] of policy) {
    const child = childOf(value, key);
    const matched = "inside" in rule ? matches(rule.inside, child) : matchesAny(rule.conditions, child);
    if (!matched) return false;
  }
  return true;
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
      : values.includes(condition.value),
  );
}
