import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { compareCheckouts } from "./harness/against.ts";
import type { BenchOptions } from "./harness/options.ts";
import { printReport, type Report } from "./harness/report.ts";
import { Stage } from "./harness/stage.ts";
import { stayCold } from "./harness/warm-up.ts";

type Bench = (stage: Stage, options: BenchOptions) => Promise<Report>;

const BENCHES: Record<string, { about: string; load: () => Promise<Bench> }> = {
  intake: {
    about: "durable callbacks a second, and how long an answer takes, over 64 and 256 connections",
    load: async () => (await import("./measures/intake.ts")).intake,
  },
  drain: {
    about: "recorded callbacks to published events a second, and the bytes they cost",
    load: async () => (await import("./measures/drain.ts")).drain,
  },
  latency: {
    about: "callback sent to SNS accepted, at 10, 50 and 200/s",
    load: async () => (await import("./measures/latency.ts")).latency,
  },
  peers: {
    about: "drain against two job queues, as documented and with our levers",
    load: async () => (await import("./measures/peers.ts")).peers,
  },
  growth: {
    about: "the same work with 0, 1 and (--long) 10 million payments in the tables",
    load: async () => (await import("./measures/growth.ts")).growth,
  },
  soak: {
    about: "minutes at 80 % of what the whole path takes: what grows, and what stays",
    load: async () => (await import("./measures/soak.ts")).soak,
  },
};

const HELP = `npm run lab -- bench <name> [options]

${Object.entries(BENCHES)
  .map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`)
  .join("\n")}
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

const USUAL = { rounds: 5, seconds: 5, callbacks: 10_000, minutes: 5, rows: 1_000_000 };
const QUICK = { rounds: 1, seconds: 1, callbacks: 500, minutes: 0.5, rows: 20_000 };

/** What the figures were measured on; `loadAtStart` well above 0 means that other programs were at work. */
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
  const stage = new Stage();
  const interrupted = Promise.withResolvers<never>();
  const interrupt = () => interrupted.reject(new Error("stopped before its end"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  const begun = stage.begin();
  try {
    return await Promise.race([begun.then(() => work(stage)), interrupted.promise]);
  } finally {
    // What is only half up cannot be taken down.
    await begun.catch(() => undefined);
    await stage.end();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
}

async function main(words: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      callbacks: { type: "string" },
      minutes: { type: "string" },
      rows: { type: "string" },
      profile: { type: "boolean", default: false },
      long: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      alone: { type: "boolean", default: false },
      rate: { type: "string" },
      against: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const name = positionals[0] ?? "";
  const benches = name === "all" ? Object.entries(BENCHES) : [[name, BENCHES[name]] as const];
  if (benches.some(([, bench]) => bench === undefined) || values.help) {
    process.stdout.write(HELP);
    return values.help ? 0 : 1;
  }
  if (values.quick) stayCold();
  const sizes = { ...(values.quick ? QUICK : USUAL), ...values };
  const options: BenchOptions = {
    json: values.json,
    rounds: Number(sizes.rounds),
    ms: Number(sizes.seconds) * 1_000,
    callbacks: Number(sizes.callbacks),
    minutes: Number(sizes.minutes),
    rows: Number(sizes.rows),
    profile: values.profile,
    long: values.long,
    alone: values.alone,
    perSecond: values.rate === undefined ? null : Number(values.rate),
  };
  if (values.against !== undefined) {
    printReport(await compareCheckouts(name, options, values.against), values.json);
    return 0;
  }
  for (const [one, bench] of benches) {
    const run = await bench?.load();
    if (run === undefined) continue;
    const ran = machine();
    const report = await onStage((stage) => run(stage, options));
    printReport(
      { ...report, figures: { bench: one, machine: ran, options, ...report.figures } },
      values.json,
    );
  }
  return 0;
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
// Work that was cut short may still hold something open.
process.stdout.write("", () => process.exit(code));
