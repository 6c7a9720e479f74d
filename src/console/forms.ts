import { openApiDocument } from "../api/open-api.ts";
import type { FormField } from "./pages/parts/form.tsx";

/** What the pages know of an operation before anything is asked: what it does, and what may be given to it. */
export interface Form {
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

interface Described {
  operationId: string;
  summary: string;
  parameters?: { in: string; name: string; schema: Schema; description?: string }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
}

/** By the operations' ids; made of their input schemas when the pages are built. */
export function consoleForms(): Record<string, Form> {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, Described>> };
  const all = Object.values(paths).flatMap((methods) => Object.values(methods));
  return Object.fromEntries(
    all.map(({ operationId, summary, parameters = [], requestBody }) => {
      const query = parameters.filter((one) => one.in === "query");
      const body = requestBody?.content["application/json"].schema.properties ?? {};
      const given: Record<string, Schema> = {
        ...Object.fromEntries(
          query.map(({ name, schema, description = "" }) => [name, { ...schema, description }]),
        ),
        ...body,
        ...body.filters?.properties,
      };
      const fields = Object.entries(given).map(([name, schema]) => [name, fieldOf(name, schema)]);
      return [operationId, { summary, fields: Object.fromEntries(fields) }];
    }),
  );
}

function fieldOf(name: string, schema: Schema): Omit<FormField, "name"> {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const { description, enum: states, minimum, maximum, maxLength } = schema;
  return {
    label: words.charAt(0).toUpperCase() + words.slice(1),
    kind: kindOf(name, schema),
    ...(description !== undefined && { about: description }),
    ...(states !== undefined && { states }),
    input: {
      ...(minimum !== undefined && { min: minimum, max: maximum }),
      ...(maxLength !== undefined && { maxLength }),
    },
  };
}

function kindOf(
  name: string,
  { type, format, pattern = "", enum: states, maxLength }: Schema,
): FormField["kind"] {
  if (name === "source" || name === "collection") return name;
  if (states !== undefined) return "choice";
  if (type === "boolean") return "check";
  if (type === "integer") return "number";
  if (format === "date") return "date";
  if (pattern.includes("[T ]")) return "time";
  if (type === "array") return "ids";
  return maxLength === 500 ? "lines" : "text";
}
