import { z } from "zod";
import {
  count,
  type Field,
  id,
  type List,
  listOf,
  type Rows,
  state,
  text,
  time,
  type Value,
  type View,
} from "../../operations/index.ts";
import { commandLine, type RemedyInputs, withCommand } from "../../platform/errors/index.ts";
import {
  clock,
  countText,
  indentedJson,
  moneyIn,
  plainText,
  shortText,
} from "../../platform/values/index.ts";
import { sheet, table } from "./table.ts";

/** Facts that a terminal needs beside a result. */
interface Rendering {
  currencyOf: (source: string) => string | undefined;
  /** The terminal's width; undefined where the output is no terminal. */
  width?: number | undefined;
  /** Whether an empty list may hold more without its filters. */
  isFiltered: boolean;
}

/** The operation that shows one. */
const SHOWN_BY: Readonly<Record<string, keyof RemedyInputs>> = {
  invoice: "showInvoice",
  callback: "showCallback",
  replay: "showReplay",
  certificate: "showCertificate",
  dead_letter: "showDead",
  quarantined_invoice: "showQuarantine",
};

/** A result as its view has it: a sentence, facts, what is long, lists. */
export function resultText<Result>(result: Result, view: View<Result>, rendering: Rendering): string {
  const { says, facts = [], lists = [], each, next } = view;
  const parts = [plainText(says?.(result) ?? ""), sheet(factsOf(result, facts, rendering)).join("\n")];
  for (const field of facts.filter(({ kind }) => kind === "raw")) {
    const long = field.value(result);
    if (long != null && long !== "") parts.push(`${field.label}\n${indented(indentedJson(String(long)))}`);
  }
  for (const one of each?.rows(result) ?? []) parts.push(resultText(one as never, each?.of ?? {}, rendering));
  for (const list of lists) parts.push(listText(result, list, rendering));
  parts.push((next?.(result) ?? []).map((remedy) => `${remedy.why}: ${commandLine(remedy)}`).join("\n"));
  return parts.filter((part) => part !== "").join("\n\n");
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");

const factsOf = <Row>(row: Row, fields: readonly Field<Row>[], rendering: Rendering) =>
  fields
    .filter(({ kind }) => kind !== "raw")
    .map((field) => [field.label, cellOf(row, field, rendering)] as const);

function listText<Result>(result: Result, list: List<Result>, rendering: Rendering): string {
  const { title, of } = list;
  const rows = list.rows(result) as never[];
  const text = rows.length > 0 ? rowsText(rows, of, rendering) : (of.none ?? "");
  if (text === "") return "";
  if (title !== undefined) return `${title}\n${text}`;
  const { one, many = `${one}s`, why = "" } = of;
  if (rows.length === 0)
    return `${rendering.isFiltered ? `No ${one} matches these filters.` : of.none} ${why}`.trimEnd();
  const { total, next } = result as { total?: number; next?: string | null };
  const more = total !== undefined ? total > rows.length : next != null;
  const end = [
    ...(more
      ? [`${total === undefined ? "There are more" : `${countText(total)} ${many} in all`}; see --limit.`]
      : []),
    ...wayTo(rows, of),
  ];
  return [text, ...(end.length > 0 ? ["", ...end] : [])].join("\n");
}

/** How one of them is shown whole. */
function wayTo(rows: readonly never[], { id }: Rows<never>): string[] {
  const operation = typeof id?.of === "string" ? SHOWN_BY[id.of] : undefined;
  const [first] = rows;
  if (operation === undefined || first === undefined) return [];
  const args = { id: rows.length > 1 ? "<id>" : id?.value(first) };
  return [`See one with: ${commandLine({ operation, args })}`];
}

/** A table; where the terminal is narrower, a card for each row. Columns without values are left out. */
function rowsText(
  rows: readonly never[],
  { id, columns, asCards }: Rows<never>,
  rendering: Rendering,
): string {
  const fields = id === undefined ? columns : [id, ...columns];
  const shown = fields.filter((field) => rows.some((row) => cellOf(row, field, rendering) !== null));
  const lines = table(
    rows,
    shown.map((field) => [field.label, (row) => short(cellOf(row, field, rendering))] as const),
  );
  const width = Math.max(...lines.split("\n").map((line) => line.length));
  if (asCards !== true && width <= (rendering.width ?? Number.POSITIVE_INFINITY)) return lines;
  return rows.map((row) => sheet(factsOf(row, shown, rendering)).join("\n")).join("\n\n");
}

const LONGEST = 100;
const short = (cell: string | number | null) => (typeof cell === "string" ? shortText(cell, LONGEST) : cell);

/** A cell's text; null for a missing value. */
function cellOf<Row>(row: Row, field: Field<Row>, { currencyOf }: Rendering): string | number | null {
  const value = field.value(row);
  const note = field.note?.(row);
  const shown = written(value, field, () => {
    const { currency, source } = row as { currency?: string; source: string };
    return currency ?? currencyOf(source);
  });
  if (shown === null) return null;
  const noted = note ? `${shown} (${note})` : shown;
  return field.remedy === undefined ? noted : withCommand(`${noted}`, field.remedy(row));
}

function written<Row>(value: Value, { kind }: Field<Row>, currency: () => string | undefined) {
  if (value == null || value === "") return null;
  if (kind === "time") return clock(new Date(value as Date | string));
  if (kind === "progress") return (value as readonly number[]).map(countText).join(" of ");
  if (kind === "money") return moneyIn(currency(), String(value));
  if (typeof value === "number") return value;
  if (!Array.isArray(value)) return String(value);
  const [first = null, ...others] = value as readonly string[];
  return others.length === 0 ? first : `${first} +${others.length}`;
}

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
