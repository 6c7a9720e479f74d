// How a result is shown, as plain data that the command line and the console render. A view stands at its
// operation, and tsc fails where it names a field that the result does not have. Browsers load it: no zod here.

import type { AnyRemedy, Remedy } from "../../platform/errors/remedy.ts";

/** A result as the operation returns it, and as it arrives as JSON: there times are texts. */
export type Either<Type> = Type extends Date
  ? Date | string
  : Type extends object
    ? { [Key in keyof Type]: Either<Type[Key]> }
    : Type;

export type Value = string | number | Date | readonly string[] | null | undefined;

/**
 * text: perhaps written by a stranger; words: a sentence of ours; source: shown where there are several; state: one
 * of our words; money: in the row's currency or its source's;
 * id: one or several of a thing; raw: long, over several lines, under a heading of its own.
 */
type Kind = "text" | "words" | "source" | "time" | "money" | "state" | "count" | "id" | "raw";

/** A field of a result: a column of a list, a line of a sheet. */
export interface Field<Row> extends Showing<Row> {
  label: string;
  kind: Kind;
  /** The row's field, shown unchanged. */
  name?: string;
  /** null: a sheet leaves it out, a list shows a dash. */
  value: (row: Row) => Value;
}

interface Showing<Row> {
  /** Of an id or a name: what it names, such as an invoice, which leads to where that is shown. */
  of?: string | ((row: Row) => string);
  /** Said beside the value. */
  note?: (row: Row) => string | null;
  /** The remedy: at a terminal a command, in the console a button or a link. */
  remedy?: (row: Row) => AnyRemedy | null;
  /** Takes several lines and what is left of the width. */
  isLong?: boolean;
  /** On a phone a row is a small card: `lead` its first line, `side` at that line's right, `away` left out. */
  phone?: "lead" | "side" | "away";
}

type KeyOf<Row, Kept> = {
  [Key in keyof Row & string]-?: Row[Key] extends Kept ? Key : never;
}[keyof Row & string];

/** @param from the name of the row's field, or what is made of the row */
const fieldOf =
  <Kept extends Value>(kind: Kind) =>
  <Row>(
    label: string,
    from: KeyOf<Row, Kept> | ((row: Row) => Kept),
    showing: Showing<Row> = {},
  ): Field<Row> => ({
    ...{ label, kind, ...showing },
    ...(typeof from === "function" ? { value: from } : { name: from, value: (row) => row[from] as Kept }),
  });

type Text = string | null | undefined;
export const text = fieldOf<Text>("text");
export const words = fieldOf<Text>("words");
export const time = fieldOf<Date | Text>("time");
export const state = fieldOf<Text>("state");
export const count = fieldOf<number | null>("count");
export const id = fieldOf<Text | readonly string[]>("id");
export const raw = fieldOf<Text>("raw");
export const source = <Row extends { source: string }>(): Field<Row> =>
  fieldOf<Text>("source")<Row>("Source", ({ source }) => source, { phone: "away" });
export const money: <Row extends { source: string }>(...given: Parameters<typeof text<Row>>) => Field<Row> =
  fieldOf<Text>("money");

/** Rows of one kind. */
export interface Rows<Row> {
  /** The noun for a row. */
  one: string;
  many?: string;
  /** The name of a row, which leads to it. */
  id?: Field<Row>;
  columns: readonly Field<Row>[];
  /** The text of an empty list; without it an empty list inside another view is not shown. */
  none?: string;
  /** The rows to expect here, or where else to look. */
  why?: string;
  /** Too much for a line at a terminal. */
  asCards?: true;
}

/** Rows inside of a result. */
export interface List<Result> {
  title?: string;
  rows: (result: Result) => readonly unknown[];
  of: Rows<never>;
}

/** The next step: an operation with its parameters, and why, as words before a colon. */
export type Next = Remedy & { why: string };

/** A result: a sentence, facts, then lists, and what to do next. */
export interface View<Result> {
  says?: (result: Result) => string;
  facts?: readonly Field<Result>[];
  lists?: readonly List<Result>[];
  next?: (result: Result) => readonly Next[];
  /** It is several of the same, each shown whole. */
  each?: { rows: (result: Result) => readonly unknown[]; of: View<never> };
}

type RowsIn<Result, Row> = KeyOf<Result, readonly Row[]> | ((result: Result) => readonly Row[]);

const rowsIn = <Result, Row>(from: RowsIn<Result, Row>) =>
  typeof from === "function" ? from : (result: Result) => result[from] as readonly Row[];

/** The rows in this field of the result, or made of it. */
export const listOf = <Result, Row>(
  from: RowsIn<Result, Row>,
  of: Rows<Row>,
  title?: string,
): List<Result> => ({ rows: rowsIn(from), of, ...(title !== undefined && { title }) });

/** The same things one below the other, each shown whole. */
export const eachOf = <Result, Row>(
  from: RowsIn<Result, Row>,
  of: View<Row>,
): NonNullable<View<Result>["each"]> => ({
  rows: rowsIn(from),
  of,
});
