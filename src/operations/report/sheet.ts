import type { Mask } from "../../platform/values/index.ts";
import { type Money, sumOfMoney } from "../../provider/index.ts";

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
  /** Its cell in the total row. */
  total?: "sum" | "count" | undefined;
}

export interface Column<Item> extends SheetColumn {
  of(item: Item): Cell;
}

const columnOf =
  (kind: Kind) =>
  <Item>(name: string, of: (item: Item) => Cell, total?: SheetColumn["total"]): Column<Item> => ({
    name,
    kind,
    of,
    total,
  });
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

/** A row, which knows what its amounts are counted in. */
export interface SheetRow {
  currency: string;
  cells: readonly Cell[];
}

/** A table that is read as it is written; its rows of one currency stand together. */
export interface Sheet {
  name: string;
  columns: readonly SheetColumn[];
  /** Each has a total, whether or not it has rows. */
  currencies: readonly string[];
  rows: AsyncIterable<SheetRow>;
}

/** The total of the rows of one currency, which begin at `first`, counted from 0. */
export interface Total {
  currency: string;
  first: number;
  count: number;
  /** By column, as its cells are written; null where nothing is summed. */
  sums: (Money | null)[];
}

/** Adds up rows as they are written, so that the sum matches them to the last digit. */
export class Totals {
  readonly #totals: Map<string, Total>;
  readonly #kinds: readonly Kind[];
  readonly #hasTotals: boolean;
  #rows = 0;

  constructor({ columns, currencies }: Pick<Sheet, "columns" | "currencies">) {
    const sums = columns.map(({ kind, total }) => (total !== "sum" ? null : kind === "count" ? "0" : "0.00"));
    this.#hasTotals = columns.some(({ total }) => total !== undefined);
    this.#kinds = columns.map(({ kind }) => kind);
    this.#totals = new Map(
      currencies.map((currency) => [currency, { currency, first: 0, count: 0, sums: [...sums] }]),
    );
  }

  /** @throws Error when the row is of another currency. */
  add({ currency, cells }: SheetRow): void {
    const total = this.#totals.get(currency);
    if (total === undefined) throw new Error(`a row in ${currency}, which the sheet does not have`);
    if (total.count === 0) total.first = this.#rows;
    total.count += 1;
    for (const [at, sum] of total.sums.entries()) {
      const cell = cells[at] ?? null;
      if (sum === null || cell === null) continue;
      total.sums[at] =
        this.#kinds[at] === "count" ? String(Number(sum) + Number(cell)) : sumOfMoney([sum, cell]);
    }
    this.#rows += 1;
  }

  /** The totals to show: an empty list where no column has a total. */
  get all(): readonly Total[] {
    return this.#hasTotals ? [...this.#totals.values()] : [];
  }

  get rows(): number {
    return this.#rows;
  }
}
