import { useEffect, useRef, useState } from "preact/hooks";
import { withoutFormula } from "../../../kit/spreadsheet.ts";
import type { ListPage } from "../api/use-answer.ts";
import { countText } from "../kit/text.ts";
import { notify } from "./page.tsx";
import { Button } from "./values.tsx";

interface CsvButtonProps<Row> {
  name: string;
  read: (cursor: string | null, signal: AbortSignal) => Promise<ListPage<Row>>;
  row: (row: Row) => object;
}

/** More than this is no table to look at; reports have it all. */
const ROW_LIMIT = 20_000;

export function CsvButton<Row>({ name, read, row }: CsvButtonProps<Row>) {
  const [count, setCount] = useState<number | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const save = async () => {
    const rows: object[] = [];
    let cursor: string | null = null;
    do {
      const page: ListPage<Row> = await read(cursor, leaving.current.signal);
      rows.push(...page.items.map(row));
      cursor = page.next ?? null;
      setCount(rows.length);
    } while (cursor !== null && rows.length < ROW_LIMIT);
    saveFile(`${name}.csv`, "text/csv", csvText(rows));
    if (cursor !== null)
      notify(`The first ${countText(rows.length)} were saved: take a shorter period, or a report.`, {
        bad: true,
      });
    else notify(`${countText(rows.length)} rows were saved.`);
  };
  const start = () => {
    setCount(0);
    save()
      .catch((error: unknown) => {
        if (leaving.current.signal.aborted) return;
        notify(`It could not be saved: ${error instanceof Error ? error.message : error}`, { bad: true });
      })
      .finally(() => setCount(null));
  };
  return (
    <Button icon="download" disabled={count !== null} onClick={start}>
      {count === null ? "CSV" : `${countText(count)} read…`}
    </Button>
  );
}

/** RFC 4180, a column for each field, `paid_at` for `paidAt`; what a spreadsheet would run is text. Pure. */
function csvText(rows: readonly object[]): string {
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

function saveFile(name: string, mediaType: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
