/** A guarantee that did not hold, and where to look. */
export interface Finding {
  guarantee: "G1" | "G2" | "G3" | "G4" | "G5" | "G6" | "G7" | "G8" | "G10" | "G11" | "G13";
  what: string;
  /** An invoice, an event, a callback or an alarm. */
  about: string;
}

/** Groups by a key, in the original order. */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
