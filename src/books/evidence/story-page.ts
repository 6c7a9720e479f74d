import { markupText, plainText } from "../../kit/text.ts";
import type { SummedFile } from "./evidence.ts";

/** What happened to one payment, in words; nothing of it is personal. */
export interface Story {
  /** One line: status, amount, collection and the like. */
  headline: string;
  /** What its state means. */
  meaning: readonly string[];
  entries: readonly { at: string; words: string }[];
  /** Callbacks that are not among the entries. */
  further: number;
}

/** Strangers wrote some of it: a sign that could end the text, or turn its direction, is only shown. */
const shown = (text: string): string => markupText(plainText(text));

/** For paper too: black on white, no line of a table torn apart, its head on every page. */
const STYLE = `body{font:11pt/1.5 system-ui,sans-serif;color:#111;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}
table{border-collapse:collapse;width:100%;font-size:.85em}thead{display:table-header-group}
th,td{text-align:left;vertical-align:top;padding:.3em .8em .3em 0;border-bottom:1px solid #ccc}
.times td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}tr{break-inside:avoid}code{font-size:.9em}
@media print{body{margin:0;max-width:none;font-size:9.5pt}@page{margin:18mm}}`;

const table = (kind: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table class="${kind}"><thead><tr>${head.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${shown(cell)}</td>`).join("")}</tr>`)
    .join("\n")}</tbody></table>`;

/** The story of a payment as a page that needs nothing else, reads well and prints well. Pure. */
export function storyPage(
  { invoiceId, madeAt }: { invoiceId: string; madeAt: string },
  { headline, meaning, entries, further }: Story,
  files: readonly SummedFile[],
): string {
  const more = further > 0 ? `<p>… and ${further.toLocaleString("en-US")} later callbacks.</p>` : "";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Invoice ${shown(invoiceId)}</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>${STYLE}</style></head><body>
<h1>Invoice ${shown(invoiceId)}</h1>
<p>${shown(headline)}</p>
${meaning.map((line) => `<p>${shown(line)}</p>`).join("\n")}
<h2>What happened (times are UTC)</h2>
${table(
  "times",
  ["Time", "What"],
  entries.map(({ at, words }) => [at, words]),
)}${more}
<h2>Files</h2>
${table(
  "files",
  ["File", "What it is", "SHA-256"],
  files.map(({ path, what, sha256, withheld }) => [withheld ? `${path} (withheld)` : path, what, sha256]),
)}
<p>Made ${shown(madeAt)}. README.txt says how to check the digests.</p>
</body></html>
`;
}
