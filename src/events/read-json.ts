/** Text or bytes parsed as JSON, undefined when it is none; anything else as it is. */
export function readJson(input: unknown): unknown {
  const text = input instanceof Uint8Array ? new TextDecoder().decode(input) : input;
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
