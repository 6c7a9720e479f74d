import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type Report, rounded } from "./harness/report.ts";
import { interleave, ratiosOf, spreadOf } from "./harness/rounds.ts";
import type { BenchOptions } from "./main.ts";

/** Figures of one round by their paths: `relay, 64 connections: cpu measured`. */
type Flat = Record<string, number>;

const HERE = resolve(import.meta.dirname, "../..");

/**
 * Runs a measure in this checkout and in another one, a round here and a round there in turn, each by its own
 * bench and on a stage of its own, so that both meet the same hour of the machine. Only the relay is
 * measured.
 * @param other the path of the other checkout, with its own `node_modules`.
 */
export async function compareCheckouts(
  measure: string,
  options: BenchOptions,
  other: string,
): Promise<Report> {
  const there = resolve(other);
  await access(join(there, "lab/bench/main.ts")).catch(() => {
    throw new Error(`${there} is no checkout: it has no lab/bench/main.ts. Give --against the path of one.`);
  });
  const rounds = await interleave<Flat>(
    { here: () => roundOf(HERE, measure, options), there: () => roundOf(there, measure, options) },
    options.rounds,
  );
  const [ours = [], theirs = []] = [rounds.here, rounds.there];
  const names = new Set([...ours, ...theirs].flatMap((figures) => Object.keys(figures)));
  const column = (all: readonly Flat[], name: string) => all.flatMap((figures) => figures[name] ?? []);
  const rows = [...names].map((name) => {
    const [here, beside] = [column(ours, name), column(theirs, name)];
    const isPaired = here.length === ours.length && beside.length === theirs.length;
    const ratios = isPaired ? ratiosOf(here, beside).filter(Number.isFinite) : [];
    return [name, ...[here, beside, ratios].flatMap(cells)];
  });
  return {
    tables: [
      {
        title: `${measure}, medians of ${options.rounds} rounds: this checkout and ${there} in turn`,
        header: ["", "here", "least", "most", "there", "least", "most", "here / there", "least", "most"],
        // Two checkouts may have other tables: their rows would bury the rest.
        rows: rows.filter(([name]) => !String(name).includes(" relations ")),
      },
    ],
    figures: { bench: measure, options, here: HERE, there, rounds },
  };
}

function cells(figures: readonly number[]) {
  const { min, median, max } = spreadOf(figures);
  return figures.length === 0 ? [null, null, null] : [median, min, max].map(rounded);
}

/** One round by a checkout's own bench. A signal from the terminal reaches it as well: it clears up itself. */
async function roundOf(checkout: string, measure: string, options: BenchOptions): Promise<Flat> {
  const { ms, callbacks, minutes, long, perSecond } = options;
  const words = [
    ...[join(checkout, "lab/bench/main.ts"), measure, "--json", "--alone", "--rounds", "1"],
    ...["--seconds", String(ms / 1_000), "--callbacks", String(callbacks), "--minutes", String(minutes)],
    ...(long ? ["--long"] : []),
    ...(perSecond === null ? [] : ["--rate", String(perSecond)]),
  ];
  const child = spawn(process.execPath, words, { cwd: checkout, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const output = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) throw new Error(`The bench in ${checkout} ended with ${code}`);
  const figures: { rounds?: Record<string, unknown[]> } = JSON.parse(output);
  const all = Object.entries(figures.rounds ?? {});
  return Object.fromEntries(all.flatMap(([name, [round]]) => leavesOf(round, `${name}:`)));
}

/** Every number in a round, with its path. */
function leavesOf(value: unknown, path: string): [string, number][] {
  if (typeof value === "number") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, `${path} ${name}`));
}
