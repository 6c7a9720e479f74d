import { z } from "zod";
import {
  count,
  type Field,
  id,
  type List,
  listOf,
  state,
  text,
  time,
  type View,
} from "../../operations/index.ts";

type Row = Readonly<Record<string, never>>;

/** How a result is shown whose operation names no fields: each by its kind, under its own name in words. */
export function viewOf(schema: z.core.$ZodType): View<never> {
  const fields = fieldsIn(schema);
  const facts = fields.flatMap(([path, inner]) => factOf(path, inner) ?? []);
  const lists = fields.flatMap(([path, inner]) => listIn(path, inner) ?? []);
  return { facts, lists };
}

type Named = [path: readonly string[], schema: z.core.$ZodType];

/** Of what is inside too, each by its path. */
const fieldsIn = (schema: z.core.$ZodType, path: readonly string[] = []): Named[] => {
  const inner = innerOf(schema);
  if (!(inner instanceof z.ZodObject)) return [[path, schema]];
  return Object.entries(inner.shape).flatMap(([name, one]) =>
    fieldsIn(one as z.core.$ZodType, [...path, name]),
  );
};

export const innerOf = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? innerOf(schema.def.innerType)
    : schema;

/** `personalData.invoices` as `Personal data, invoices`. */
function wordsOf(path: readonly string[]): string {
  const words = path
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const at = (row: Row, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Row | null)?.[name] ?? null, row);

function factOf(path: readonly string[], schema: z.core.$ZodType): Field<never> | null {
  const [inner, label] = [innerOf(schema), wordsOf(path)];
  const value = (row: Row) => at(row, path) as never;
  if (inner instanceof z.ZodDate) return time(label, value);
  if (inner instanceof z.ZodNumber) return count(label, value);
  if (inner instanceof z.ZodGUID) return id(label, value);
  if (inner instanceof z.ZodEnum) return state(label, value);
  if (inner instanceof z.ZodString) return text(label, value);
  if (inner instanceof z.ZodArray && !(innerOf(inner.element) instanceof z.ZodObject))
    return text(label, (row: Row) => (at(row, path) as string[] | null)?.join(", "));
  return null;
}

function listIn(path: readonly string[], schema: z.core.$ZodType): List<never> | null {
  const inner = innerOf(schema);
  if (!(inner instanceof z.ZodArray && innerOf(inner.element) instanceof z.ZodObject)) return null;
  const columns = viewOf(inner.element).facts ?? [];
  return listOf(
    (row: Row) => (at(row, path) ?? []) as never[],
    { one: wordsOf(path), columns },
    wordsOf(path),
  );
}
