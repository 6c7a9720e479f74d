/** What takes the secrets out of a text. */
export type Mask = (text: string) => string;

/** The length of `/callbacks/` and one character; no token is shorter either. */
const SHORTEST = 12;

/** A value that becomes JSON, with every text of it masked, names of fields included. */
export function withTextsMasked(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return value.length < SHORTEST ? value : mask(value);
  if (value === null || typeof value !== "object" || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((one) => withTextsMasked(one, mask));
  if ("toJSON" in value && typeof value.toJSON === "function") return withTextsMasked(value.toJSON(), mask);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.length < SHORTEST ? name : mask(name),
      withTextsMasked(one, mask),
    ]),
  );
}
