type Layer = Readonly<Record<string, unknown>>;

const isLayer = (value: unknown): value is Layer =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `over` on top of `under`, field by field, however deep; a list is one value. */
export function layered(under: object, over: object): object {
  const fields = Object.entries(over).map(([name, value]) => {
    const below = (under as Layer)[name];
    return [name, isLayer(value) && isLayer(below) ? layered(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(fields) };
}
