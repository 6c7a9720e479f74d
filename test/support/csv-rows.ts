/** Its rows by the names of the header, as RFC 4180 has them. */
export function rowsOf(csv: string): Record<string, string>[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\r\n") lines.push([]);
    else if (end === "") break;
  }
  const [header = [], ...rows] = lines.slice(0, -1);
  return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at] ?? ""])));
}
