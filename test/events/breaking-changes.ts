type Schema = Record<string, unknown>;

/** Words of JSON Schema that bind nobody. */
const REMARKS = new Set([
  "$id",
  "$schema",
  "id",
  "title",
  "description",
  "examples",
  "default",
  "deprecated",
]);

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What a consumer of the published schema would trip over, if events followed the newer one: a property that
 * is gone or no longer certain, or any constraint that is not the same. New properties are no such thing.
 * @returns a line for each, empty when the newer schema is compatible
 */
export function breakingChanges(published: unknown, newer: unknown, at = "event"): string[] {
  if (!isSchema(published) || !isSchema(newer))
    return JSON.stringify(published) === JSON.stringify(newer) ? [] : [`${at} changed`];
  const words = new Set([...Object.keys(published), ...Object.keys(newer)]);
  return [...words]
    .filter((word) => !REMARKS.has(word))
    .flatMap((word) => {
      const [before, after] = [published[word], newer[word]];
      if (word === "properties") return propertyChanges(before, after, at);
      if (word === "required") return lostPromises(before, after, at);
      if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
        return before.flatMap((item, index) =>
          breakingChanges(item, after[index], `${at}.${word}[${index}]`),
        );
      return breakingChanges(before, after, `${at}.${word}`);
    });
}

function propertyChanges(before: unknown, after: unknown, at: string): string[] {
  if (!isSchema(before) || !isSchema(after)) return [`${at} lost its properties`];
  return Object.entries(before).flatMap(([name, schema]) =>
    name in after ? breakingChanges(schema, after[name], `${at}.${name}`) : [`${at}.${name} is gone`],
  );
}

function lostPromises(before: unknown, after: unknown, at: string): string[] {
  const still = new Set(Array.isArray(after) ? after : []);
  return (Array.isArray(before) ? before : [])
    .filter((name) => !still.has(name))
    .map((name) => `${at}.${name} is no longer certain to be there`);
}
