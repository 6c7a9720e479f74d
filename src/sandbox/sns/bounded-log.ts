/**
 * A log that forgets its oldest items when it holds more than `most` of them, or when they weigh more than
 * `mostWeight`. Every item has a place: 0 for the first ever added, one more for each after it.
 */
export function createBoundedLog<T>(bounds: {
  most: number;
  mostWeight: number;
  weigh: (item: T) => number;
}) {
  let items: T[] = [];
  // The items before `head` are forgotten, and cut off once they are the larger part.
  let head = 0;
  let weight = 0;
  let forgotten = 0;

  function forgetOldest(): void {
    const oldest = items[head];
    if (oldest !== undefined) weight -= bounds.weigh(oldest);
    head += 1;
    forgotten += 1;
    if (head > 1_000 && head * 2 > items.length) {
      items = items.slice(head);
      head = 0;
    }
  }

  return {
    /** @returns the item's place. */
    add(item: T): number {
      items.push(item);
      weight += bounds.weigh(item);
      const place = forgotten + items.length - head - 1;
      while (items.length - head > bounds.most || (weight > bounds.mostWeight && items.length - head > 1)) {
        forgetOldest();
      }
      return place;
    },
    /** The item at a place; undefined once it is forgotten. */
    at(place: number): T | undefined {
      return place < forgotten ? undefined : items[place - forgotten + head];
    },
    list(): T[] {
      return items.slice(head);
    },
    clear(): void {
      forgotten += items.length - head;
      items = [];
      head = 0;
      weight = 0;
    },
    forgotten: () => forgotten,
  };
}

export type BoundedLog<T> = ReturnType<typeof createBoundedLog<T>>;
