import { type RowOf, returned } from "./statement.ts";

/** A position in an order of time; `at` as Postgres writes it, to the microsecond. */
export interface PagePosition {
  at: string;
  id: string;
  source: string;
}

/** What was found between two positions. */
export interface PageSlice<Item> {
  /** In the order of the walk, each with its position. */
  found: (Item & { place: PagePosition })[];
  /** Where it ended; null at the end of all. */
  end: PagePosition | null;
}

/** What a slice reads of each row that it looks at. */
export const LOOKED_AT = {
  at: returned.text(),
  /** Its number in the slice, from 1. */
  place: returned.count,
  matches: returned.boolean,
};

type LookedAt = RowOf<typeof LOOKED_AT> & { source: string };

/** @param rows those that match and, if the slice has all of its `most` rows, the last one. */
export function sliceOf<Row extends LookedAt>(
  rows: readonly Row[],
  most: number,
  idOf: (row: Row) => string,
): PageSlice<Omit<Row, keyof typeof LOOKED_AT>> {
  const placeOf = (row: Row): PagePosition => ({ at: row.at, id: idOf(row), source: row.source });
  const last = rows.at(-1);
  return {
    found: rows
      .filter(({ matches }) => matches)
      .map((row) => {
        const { at: _, place: __, matches: ___, ...item } = row;
        return { ...item, place: placeOf(row) };
      }),
    end: last?.place === most ? placeOf(last) : null,
  };
}

export interface Page<Item> {
  items: Item[];
  /** Where to go on; null at the end. */
  next: PagePosition | null;
}

/**
 * A page of a walk whose filters no index knows: slice by slice, until it is full, at the end, or its
 * time is up. So a page costs about the same, however rare the items that it looks for (G8).
 */
export async function walk<Item>({
  from,
  limit,
  withinMs,
  look,
}: {
  /** null: from the beginning. */
  from: PagePosition | null;
  limit: number;
  withinMs: number;
  look: (after: PagePosition | null) => Promise<PageSlice<Item>>;
}): Promise<Page<Item>> {
  const until = performance.now() + withinMs;
  const found: (Item & { place: PagePosition })[] = [];
  for (let after = from; ; ) {
    const slice = await look(after);
    found.push(...slice.found);
    after = slice.end;
    const isOver = found.length >= limit || after === null || performance.now() >= until;
    if (!isOver) continue;
    const items = found.slice(0, limit);
    const last = items.at(-1)?.place ?? null;
    return {
      items: items.map(({ place: _, ...item }) => item as unknown as Item),
      next: found.length > limit ? last : after,
    };
  }
}
