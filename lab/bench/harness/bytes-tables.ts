import type { BytesPerPayment } from "./bytes-per-payment.ts";
import { rounded, type TableOf } from "./report.ts";
import { spreadOf } from "./spread.ts";

const middle = (
  rounds: readonly BytesPerPayment[],
  of: (bytes: BytesPerPayment) => number | undefined,
): number => spreadOf(rounds.map((bytes) => of(bytes) ?? 0)).median;

/** What everybody writes for a payment. */
export const bytesTable = (rounds: Record<string, readonly BytesPerPayment[]>): TableOf => ({
  title: "Bytes that Postgres writes for each payment, the median of the rounds",
  header: ["", "WAL", "of it whole pages", "disk"],
  rows: Object.entries(rounds).map(([name, measured]) => [
    name,
    Math.round(middle(measured, ({ wal }) => wal)),
    measured.every(({ wholePages }) => wholePages === undefined)
      ? null
      : Math.round(middle(measured, ({ wholePages }) => wholePages)),
    Math.round(middle(measured, ({ disk }) => disk)),
  ]),
});

/** Whose bytes they are: each table, and each index. Relations that got nothing are left out. */
export function bytesByRelationTable(title: string, rounds: readonly BytesPerPayment[]): TableOf {
  const names = [...new Set(rounds.flatMap(({ relations }) => Object.keys(relations)))];
  const wal = (name: string) => middle(rounds, ({ relations }) => relations[name]?.wal);
  const disk = (name: string) => middle(rounds, ({ relations }) => relations[name]?.disk);
  const rows = names
    .map((name) => ({ name, wal: wal(name), disk: disk(name) }))
    .filter((row) => Math.round(row.wal) > 0 || Math.round(row.disk) > 0)
    .toSorted((a, b) => b.wal + b.disk - a.wal - a.disk);
  const [allWal, allDisk] = [middle(rounds, (bytes) => bytes.wal), middle(rounds, (bytes) => bytes.disk)];
  const named = rows.reduce((sum, row) => sum + row.wal, 0);
  const share = (part: number, whole: number) => (whole === 0 ? 0 : rounded((100 * part) / whole));
  return {
    title,
    header: ["", "WAL", "% of WAL", "disk", "% of disk"],
    rows: [
      ...rows.map((row) => [
        row.name,
        Math.round(row.wal),
        share(row.wal, allWal),
        Math.round(row.disk),
        share(row.disk, allDisk),
      ]),
      ["commits, padding, other", Math.round(allWal - named), share(allWal - named, allWal), 0, 0],
    ],
  };
}
