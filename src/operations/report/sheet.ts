import type { Mask } from "../../platform/values/index.ts";

/**
 * The content of a cell: an id of 36 characters, money as an exact decimal string, a count in digits, a day as YYYY-MM-DD, a time as
 * `2026-10-31 23:59:59` on the clocks of the books.
 */
export type Kind = "text" | "id" | "money" | "count" | "day" | "time";

export const isText = (kind: Kind): kind is "text" | "id" => kind === "text" || kind === "id";

export type Cell = string | null;

export interface SheetColumn {
  name: string;
  kind: Kind;
}

export interface Column<Item> extends SheetColumn {
  of(item: Item): Cell;
}

const columnOf =
  (kind: Kind) =>
  <Item>(name: string, of: (item: Item) => Cell): Column<Item> => ({ name, kind, of });
export const text = columnOf("text");
export const id = columnOf("id");
export const money = columnOf("money");
export const count = columnOf("count");
export const day = columnOf("day");
export const time = columnOf("time");

/** The cells of an item's row. @param mask for its texts. */
export const cellsOf = <Item>(columns: readonly Column<Item>[], item: Item, mask: Mask): Cell[] =>
  columns.map(({ kind, of }) => {
    const cell = of(item);
    return cell === null || !isText(kind) ? cell : mask(cell);
  });

/** A table that is read as it is written. */
export interface Sheet {
  name: string;
  columns: readonly SheetColumn[];
  rows: AsyncIterable<readonly Cell[]>;
}
