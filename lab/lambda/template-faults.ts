import { tool } from "../../ops/tools.ts";

type Json = Record<string, unknown>;

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Json; DependsOn?: string | string[] }>;
  Outputs?: Json;
}

interface Specification {
  get(kind: "typeDefinition", ref: unknown): { name: string; properties: Properties };
  lookup(
    kind: "resource",
    by: "cloudFormationType",
    how: "equals",
    type: string,
  ): { properties: Properties }[];
}
type Properties = Record<string, { type: unknown; required?: boolean }>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `Ref` and `Fn::…` stand for values that only a deployment knows. */
const isIntrinsic = (value: unknown): value is Json =>
  isObject(value) && Object.keys(value).length === 1 && /^(Ref|Fn::\w+)$/.test(Object.keys(value)[0] ?? "");

/**
 * Holds a template against AWS' own specification of CloudFormation, as its CDK is generated from: every
 * resource and property is known, has its type, and none that is required is missing; every reference has its
 * target.
 * @returns a line for each fault
 */
export function templateFaults(template: Template): string[] {
  const { loadAwsServiceSpecSync } = tool<{ loadAwsServiceSpecSync(): Specification }>(
    "@aws-cdk/aws-service-spec",
  );
  const database = loadAwsServiceSpecSync();
  const faults: string[] = [];

  function checkProperties(
    given: Json,
    known: Record<string, { type: unknown; required?: boolean }>,
    at: string,
  ): void {
    for (const [name, value] of Object.entries(given)) {
      const property = known[name];
      if (property === undefined) faults.push(`${at} has no property ${name}`);
      else checkValue(value, property.type as Json, `${at}.${name}`);
    }
    for (const [name, { required }] of Object.entries(known))
      if (required === true && !(name in given)) faults.push(`${at} lacks ${name}`);
  }

  function checkValue(value: unknown, type: Json, at: string): void {
    if (isIntrinsic(value)) return;
    switch (type.type) {
      case "array":
        if (!Array.isArray(value)) faults.push(`${at} is no list`);
        else
          for (const [index, item] of value.entries())
            checkValue(item, type.element as Json, `${at}[${index}]`);
        return;
      case "map":
        if (!isObject(value)) faults.push(`${at} is no map`);
        else
          for (const [key, item] of Object.entries(value))
            checkValue(item, type.element as Json, `${at}.${key}`);
        return;
      case "ref": {
        const { $ref } = type.reference as { $ref: string };
        const definition = database.get("typeDefinition", $ref);
        if (isObject(value)) checkProperties(value, definition.properties, at);
        else faults.push(`${at} is no ${definition.name}`);
        return;
      }
      case "union": {
        const fits = (type.types as Json[]).some((one) => {
          const before = faults.length;
          checkValue(value, one, at);
          return faults.splice(before).length === 0;
        });
        if (!fits) faults.push(`${at} fits none of its types`);
        return;
      }
      case "integer":
        if (!Number.isInteger(Number(value))) faults.push(`${at} is no whole number`);
        return;
      case "number":
        if (Number.isNaN(Number(value))) faults.push(`${at} is no number`);
        return;
      case "boolean":
        if (typeof value !== "boolean" && value !== "true" && value !== "false")
          faults.push(`${at} is no boolean`);
        return;
      case "string":
        if (typeof value === "object") faults.push(`${at} is no text`);
        return;
      default:
    }
  }

  for (const [name, { Type, Properties = {} }] of Object.entries(template.Resources)) {
    const [resource] = database.lookup("resource", "cloudFormationType", "equals", Type);
    if (resource === undefined) faults.push(`${name} is of no known type: ${Type}`);
    else checkProperties(Properties, resource.properties, name);
  }
  const names = new Set(Object.keys(template.Resources));
  for (const target of targetsOf(template))
    if (!names.has(target) && !target.startsWith("AWS::")) faults.push(`there is no ${target} to refer to`);
  return faults;
}

/** Every logical name that something refers to. */
function targetsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(targetsOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref" && typeof inner === "string") return [inner];
    if (key === "DependsOn") return [inner].flat().map(String);
    if (key === "Fn::GetAtt") return [String(Array.isArray(inner) ? inner[0] : String(inner).split(".")[0])];
    if (key === "Fn::Sub" && typeof inner === "string")
      return [...inner.matchAll(/\$\{([\w:]+)(?:\.\w+)?\}/g)].map(([, name]) => String(name));
    return targetsOf(inner);
  });
}
