import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type CpuCosts, cpuOfWork } from "./cpu-time.ts";
import { interleave } from "./interleave.ts";
import type { BenchOptions } from "./options.ts";
import { type Report, rounded } from "./report.ts";
import { ratiosOf, type Spread, spreadOf } from "./spread.ts";

/** Figures of one round by what they say: `relay, 64 connections: cpu measured`. */
type Flat = Record<string, number>;

const HERE = resolve(import.meta.dirname, "../../..");

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
  const compared = comparisons(rounds.here ?? [], rounds.there ?? []);
  return {
    tables: [
      {
        title: `${measure}: this checkout and ${there}, ${options.rounds} rounds of each in turn`,
        header: ["", "here", "least", "most", "there", "least", "most", "here / there", "least", "most"],
        rows: compared
          .filter(isPrinted)
          .map(({ name, ...spreads }) => [
            name,
            ...[spreads.here, spreads.there, spreads.ratio].flatMap(cells),
          ]),
        note: `Medians of the rounds; a ratio is of a round here to the one there beside it. cpu: ms for each
1,000; all: everybody's but the generator's. Bytes: for each payment; by table and index with --json.`,
      },
    ],
    figures: { bench: measure, options, here: HERE, there, compared, rounds },
  };
}

// Two checkouts may have other tables: their rows would bury the rest.
const isPrinted = ({ name }: { name: string }) => !name.includes(" relations ");

const cells = (spread: Spread | null) =>
  spread === null ? [null, null, null] : [spread.median, spread.min, spread.max].map(rounded);

function comparisons(here: readonly Flat[], there: readonly Flat[]) {
  const names = [...new Set([...here, ...there].flatMap((figures) => Object.keys(figures)))];
  const some = names.filter((name) => [...here, ...there].some((figures) => (figures[name] ?? 0) !== 0));
  return some.map((name) => {
    const [ours, theirs] = [here, there].map((all) => all.flatMap((figures) => figures[name] ?? []));
    const spread = (figures: readonly number[] = []) => (figures.length === 0 ? null : spreadOf(figures));
    const isPaired = ours?.length === here.length && theirs?.length === there.length;
    const ratios = isPaired ? ratiosOf(ours, theirs).filter(Number.isFinite) : [];
    return { name, here: spread(ours), there: spread(theirs), ratio: spread(ratios) };
  });
}

/**
 * One round by a checkout's own bench. A signal from the terminal reaches it as well: it clears up itself.
 */
async function roundOf(checkout: string, measure: string, options: BenchOptions): Promise<Flat> {
  const words = [join(checkout, "lab/bench/main.ts"), measure, "--json", "--alone", ...wordsOf(options)];
  const child = spawn(process.execPath, words, { cwd: checkout, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const output = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) throw new Error(`The bench in ${checkout} ended with ${code}`);
  const figures: { rounds?: Record<string, { cpu?: CpuCosts }[]> } = JSON.parse(output);
  return Object.fromEntries(
    Object.entries(figures.rounds ?? {}).flatMap(([name, [round]]) => {
      const cpu = round?.cpu === undefined ? {} : { cpu: { ...round.cpu, all: cpuOfWork(round.cpu) } };
      return leavesOf({ ...round, ...cpu }, `${name}:`);
    }),
  );
}

const wordsOf = ({ ms, callbacks, minutes, long, perSecond }: BenchOptions): string[] => [
  ...["--rounds", "1", "--seconds", String(ms / 1_000), "--callbacks", String(callbacks)],
  ...["--minutes", String(minutes), ...(long ? ["--long"] : [])],
  ...(perSecond === null ? [] : ["--rate", String(perSecond)]),
];

/** Every number in a round, with its path. */
function leavesOf(value: unknown, path: string): [string, number][] {
  if (typeof value === "number") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, `${path} ${name}`));
}
