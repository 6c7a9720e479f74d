// Holds an embedded Postgres: `node embedded-holder.ts <data dir>` prints one JSON line with its url and the
// server's pid, and stops when its stdin ends. A failure is written to stderr, and the program exits with 1.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";

const [dataDir = ""] = process.argv.slice(2);
try {
  const { url, stop } = await startEmbeddedPostgres({ dataDir });
  const pidFile = await readFile(join(dataDir, "cluster/postmaster.pid"), "utf8");
  process.stdout.write(`${JSON.stringify({ url, serverPid: Number(pidFile.split("\n")[0]) })}\n`);
  process.stdin.resume();
  process.stdin.once("end", () => void stop());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
