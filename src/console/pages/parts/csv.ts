import { withoutFormula } from "../../../kit/spreadsheet.ts";

/** RFC 4180, a column for each field, `paid_at` for `paidAt`; what a spreadsheet would run is text. Pure. */
export function csvText(rows: readonly object[]): string {
  const head = Object.keys(rows[0] ?? {}).map((key) =>
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  return [head, ...rows.map((row) => Object.values(row).map((value) => String(value ?? "")))]
    .map((cells) => `${cells.map(cellOf).join(",")}\r\n`)
    .join("");
}

function cellOf(value: string): string {
  const text = withoutFormula(value);
  return /[",;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveFile(name: string, mediaType: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
