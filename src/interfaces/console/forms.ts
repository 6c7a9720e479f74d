import { type Operation, operations } from "../../operations/index.ts";
import { schemaOf } from "../admin-api/index.ts";
import type { FormField } from "./pages/parts/form.tsx";

/** An operation as the pages know it before any request: its summary and its parameters. */
export interface Form {
  path: string;
  summary: string;
  fields: Readonly<Record<string, Omit<FormField, "name">>>;
}

interface Schema {
  format?: string;
  pattern?: string;
  enum?: string[];
  maxLength?: number;
  description?: string;
  properties?: Record<string, Schema>;
}

/** By the operations' ids; made of their input schemas when the pages are built. */
export const consoleForms = (): Record<string, Form> =>
  Object.fromEntries(
    (operations as unknown as readonly Operation[]).map(({ id, path, summary, query, body, view }) => {
      const [asked = {}, given = {}] = [query, body].map(
        (schema) => schema && (schemaOf(schema, "input") as Schema).properties,
      );
      const all = Object.entries({ ...asked, ...given })
        .filter(([name]) => !ELSEWHERE.test(name))
        .map(([name, schema]) => [name, fieldOf(name, schema, labelOf(name, view))]);
      return [id, { path, summary, fields: Object.fromEntries(all) }];
    }),
  );

/** Asked in a way of their own, or of no form. */
const ELSEWHERE = /^(limit|cursor|before|after|reason|dryRun|text|filters|alarms|target|ids)$/;

/** Labels of fields without a column. */
const LABELS: Readonly<Record<string, string>> = {
  to: "Until",
  confirmedTo: "Confirmed until",
  invoiceId: "Invoice",
};

/** The label of the list's column for the same field. */
function labelOf(name: string, { lists = [] }: NonNullable<Operation["view"]> = {}): string {
  const column = lists.flatMap(({ of }) => of.columns).find((one) => one.name === name);
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return column?.label ?? LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function fieldOf(name: string, schema: Schema, label: string): Omit<FormField, "name"> {
  const { description: about, enum: states, maxLength } = schema;
  return {
    label,
    kind: kindOf(name, schema),
    ...{ about, states, input: { maxLength } },
  } as Omit<FormField, "name">;
}

function kindOf(name: string, { format, pattern = "", enum: states }: Schema) {
  if (name === "source") return name;
  if (states !== undefined) return "choice";
  if (format === "date") return "date";
  if (pattern.includes("[T ]")) return "time";
  return "text";
}
