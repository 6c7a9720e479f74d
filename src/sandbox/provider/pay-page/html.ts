const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Markup that may go into a page as it stands. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Html | null | false | readonly Html[];

/**
 * A template whose values are escaped, unless they are {@link Html} themselves; null and false leave nothing.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const text = parts.reduce((so, part, index) => so + rendered(values[index - 1] ?? null) + part);
  return new Html(text);
}

function rendered(value: Value): string {
  if (value === null || value === false) return "";
  if (typeof value === "string") return value.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");
  return value instanceof Html ? value.text : value.map((item) => item.text).join("");
}
