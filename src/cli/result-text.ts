import { type Cell, sheet, table } from "./table.ts";

/** A result as a person reads it: a name and a value a line, those inside of others by their path, lists as tables. */
export function resultText(result: unknown): string {
  if (Array.isArray(result)) return listText(result);
  const fields = fieldsOf(result);
  const lists = fields.filter(([, value]) => isListOfObjects(value));
  const lines = sheet(
    fields.filter(([, value]) => !isListOfObjects(value)).map(([name, value]) => [name, cellOf(value)]),
  );
  const tables = lists.map(([name, value]) => `${name}\n${listText(value as unknown[])}`);
  return [lines.join("\n"), ...tables].filter((part) => part !== "").join("\n\n");
}

function listText(rows: readonly unknown[]): string {
  if (rows.length === 0) return "None.";
  const all = rows.map((row) => Object.fromEntries(fieldsOf(row)));
  const names = [...new Set(all.flatMap((row) => Object.keys(row)))];
  return table(
    all,
    names.map((name) => [name, (row) => cellOf(row[name])] as const),
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("rawJSON" in value);
const isListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) && (value.length === 0 || value.some(isObject));

/** Of what is inside too, each by its path. */
const fieldsOf = (value: unknown, path = ""): [name: string, value: unknown][] =>
  Object.entries(value ?? {}).flatMap(([name, inner]): [string, unknown][] =>
    isObject(inner) ? fieldsOf(inner, `${path}${name}.`) : [[path + name, inner]],
  );

function cellOf(value: unknown): Cell {
  if (Array.isArray(value)) return value.map(cellOf).join(", ");
  // A number of many digits (`RawJson`) is written as they stand, an id without commas.
  return typeof value === "number" || (typeof value === "object" && value !== null)
    ? JSON.stringify(value)
    : (value as Cell);
}
