import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";
import { nowMs } from "../harness/child.ts";
import { cpuSecondsOf } from "../harness/cpu.ts";
import { relayEnvironment } from "../harness/payment.ts";
import { type Report, spreadTable } from "../harness/report.ts";
import { interleave } from "../harness/rounds.ts";
import type { BenchDatabase, Stage } from "../harness/stage.ts";
import type { BenchOptions } from "../main.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../dist/src/interfaces/cli/main.js");

/** Every loop has run a few times by then. */
const REST_MS = 20_000;

interface Rest {
  /** From the start of the process to 200 of /readyz. */
  readyMs: number;
  /** CPU of the process until then. */
  readyCpuMs: number;
  residentMiB: number;
}

/** The built relay, as the image starts it, with nothing to do. */
async function measureRest(stage: Stage, database: BenchDatabase): Promise<Rest> {
  const port = await freePort(0);
  const settings = { ...relayEnvironment(stage.addresses(database)), PORT: String(port), LOG_LEVEL: "warn" };
  const keys = { AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench", NODE_ENV: "production" };
  const startedAt = nowMs();
  const relay = spawn(process.execPath, [PROGRAM, "serve"], {
    env: { PATH: process.env.PATH, ...keys, ...settings },
    stdio: ["ignore", 2, 2],
  });
  const ended = once(relay, "exit");
  const pid = relay.pid ?? 0;
  try {
    while (!(await isReady(port))) {
      if (relay.exitCode !== null) throw new Error("The relay did not start. Run npm run build first.");
      await delay(5);
    }
    const ready = { readyMs: nowMs() - startedAt, readyCpuMs: cpuSecondsOf(pid) * 1_000 };
    await delay(REST_MS);
    const [, kB] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "latin1")) ?? [];
    return { ...ready, residentMiB: Number(kB) / 1_024 };
  } finally {
    relay.kill();
    await ended;
  }
}

const isReady = async (port: number): Promise<boolean> =>
  await fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** How soon the built relay is ready, and the memory that it holds with nothing to do. */
export async function rest(stage: Stage, { rounds }: BenchOptions): Promise<Report> {
  const relay = () => stage.withDatabase((database) => measureRest(stage, database));
  const measured = await interleave({ relay }, rounds);
  const of = (figure: keyof Rest) => measured.relay?.map((one) => one[figure]) ?? [];
  const title = `From start to ready, and after ${REST_MS / 1_000} s with nothing to do`;
  const series = {
    "ready, ms": of("readyMs"),
    "CPU until then, ms": of("readyCpuMs"),
    "resident, MiB": of("residentMiB"),
  };
  return { tables: spreadTable(title, series), figures: { rounds: measured } };
}
