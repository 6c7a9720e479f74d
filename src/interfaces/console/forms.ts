import { type Operation, operations } from "../../operations/index.ts";
import { schemaOf } from "../admin-api/index.ts";

import type { FormField } from "./pages/parts/form.tsx";

/** What the pages know of an operation before anything is asked: what it does, and what may be given to it. */
export interface Form {
  path: string;
  summary: string;
  fields: Readonly<Record<string, Omit<FormField, "name">>>;
}

interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  description?: string;
  properties?: Record<string, Schema>;
}

/** By the operations' ids; made of their input schemas when the pages are built. */
export const consoleForms = (): Record<string, Form> =>
  Object.fromEntries(
    (operations as unknown as readonly Operation[]).map(({ id, path, summary, query, body }) => {
      const [asked = {}, given = {}] = [query, body].map(
        (schema) => schema && (schemaOf(schema, "input") as Schema).properties,
      );
      const all = Object.entries({ ...asked, ...given, ...given.filters?.properties })
        .filter(([name]) => !ELSEWHERE.test(name))
        .map(([name, schema]) => [name, fieldOf(name, schema)]);
      return [id, { path, summary, fields: Object.fromEntries(all) }];
    }),
  );

/** Asked in a way of their own, or of no form. */
const ELSEWHERE = /^(limit|cursor|before|after|reason|dryRun|text|filters|alarms|target|ids)$/;

function fieldOf(name: string, schema: Schema): Omit<FormField, "name"> {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const { description: about, enum: states, minimum: min, maximum: max, maxLength } = schema;
  return {
    label: words.charAt(0).toUpperCase() + words.slice(1),
    kind: kindOf(name, schema),
    ...{ about, states, input: { min, max, maxLength } },
  } as Omit<FormField, "name">;
}

function kindOf(name: string, { type, format, pattern = "", enum: states, maxLength }: Schema) {
  if (name === "source" || name === "collection") return name;
  if (states !== undefined) return "choice";
  if (type === "boolean") return "check";
  if (type === "integer") return "number";
  if (format === "date") return "date";
  if (pattern.includes("[T ]")) return "time";
  if (type === "array") return "ids";
  return maxLength === 500 ? "lines" : "text";
}
