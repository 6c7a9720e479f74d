/**
 * `npm run worlds -- --count N --seed S`: N worlds on an own embedded PostgreSQL, or in a database of their
 * own on the server in DATABASE_URL. Exits with 1 on a finding.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../../src/database/connect.ts";
import { migrateToLatest } from "../../../src/database/migrate.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { embeddedServer, lentServer, makeDatabase, onDatabase, runOn } from "../world/postgres-server.ts";
import { runWorlds } from "./run-worlds.ts";
import { openYard } from "./yard.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    shrink: { type: "string", default: "3" },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
const folder = await mkdtemp(join(tmpdir(), "invoice-relay-worlds-"));
await chmod(folder, 0o711);
const lent = process.env.DATABASE_URL;
const server = await (lent === undefined
  ? embeddedServer(join(folder, "postgres"), false)
  : lentServer(lent));
let code = 1;
try {
  const name = await makeDatabase(server.url);
  const databaseUrl = onDatabase(server.url, name);
  const connection = connect(new Secret(databaseUrl), { max: 1 });
  await migrateToLatest(connection.db, "relay");
  await connection.close();
  const yard = await openYard(databaseUrl);
  say(`worlds ${seed} to ${seed + count - 1}`);
  const startedAt = performance.now();
  const { failures, results } = await runWorlds(yard, { seed, count, shrunk: Number(values.shrink), say });
  const seconds = (performance.now() - startedAt) / 1_000;
  await yard.close();
  await runOn(server.url, `drop database ${name} with (force)`);
  const certificates = Object.entries(results).map(([result, many]) => `${many} ${result}`);
  say(`${count} worlds in ${seconds.toFixed(0)} s, certificates: ${certificates.join(", ")}`);
  const seeds = failures.map((failure) => failure.seed).sort((a, b) => a - b);
  say(failures.length === 0 ? "green" : `red: seeds ${seeds.join(", ")}`);
  code = failures.length === 0 ? 0 : 1;
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
process.exit(code);
