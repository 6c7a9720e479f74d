import { type RowOf, returned } from "./statement.ts";

/** A place in an order of time; `at` as Postgres writes it, to the microsecond. */
export interface Place {
  at: string;
  id: string;
  source: string;
}

/** What was found on the way from one place to another. */
export interface Stretch<Item> {
  /** In the order of the walk, each with its place. */
  found: (Item & { place: Place })[];
  /** Where it ended; null at the end of all. */
  end: Place | null;
}

/** What a stretch reads of each row that it looks at. */
export const LOOKED_AT = {
  at: returned.text(),
  /** Its number in the stretch, from 1. */
  place: returned.count,
  matches: returned.boolean,
};

type LookedAt = RowOf<typeof LOOKED_AT> & { source: string };

/** @param rows those that match and, if the stretch has all of its `most` rows, the last one. */
export function stretchOf<Row extends LookedAt>(
  rows: readonly Row[],
  most: number,
  idOf: (row: Row) => string,
): Stretch<Omit<Row, keyof typeof LOOKED_AT>> {
  const placeOf = (row: Row): Place => ({ at: row.at, id: idOf(row), source: row.source });
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
  next: Place | null;
}

/**
 * A page of a walk whose filters no index knows: stretch by stretch, until it is full, at the end, or its
 * time is up. So a page costs about the same, however rare the items that it looks for (G8).
 */
export async function walk<Item>({
  from,
  limit,
  withinMs,
  look,
}: {
  /** null: from the beginning. */
  from: Place | null;
  limit: number;
  withinMs: number;
  look: (after: Place | null) => Promise<Stretch<Item>>;
}): Promise<Page<Item>> {
  const until = performance.now() + withinMs;
  const found: (Item & { place: Place })[] = [];
  for (let after = from; ; ) {
    const stretch = await look(after);
    found.push(...stretch.found);
    after = stretch.end;
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
