import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";

// `node deploy/lambda/measure-load.ts`: how long the packaged HTTP function takes to load, against a handler
// that imports only express and pg, bundled alike. Median of 20 each, in turns. Needs `npm run
// package:lambda` first.
const RUNS = 20;
const root = resolve(import.meta.dirname, "../..");

interface LoadTimes {
  /** Medians, in ms. */
  receive: { wallMs: number; cpuMs: number };
  bare: { wallMs: number; cpuMs: number };
}

/** @param receive the bundle of the function */
export function measureLoad(receive: string): LoadTimes {
  const folder = mkdtempSync(join(root, "node_modules/.bare-"));
  try {
    const [source, bare] = [join(folder, "bare.ts"), join(folder, "bare.cjs")];
    writeFileSync(
      source,
      'import express from "express"; import pg from "pg"; export const handler = async () => [typeof ' +
        "express, typeof pg.Pool];",
    );
    buildSync({
      entryPoints: [source],
      outfile: bare,
      bundle: true,
      minify: true,
      platform: "node",
      target: "node24",
      format: "cjs",
      external: ["pg-native"],
    });
    const runs = Array.from({ length: RUNS }, () => ({ receive: load(receive), bare: load(bare) }));
    const median = (values: number[]) =>
      values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
    const of = (which: "receive" | "bare") => ({
      wallMs: median(runs.map((run) => run[which].wallMs)),
      cpuMs: median(runs.map((run) => run[which].cpuMs)),
    });
    return { receive: of("receive"), bare: of("bare") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function load(file: string): { wallMs: number; cpuMs: number } {
  const program = `
    const [wall, cpu] = [performance.now(), process.cpuUsage()];
    require(${JSON.stringify(file)});
    const { user, system } = process.cpuUsage(cpu);
    console.log(JSON.stringify({ wallMs: performance.now() - wall, cpuMs: (user + system) / 1000 }));`;
  return JSON.parse(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }));
}

/** One line for a person. */
export function loadLine({ receive, bare }: LoadTimes): string {
  const times = (measure: "wallMs" | "cpuMs") =>
    `${receive[measure].toFixed(0)} against ${bare[measure].toFixed(0)} ms, ` +
    `${(receive[measure] / bare[measure]).toFixed(2)} times`;
  const both = `${times("wallMs")} (CPU: ${times("cpuMs")})`;
  return `loading receive against express and pg alone, median of ${RUNS}: ${both}`;
}

if (import.meta.main) {
  const receive = join(root, ".esbuild/.build/src/runtime/lambda/receive.cjs");
  process.stdout.write(`${loadLine(measureLoad(receive))}\n`);
}
