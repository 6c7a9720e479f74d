/**
 * `npm run lab -- scenarios --count N --seed S`: N scenarios on an own embedded PostgreSQL, or in a database of their
 * own on the server in DATABASE_URL. Exits with 1 on a finding.
 */
import { parseArgs } from "node:util";
import { connect } from "../../src/database/connect.ts";
import { migrateToLatest } from "../../src/database/migrate.ts";
import { Secret } from "../../src/kit/secret.ts";
import { makeDatabase, onDatabase, runOn } from "../../test/support/postgres-server.ts";
import { runInLab, say } from "../environment/run-lab.ts";
import { openEnvironment } from "./environment.ts";
import { runScenarios } from "./run-scenarios.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    shrink: { type: "string", default: "3" },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];

await runInLab("scenarios", { lent: process.env.DATABASE_URL, durable: false }, async ({ server }) => {
  const name = await makeDatabase(server.url);
  const databaseUrl = onDatabase(server.url, name);
  const connection = connect(new Secret(databaseUrl), { max: 1 });
  await migrateToLatest(connection.db, "relay");
  await connection.close();
  const environment = await openEnvironment(databaseUrl);
  say(`scenarios ${seed} to ${seed + count - 1}`);
  const startedAt = performance.now();
  const { failed, results } = await runScenarios(environment, {
    seed,
    count,
    shrunk: Number(values.shrink),
    say,
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  await environment.close();
  await runOn(server.url, `drop database ${name} with (force)`);
  const certificates = Object.entries(results).map(([result, many]) => `${many} ${result}`);
  say(`${count} scenarios in ${seconds.toFixed(0)} s, certificates: ${certificates.join(", ")}`);
  say(failed.length === 0 ? "green" : `red: seeds ${failed.sort((a, b) => a - b).join(", ")}`);
  return failed.length === 0;
});
