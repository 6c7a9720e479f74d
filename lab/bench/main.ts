import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { compareCheckouts } from "./against.ts";
import { stayCold } from "./harness/cpu.ts";
import { printReport, type Report } from "./harness/report.ts";
import { type Stage, startStage } from "./harness/stage.ts";
import { drain, peers } from "./measures/drain.ts";
import { growth } from "./measures/growth.ts";
import { intake } from "./measures/intake.ts";
import { latency } from "./measures/latency.ts";
import { rest } from "./measures/rest.ts";
import { soak } from "./measures/soak.ts";

const HELP = `npm run lab -- bench <name> [options]

  intake    durable callbacks a second, and how long an answer takes, over 64 and 256 connections
  drain     recorded callbacks to published events a second, and the bytes they cost
  latency   callback sent to SNS accepted, at 10, 50 and 200/s
  peers     drain against two job queues, as documented and with our levers
  growth    the same work with 0, 1 and (--long) 10 million payments in the tables
  rest      the built relay (npm run build first): how soon it is ready, and its memory with nothing to do
  soak      minutes at 80 % of what the whole path takes: what grows, and what stays
  all       each of them, one after the other: every table of docs/performance.md

  --json           the raw figures as JSON
  --rounds <n>     how often everything is measured (5)
  --seconds <n>    how long one measurement of a rate lasts (5)
  --callbacks <n>  how many callbacks one drain has (10000)
  --minutes <n>    how long the soak lasts (5)
  --rate <n>       callbacks a second of the soak (80 % of what the whole path takes)
  --profile        where the relay's CPU time goes
  --rows <n>       payments of the past in a full log (1000000)
  --long           what takes long too: ten times as many rows
  --quick          only to see that everything runs: cold, one short round, few rows; its figures mean nothing
  --alone          the relay only, without what it is compared with
  --against <path> the same measure by the bench of another checkout, a round here and a round there in turn
`;

const BENCHES: Record<string, (stage: Stage, options: BenchOptions) => Promise<Report>> = {
  ...{ intake, drain, latency, peers, growth, rest, soak },
};

const USUAL = { rounds: "5", seconds: "5", callbacks: "10000", minutes: "5", rows: "1000000" };
const QUICK = { rounds: "1", seconds: "1", callbacks: "500", minutes: "0.5", rows: "20000" };

export type BenchOptions = ReturnType<typeof readOptions>["options"];

function readOptions(words: string[]) {
  const [text, flag] = [{ type: "string" }, { type: "boolean", default: false }] as const;
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      ...{ rounds: text, seconds: text, callbacks: text, minutes: text },
      ...{ rows: text, rate: text, against: text },
      ...{ json: flag, profile: flag, long: flag, quick: flag, alone: flag, help: flag },
    },
  });
  const sizes = { ...(values.quick ? QUICK : USUAL), ...values };
  const { json, profile, long, alone } = values;
  const options = {
    ...{ json, profile, long, alone, rounds: Number(sizes.rounds), rows: Number(sizes.rows) },
    ...{ callbacks: Number(sizes.callbacks), minutes: Number(sizes.minutes) },
    /** How long one measurement of a rate lasts. */
    ms: Number(sizes.seconds) * 1_000,
    /** Callbacks a second of the soak; null: by what the whole path takes. */
    perSecond: values.rate === undefined ? null : Number(values.rate),
  };
  return { name: positionals[0] ?? "", options, ...values };
}

/** The machine; `loadAtStart` well above 0 means that other programs were at work. */
const machine = () => ({
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? "unknown",
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  loadAtStart: Number((loadavg()[0] ?? 0).toFixed(2)),
  at: new Date().toISOString(),
});

/** Runs the work on a stage and clears it away afterwards, also after a failure, Ctrl-C or SIGTERM. */
async function onStage<Result>(work: (stage: Stage) => Promise<Result>): Promise<Result> {
  const interrupted = Promise.withResolvers<never>();
  const interrupt = () => interrupted.reject(new Error("stopped before its end"));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  // What is only half up cannot be taken down.
  const stage = await startStage();
  return await Promise.race([work(stage), interrupted.promise]).finally(stage.end);
}

async function main(words: string[]): Promise<number> {
  const { name, options, quick, against, help } = readOptions(words);
  const names = name === "all" ? Object.keys(BENCHES) : [name];
  if (help || !names.every((one) => one in BENCHES)) {
    process.stdout.write(HELP);
    return help ? 0 : 1;
  }
  if (quick) stayCold();
  if (against !== undefined) printReport(await compareCheckouts(name, options, against), options.json);
  else
    for (const bench of names) {
      const ran = machine();
      const report = await onStage(async (stage) => await BENCHES[bench]?.(stage, options));
      const figures = { bench, machine: ran, options, ...report?.figures };
      printReport({ tables: report?.tables ?? [], figures }, options.json);
    }
  return 0;
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
// Work that was cut short may still hold something open.
process.stdout.write("", () => process.exit(code));
