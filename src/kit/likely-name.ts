/** The known name that was most likely meant; null when none is close. */
export function likelyName(given: string, known: readonly string[]): string | null {
  const wanted = given.toUpperCase();
  const near = known
    .map((name) => ({ name, distance: distanceOf(wanted, name.toUpperCase()) }))
    .filter(
      ({ name, distance }) =>
        distance <= Math.max(2, name.length / 4) || isPartOf(wanted, name.toUpperCase()),
    )
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name ?? null;
}

/** Whether the name contains all of its words, as COLLECTION_API_KEY contains those of API_KEY. */
function isPartOf(given: string, name: string): boolean {
  const words = name.split("_");
  return given.split("_").every((word) => word.length > 2 && words.includes(word));
}

/** How many letters to change, add, remove or swap with a neighbour. */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line[column] = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, line];
  }
  return last[other.length] ?? 0;
}
