// A program that holds an embedded Postgres: `node embedded-holder.ts <data dir> [<port>]` prints one JSON
// line with url, port and the server's pid, and stops when its stdin ends. What goes wrong stands on stderr,
// exit 1.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";

const [dataDir = "", port = "0"] = process.argv.slice(2);
try {
  const { url, port: taken, stop } = await startEmbeddedPostgres({ dataDir, port: Number(port) });
  const pidFile = await readFile(join(dataDir, "cluster/postmaster.pid"), "utf8");
  process.stdout.write(
    `${JSON.stringify({ url, port: taken, serverPid: Number(pidFile.split("\n")[0]) })}\n`,
  );
  process.stdin.resume();
  process.stdin.once("end", () => void stop());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
