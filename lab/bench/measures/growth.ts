import type { BenchDatabase } from "../harness/bench-database.ts";
import { startWorkers } from "../harness/contestants.ts";
import { fillHistory } from "../harness/fill-history.ts";
import { interleave } from "../harness/interleave.ts";
import { measureDrain } from "../harness/measure-drain.ts";
import { measureFloods, RUSH, startReceiver } from "../harness/measure-intake.ts";
import { CERTIFIED, measureReads, type Reads } from "../harness/measure-reads.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded } from "../harness/report.ts";
import { ratiosOf, spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import { ratioTable } from "../harness/tables.ts";

/** Callbacks a second, events a second, and ms of each reading. */
type Growth = { intake: number; drain: number } & Reads;

const MEASURES = ["intake", "drain", "status", "search", "timeline", "certify"] as const;

async function measure(
  stage: Stage,
  database: BenchDatabase,
  { ms, callbacks }: BenchOptions,
): Promise<Growth> {
  // What the one before left dirty is not to be written out meanwhile, and the code is to be warm.
  await stage.settleDisk();
  await measureReads(stage, database);
  const reads = await measureReads(stage, database);
  const receiver = await startReceiver(stage, database);
  const { perSecond: intake } = (await measureFloods(stage, receiver, [RUSH], ms))[RUSH];
  await receiver.end();
  // What intake recorded has been measured, and is not to be drained as well.
  await database.query("delete from confirmation where state = 'due'");
  const relay = await startWorkers(stage, database);
  const options = { stage, contestant: relay, database, callbacks };
  const { perSecond: drain } = await measureDrain(options);
  await relay.stop();
  await database.query("vacuum analyze confirmation");
  return { intake, drain, ...reads };
}

/** The same work with an empty log, with `--rows` payments in every table, and with `--long` ten times as many. */
export async function growth(stage: Stage, options: BenchOptions): Promise<Report> {
  const sizes = {
    empty: CERTIFIED,
    [`${options.rows} payments`]: options.rows,
    ...(options.long ? { [`${10 * options.rows} payments`]: 10 * options.rows } : {}),
  };
  const measures: Record<string, () => Promise<Growth>> = {};
  // Each is kept for all rounds: what a round adds, the other has as well.
  for (const [name, rows] of Object.entries(sizes)) {
    const database = await stage.createDatabase();
    await fillHistory(database, rows);
    measures[name] = () => measure(stage, database, options);
  }
  const figures = await interleave<Growth>(measures, options.rounds);
  const names = Object.keys(figures);
  const column = (name: string, of: keyof Growth) => (figures[name] ?? []).map((round) => round[of]);
  const ratios = Object.fromEntries(
    names.slice(1).flatMap((name) =>
      MEASURES.map((of) => {
        // A rate should not fall, a duration should not rise: both as "share of the empty figure".
        const [own, empty] = [column(name, of), column("empty", of)];
        const isRate = of === "intake" || of === "drain";
        return [`${of}, ${name}`, spreadOf(isRate ? ratiosOf(own, empty) : ratiosOf(empty, own))];
      }),
    ),
  );
  return {
    tables: [
      {
        title: "Growth: the same work with more rows in the log, the median of the rounds",
        header: ["", "intake/s", "drain/s", "status ms", "search ms", "timeline ms", "certify ms"],
        rows: names.map((name) => [
          name,
          ...MEASURES.map((of) => rounded(spreadOf(column(name, of)).median)),
        ]),
        note: `"empty" holds the ${CERTIFIED} payments that are certified.`,
      },
      ...ratioTable(ratios, "Share of the empty figure; 1 is no change, less is slower"),
    ],
    figures: { rounds: figures },
  };
}
