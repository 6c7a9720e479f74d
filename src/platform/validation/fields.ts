import { z } from "zod";

// Fields of what is answered, whatever it is about.

/** A Date here, ISO 8601 text in JSON. */
export const time = z.coerce.date().describe("ISO 8601, UTC.");

export const answeredId = z.guid();

export const decimal = z.string().describe("A decimal string, exact.");

export const whole = z.number().int();

type Json = Record<string, unknown>;

/** @param schema the JSON Schema of an object with a field for each; those of a path are always required. */
export function openApiParameters(place: "path" | "query", schema: Json): Json[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: field,
  }));
}
