import { stringify } from "csv-stringify/sync";
import { RelayError } from "../../platform/errors/index.ts";
import { CSV_FORM, cellText, DAY_MS, markupText } from "../../platform/values/index.ts";
import { type Parts, zipParts } from "./file.ts";
import { type Cell, isText, type Kind, type Sheet } from "./sheet.ts";

export const MEDIA_TYPES = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

/** A sheet as a file, made while it is read; `written` counts its rows. */
export function sheetFile(sheet: Sheet, name: string, format: keyof typeof MEDIA_TYPES, madeAt: Date) {
  const written = { rows: 0 };
  return {
    fileName: `${name}.${format}`,
    mediaType: MEDIA_TYPES[format],
    parts: format === "csv" ? csvParts(sheet, written) : xlsxParts(sheet, madeAt, written),
    written,
  };
}

const ROWS_AT_ONCE = 200;

/** A sheet as CSV (RFC 4180, UTF-8): one header row and the rows. */
async function* csvParts({ columns, rows }: Sheet, written: { rows: number }): Parts {
  let waiting: (readonly Cell[])[] = [columns.map(({ name }) => name)];
  for await (const row of rows) {
    written.rows += 1;
    waiting.push(row);
    if (waiting.length < ROWS_AT_ONCE) continue;
    yield stringify(waiting, CSV_FORM);
    waiting = [];
  }
  yield stringify(waiting, CSV_FORM);
}

// A workbook of one sheet, as ECMA-376 (SpreadsheetML) has it: a few fixed parts and the rows, zipped as they
// are read. Why no library: docs/decisions.md.

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Rows that spreadsheets have at most, and characters of a cell. */
const ROW_LIMIT = 1_048_576;
const TEXT_LIMIT = 32_767;

/** Digits that a spreadsheet keeps of a number. Longer amounts are written as text, so that none is lost. */
const EXACT_DIGITS = 15;

/** The formats of cells by kind, in the order of the styles below; then that of the header row, in bold. */
const KINDS: readonly Kind[] = ["text", "id", "money", "count", "day", "time"];
const WIDTHS: Record<Kind, number> = { text: 24, id: 38, money: 16, count: 10, day: 12, time: 20 };
const BOLD = KINDS.length;

/**
 * A sheet as XLSX: a header row, which stays in view and filters, and the rows. Times and amounts are numbers with a
 * format; texts stay texts, even if they look like numbers.
 * @throws RelayError when there are more rows than a sheet has.
 */
export const xlsxParts = (sheet: Sheet, madeAt: Date, written = { rows: 0 }): Parts =>
  zipParts(
    [
      { path: "[Content_Types].xml", parts: () => [CONTENT_TYPES] },
      { path: "_rels/.rels", parts: () => [ROOT_RELATIONS] },
      { path: "xl/workbook.xml", parts: () => [workbook(sheet.name)] },
      { path: "xl/_rels/workbook.xml.rels", parts: () => [RELATIONS] },
      { path: "xl/styles.xml", parts: () => [STYLES] },
      { path: "xl/worksheets/sheet1.xml", parts: () => sheetParts(sheet, written) },
    ],
    madeAt,
  );

