import { table } from "../../../src/interfaces/cli/table.ts";
import type { BytesPerPayment } from "./bytes.ts";
import type { CpuCosts } from "./cpu.ts";
import { type Rounds, ratiosOf, spreadOf } from "./rounds.ts";

export interface Table {
  title: string;
  header: string[];
  rows: (string | number | null)[][];
}

/** Findings of a bench: tables for people, figures for programs. */
export interface Report {
  tables: Table[];
  figures: Record<string, unknown>;
}

/** Whole above 100, else three digits: more would claim a precision that is not there. */
export const rounded = (figure: number): number =>
  Math.abs(figure) >= 100 ? Math.round(figure) : Number(figure.toPrecision(3));

const cellOf = (figure: number) => (Number.isNaN(figure) ? null : rounded(figure));

/** Prints the report to stdout. */
export function printReport({ tables, figures }: Report, json: boolean): void {
  if (json) return void process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  for (const { title, header, rows } of tables) {
    const columns = header.map((name, at) => [name, (row: (typeof rows)[number]) => row[at]] as const);
    process.stdout.write(`\n${title}\n\n${table(rows, columns)}\n`);
  }
}

/** Medians of the rounds: a row for each variant, a column for each figure. */
export const medianTable = <Figures>(
  title: string,
  rounds: Rounds<Figures>,
  columns: Record<string, (figures: Figures) => number>,
): Table => ({
  title: `${title}, medians of the rounds`,
  header: ["", ...Object.keys(columns)],
  rows: Object.entries(rounds).map(([name, measured]) => [
    name,
    ...Object.values(columns).map((of) => cellOf(spreadOf(measured.map(of)).median)),
  ]),
});

/** Spreads of whole series; no table where nothing was compared. */
export function spreadTable(title: string, series: Record<string, readonly number[]>): Table[] {
  const rows = Object.entries(series).map(([name, figures]) => {
    const { min, median, max } = spreadOf(figures);
    return [name, ...[median, min, max].map(rounded)];
  });
  return rows.length === 0 ? [] : [{ title, header: ["", "median", "least", "most"], rows }];
}

interface Rate {
  perSecond: number;
  cpu: CpuCosts;
}

/** Rates, the relay's ratios to each reference measured beside it, and CPU, which shows the limit. */
export function rateTables<Figures extends Rate>(
  title: string,
  rounds: Rounds<Figures>,
  more: Record<string, (figures: Figures) => number> = {},
): Table[] {
  const rates = Object.entries(rounds).map(([name, all]) => [name, all.map(({ perSecond }) => perSecond)]);
  return [
    ...spreadTable(`${title}, a second`, Object.fromEntries(rates)),
    ...spreadTable("The relay's ratios, round by round", relayRatios(rounds)),
    ...(Object.keys(more).length === 0 ? [] : [medianTable(title, rounds, more)]),
    cpuTable(rounds),
  ];
}

/** The ratio by CPU is what that of the rates would be if nothing but processor time counted. */
function relayRatios({ relay = [], generatorCeiling: _, ...references }: Rounds<Rate>) {
  const ratios = Object.entries(references).flatMap(([name, all]) => {
    const [rate, cpu] = [({ perSecond }: Rate) => perSecond, ({ cpu }: Rate) => cpu.all];
    return [
      [`ratio to ${name}`, ratiosOf(relay.map(rate), all.map(rate))],
      [`ratio to ${name} by CPU`, ratiosOf(all.map(cpu), relay.map(cpu))],
    ];
  });
  return Object.fromEntries(ratios) as Record<string, number[]>;
}

export function cpuTable(rounds: Rounds<{ cpu: CpuCosts }>): Table {
  const clocks = Object.keys(Object.values(rounds)[0]?.[0]?.cpu ?? {});
  const columns = clocks.map((clock) => [clock, (one: { cpu: CpuCosts }) => one.cpu[clock] ?? 0]);
  return medianTable("CPU ms for each 1,000 callbacks", rounds, Object.fromEntries(columns));
}

/** Where the relay's own CPU time goes: functions, and their shares of the samples that were not idle. */
export const profileTable = (hot: readonly { share: number; name: string; at: string }[]): Table => ({
  title: "Where the relay's CPU time goes (self time)",
  header: ["share %", "function", "in"],
  rows: hot.map(({ share, name, at }) => [rounded(share * 100), name, at]),
});

/** Bytes that Postgres writes for a payment, and those of each table and index in the last of `rounds`. */
export function bytesTables(rounds: Rounds<BytesPerPayment>): Table[] {
  const relations = Object.values(rounds).at(-1)?.at(-1)?.relations ?? {};
  const rows = Object.entries(relations)
    .map(([name, { wal = 0, disk }]) => ({ name, wal: Math.round(wal), disk: Math.round(disk) }))
    .filter(({ wal, disk }) => wal > 0 || disk > 0)
    .toSorted((a, b) => b.wal + b.disk - a.wal - a.disk);
  return [
    medianTable("Bytes that Postgres writes for each payment", rounds, {
      WAL: ({ wal }) => wal,
      "of it whole pages": ({ wholePages }) => wholePages ?? Number.NaN,
      disk: ({ disk }) => disk,
    }),
    {
      title: "Bytes of each table and index; the rest of the WAL is commits and padding",
      header: ["", "WAL", "disk"],
      rows: rows.map(({ name, wal, disk }) => [name, wal, disk]),
    },
  ];
}
