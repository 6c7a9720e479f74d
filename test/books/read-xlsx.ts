import { readZip } from "./read-zip.ts";

const EPOCH_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** What a cell of a column holds, as CSV writes it: days and times are numbers in XLSX. */
function written(name: string, cell: string, isNumber: boolean): string {
  if (!isNumber || !/^(day|paid|called_back|confirmed|published_at)$/.test(name)) return cell;
  const at = new Date(EPOCH_MS + Math.round(Number(cell) * 86_400) * 1_000).toISOString();
  return Number(cell) * DAY_MS !== 0 && name === "day" ? at.slice(0, 10) : at.slice(0, 19).replace("T", " ");
}

/** The rows of a workbook's one sheet by its header; what spreadsheets reckon anew, as it was written. */
export function readXlsx(file: Buffer): Record<string, string>[] {
  const xml = String(readZip(file).get("xl/worksheets/sheet1.xml"));
  const rows = [...xml.matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/g)].map(
    ([, cells = ""]) =>
      new Map(
        [...cells.matchAll(/<c r="([A-Z]+)\d+"[^>]*>(.*?)<\/c>/g)].map(([, column = "", cell = ""]) => {
          const [, number] = /<v>(.*?)<\/v>/.exec(cell) ?? [];
          const [, text = ""] = /<t[^>]*>(.*?)<\/t>/.exec(cell) ?? [];
          const plain = text.replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? "?");
          return [column, { isNumber: number !== undefined, text: number ?? plain }];
        }),
      ),
  );
  const [header = new Map(), ...others] = rows;
  return others.map((row) =>
    Object.fromEntries(
      [...header].map(([column, { text: name }]) => {
        const { text = "", isNumber = false } = row.get(column) ?? {};
        return [name, written(name, text, isNumber)];
      }),
    ),
  );
}