async function* sheetParts({ columns, rows }: Sheet, written: { rows: number }): Parts {
  const cols = columns.map(
    ({ kind }, at) => `<col min="${at + 1}" max="${at + 1}" width="${WIDTHS[kind]}" customWidth="1"/>`,
  );
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${cols.join("")}</cols><sheetData>`;
  let waiting = rowOf(
    1,
    columns.map(({ name }, at) => textCell(at, 1, name, BOLD)),
  );
  for await (const row of rows) {
    written.rows += 1;
    const number = written.rows + 1;
    if (number > ROW_LIMIT)
      throw new RelayError(
        `A sheet has at most ${ROW_LIMIT.toLocaleString("en-US")} rows. Choose a shorter period, or CSV.`,
      );
    waiting += rowOf(
      number,
      columns.map(({ kind }, at) => cellOf(kind, at, number, row[at] ?? null)),
    );
    if (written.rows % ROWS_AT_ONCE > 0) continue;
    yield waiting;
    waiting = "";
  }
  const range = `A1:${letters(columns.length - 1)}${written.rows + 1}`;
  yield `${waiting}</sheetData><autoFilter ref="${range}"/></worksheet>`;
}

const rowOf = (number: number, cells: readonly string[]): string =>
  `<row r="${number}">${cells.join("")}</row>`;

function cellOf(kind: Kind, at: number, number: number, value: Cell): string {
  if (value === null || value === "") return "";
  const style = KINDS.indexOf(kind);
  const digits = isText(kind) ? null : numberOf(kind, value);
  if (digits === null) return textCell(at, number, value, style);
  return `<c r="${letters(at)}${number}" s="${style}"><v>${digits}</v></c>`;
}

/** null for what a spreadsheet would not keep to the last digit, or could not show. */
function numberOf(kind: Exclude<Kind, "text" | "id">, value: string): string | null {
  if (kind === "money" || kind === "count") return isExact(value) ? value : null;
  const days = Date.parse(`${value.replace(" ", "T")}${kind === "day" ? "T00:00:00" : ""}Z`) / DAY_MS;
  // Days are counted from the one before 1900; in the first two months of that year spreadsheets disagree.
  return days + DAYS_BEFORE_1970 < 61 ? null : String(days + DAYS_BEFORE_1970);
}

const DAYS_BEFORE_1970 = 25_569;

const isExact = (value: string): boolean =>
  /^-?\d+(\.\d+)?$/.test(value) &&
  value
    .replace(/^-?0*/, "")
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(".", "").length <= EXACT_DIGITS;

/** Text in the cell itself: it is no formula, and stays text when it is edited (`quotePrefix`). */
const textCell = (at: number, number: number, value: string, style: number): string =>
  `<c r="${letters(at)}${number}" s="${style}" t="inlineStr"><is><t xml:space="preserve">` +
  `${markupText(cellText(value).slice(0, TEXT_LIMIT).toWellFormed())}</t></is></c>`;

/** The name of a column: A, B, … Z, AA. */
const letters = (at: number): string =>
  (at >= 26 ? letters(Math.floor(at / 26) - 1) : "") + String.fromCharCode(65 + (at % 26));

const CONTENT_TYPES =
  `${XML}<Types xmlns="${PACKAGE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
  `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`;

const relations = (...targets: [type: string, target: string][]): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
  targets
    .map(
      ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join("") +
  "</Relationships>";

const ROOT_RELATIONS = relations(["officeDocument", "xl/workbook.xml"]);
const RELATIONS = relations(["worksheet", "worksheets/sheet1.xml"], ["styles", "styles.xml"]);

const workbook = (name: string): string =>
  `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
  `<sheet name="${markupText(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;

/** Of numbers with a format of their own; at least two decimals, and no digit less than there is. */
const FORMATS = ["#,##0.00#############", "yyyy\\-mm\\-dd", "yyyy\\-mm\\-dd\\ hh:mm:ss"];
const FORMAT_OF: Record<Kind, number> = { text: 0, id: 0, money: 164, count: 3, day: 165, time: 166 };

const styleOf = (kind: Kind, font: 0 | 1): string =>
  `<xf numFmtId="${FORMAT_OF[kind]}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyFont="1" ` +
  `applyNumberFormat="1"${isText(kind) ? ' quotePrefix="1"' : ""}/>`;

const STYLES =
  `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${FORMATS.length}">` +
  FORMATS.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`).join("") +
  '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${BOLD + 1}">${KINDS.map((kind) => styleOf(kind, 0)).join("")}${styleOf("text", 1)}` +
  "</cellXfs></styleSheet>";
