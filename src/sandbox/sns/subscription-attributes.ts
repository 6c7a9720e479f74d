import type { FilterPolicy } from "./filter-match.ts";
import { type FilterPolicyScope, readFilterPolicy } from "./filter-policy.ts";
import { invalidParameter } from "./sns-error.ts";

/** What the owner of a subscription may set. */
export interface SubscriptionSettings {
  /** The policy as it was written, for those who ask; undefined when there is none. */
  readonly filterPolicyJson: string | undefined;
  readonly filterPolicy: FilterPolicy | undefined;
  readonly filterPolicyScope: FilterPolicyScope;
  readonly rawMessageDelivery: boolean;
}

export const DEFAULT_SETTINGS: SubscriptionSettings = {
  filterPolicyJson: undefined,
  filterPolicy: undefined,
  filterPolicyScope: "MessageAttributes",
  rawMessageDelivery: false,
};

/**
 * The settings with these attributes changed. The policy is read last, so that it is judged by its new scope.
 * @param where what SNS writes before the reason: it differs between Subscribe and SetSubscriptionAttributes
 * @throws SnsError `InvalidParameter` for an attribute or a value that is refused.
 */
export function withAttributes(
  settings: SubscriptionSettings,
  attributes: ReadonlyMap<string, string>,
  where: string,
): SubscriptionSettings {
  let { filterPolicyJson, filterPolicyScope, rawMessageDelivery } = settings;
  for (const [name, value] of attributes) {
    if (name === "FilterPolicy") filterPolicyJson = value === "" ? undefined : value;
    else if (name === "FilterPolicyScope") filterPolicyScope = readScope(value, where);
    else if (name === "RawMessageDelivery") rawMessageDelivery = readBoolean(name, value, where);
    else throw invalidParameter(`${where}AttributeName`);
  }
  return {
    filterPolicyJson,
    filterPolicy: readPolicy(filterPolicyJson, filterPolicyScope, where),
    filterPolicyScope,
    rawMessageDelivery,
  };
}

function readScope(value: string, where: string): FilterPolicyScope {
  if (value === "MessageAttributes" || value === "MessageBody") return value;
  throw invalidParameter(
    `${where}FilterPolicyScope: Invalid value [${value}]. Please use either MessageBody or MessageAttributes`,
  );
}

function readBoolean(name: string, value: string, where: string): boolean {
  const lower = value.toLowerCase();
  if (lower === "true" || lower === "false") return lower === "true";
  throw invalidParameter(`${where}${name}: Invalid value [${value}]. Must be true or false.`);
}

function readPolicy(
  json: string | undefined,
  scope: FilterPolicyScope,
  where: string,
): FilterPolicy | undefined {
  if (json === undefined) return undefined;
  const read = readFilterPolicy(json, scope);
  if ("flaw" in read) throw invalidParameter(`${where}FilterPolicy: ${read.flaw}`);
  return read.policy;
}
