import { z } from "zod";
import type { Field, List, Rows, Value, View } from "../../operations/index.ts";
import { commandLine, type RemedyInputs, withCommand } from "../../platform/errors/index.ts";
import {
  clock,
  countText,
  indentedJson,
  moneyIn,
  plainText,
  shortText,
} from "../../platform/values/index.ts";
import { anyText, sheet, table } from "./table.ts";

/** Facts that a terminal needs beside a result. */
interface Rendering {
  currencyOf: (source: string) => string | undefined;
  /** Whether an empty list may hold more without its filters. */
  isFiltered: boolean;
}

/** The operation that shows one. */
const SHOWN_BY: Readonly<Record<string, keyof RemedyInputs>> = {
  invoice: "showInvoice",
  callback: "showCallback",
  replay: "showReplay",
  certificate: "showCertificate",
};

/** A result as its view has it: a sentence, facts, what is long, lists. */
export function resultText<Result>(result: Result, view: View<Result>, rendering: Rendering): string {
  const { says, facts = [], lists = [], each, next } = view;
  // A result whose view chooses no fields is shown whole.
  const isWhole = (view.facts ?? view.lists ?? each) === undefined;
  const parts = [
    plainText(says?.(result) ?? ""),
    isWhole ? anyText(result) : sheet(factsOf(result, facts, rendering)).join("\n"),
  ];
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

/** A table, or a card for each row. Columns without values are left out. */
function rowsText(
  rows: readonly never[],
  { id, columns, asCards }: Rows<never>,
  rendering: Rendering,
): string {
  const fields = id === undefined ? columns : [id, ...columns];
  const shown = fields.filter((field) => rows.some((row) => cellOf(row, field, rendering) !== null));
  if (asCards === true)
    return rows.map((row) => sheet(factsOf(row, shown, rendering)).join("\n")).join("\n\n");
  return table(
    rows,
    shown.map((field) => [field.label, (row) => short(cellOf(row, field, rendering))] as const),
  );
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
  if (kind === "money") return moneyIn(currency(), String(value));
  if (typeof value === "number") return value;
  if (!Array.isArray(value)) return String(value);
  const [first = null, ...others] = value as readonly string[];
  return others.length === 0 ? first : `${first} +${others.length}`;
}

export const innerOf = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? innerOf(schema.def.innerType)
    : schema;
