import { text } from "node:stream/consumers";

// `… | node tools/terminal-picture.ts "npm run demo" > docs/images/x.svg`: a terminal's picture of what a
// program printed, under the command line that is named.
const COLUMNS = 132;
const LINE_PX = 19;
const COLUMN_PX = 7.83;
const EDGE_PX = 20;
const BAR_PX = 34;

const escaped = (line: string) =>
  line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00A0");

/** As a terminal of that many columns shows it. */
const wrapped = (line: string) => line.match(new RegExp(`.{1,${COLUMNS}}`, "gu")) ?? [""];

const command = process.argv[2] ?? "";
const printed = (await text(process.stdin)).trimEnd().split("\n").flatMap(wrapped);
const lines = [...wrapped(`$ ${command}`), ...printed];
const width = Math.ceil(COLUMNS * COLUMN_PX) + 2 * EDGE_PX;
const height = BAR_PX + lines.length * LINE_PX + EDGE_PX;
/** In a font of another width the columns stay where they are. */
const row = (line: string, index: number): string => {
  const y = BAR_PX + (index + 1) * LINE_PX;
  const look = index < lines.length - printed.length ? ' class="typed"' : "";
  const length = Math.round([...line].length * COLUMN_PX);
  return `<text x="${EDGE_PX}" y="${y}"${look} textLength="${length}">${escaped(line)}</text>`;
};

process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>A terminal after ${escaped(command)}</title>
<style>
text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d7dee8; }
.typed { fill: #7ddba6; font-weight: 600; }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#111822"/>
<circle cx="22" cy="19" r="6" fill="#f26d5f"/><circle cx="42" cy="19" r="6" fill="#f3bd4e"/>
<circle cx="62" cy="19" r="6" fill="#5fc36a"/>
${lines.map((line, index) => (line === "" ? "" : row(line, index))).join("\n")}
</svg>
`);
