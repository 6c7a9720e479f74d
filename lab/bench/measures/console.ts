import type { BenchDatabase } from "../harness/bench-database.ts";
import type { Child } from "../harness/child-process.ts";
import { nowMs } from "../harness/clock.ts";
import { type ConsoleRead, consoleReads } from "../harness/console-reads.ts";
import { environmentOf } from "../harness/contestants.ts";
import { fillHistory } from "../harness/fill-history.ts";
import { fillTroubles } from "../harness/fill-troubles.ts";
import type { BenchOptions } from "../harness/options.ts";
import { type Report, rounded, tell } from "../harness/report.ts";
import { spreadOf } from "../harness/spread.ts";
import type { Stage } from "../harness/stage.ts";
import type { RelayCalls } from "../processes/relay.ts";

const ADMIN_TOKEN = "bench-admin-token-0123456789";

/** Each round asks for everything once: the first of them with nothing of it in memory yet. */
const ROUNDS_MORE = 5;

/** What one call took, in ms, and for how long nothing else could run meanwhile. */
interface Taken {
  ms: number;
  loopMs: number;
  bytes: number;
}

/** Every page's data, asked for over HTTP as the console does it, with a full log. */
export async function consolePages(
  stage: Stage,
  { rounds, long, rows: some }: BenchOptions,
): Promise<Report> {
  const rows = long ? 10 * some : some;
  const database = await stage.createDatabase();
  await fillHistory(database, rows);
  await fillTroubles(database);
  await stage.settleDisk();
  const taken = await measure(stage, database, rounds * ROUNDS_MORE);
  const lines = [...taken].map(([name, calls]) => {
    const [ms, loopMs] = [spreadOf(calls.map((call) => call.ms)), spreadOf(calls.map((call) => call.loopMs))];
    return { name, median: ms.median, max: ms.max, loopMs: loopMs.max, bytes: calls[0]?.bytes ?? 0 };
  });
  return {
    tables: [
      {
        title: `The console's pages with ${rows} callbacks in the log, ms`,
        header: ["", "median", "max", "event loop, longest", "kB"],
        rows: lines.map(({ name, median, max, loopMs, bytes }) => [
          name,
          ...[median, max, loopMs, bytes / 1_000].map(rounded),
        ]),
        note: "The loop's figure is the longest of all rounds, whatever else the relay did in that call.",
      },
    ],
    figures: { rows, calls: Object.fromEntries(taken) },
  };
}

async function measure(stage: Stage, database: BenchDatabase, rounds: number): Promise<Map<string, Taken[]>> {
  const relay = stage.child<RelayCalls>("relay");
  const { port } = await relay.call("start", {
    ...environmentOf(stage, database),
    http: true,
    workers: false,
    adminToken: ADMIN_TOKEN,
  });
  await relay.call("startLoopDelay");
  const taken = new Map<string, Taken[]>();
  for (const [round, reads] of (await consoleReads(database, rounds)).entries()) {
    for (const read of reads) {
      const name = `${read.page}: ${read.what}`;
      taken.set(name, [...(taken.get(name) ?? []), await ask(relay, port, read)]);
    }
    tell(`round ${round + 1} of ${rounds}`);
  }
  await relay.end();
  return taken;
}

async function ask(
  relay: Child<RelayCalls>,
  port: number,
  { page, what, path, body }: ConsoleRead,
): Promise<Taken> {
  await relay.call("longestLoopDelay");
  const startedAt = nowMs();
  const response = await fetch(`http://127.0.0.1:${port}/admin/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const ms = nowMs() - startedAt;
  if (response.status !== 200) throw new Error(`${page}, ${what}: ${response.status} ${text.slice(0, 300)}`);
  return { ms, loopMs: await relay.call("longestLoopDelay"), bytes: text.length };
}
