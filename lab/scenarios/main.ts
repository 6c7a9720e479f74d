/**
 * `npm run lab -- scenarios --count N --seed S`: N scenarios on an own embedded PostgreSQL, or in a database of their
 * own on the server in DATABASE_URL. Exits with 1 on a finding.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { connect, migrateToLatest } from "../../src/platform/database/index.ts";
import { Secret } from "../../src/platform/values/mask.ts";
import { makeDatabase, onDatabase, runOn } from "../../test/support/postgres-server.ts";
import { runInLab, say } from "../environment/run-lab.ts";
import { type Environment, openEnvironment } from "./environment.ts";
import type { Finding } from "./model.ts";
import { type ScenarioPlan, scenarios } from "./plan.ts";
import { playScenario } from "./play-scenario.ts";

const SIDE_BY_SIDE = 3;

/** The longest that one scenario is shrunk, in ms. */
const SHRINKING_MS = 60_000;

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
  const failed: number[] = [];
  const results: Record<string, number> = {};
  // Each from a seed of its own: the first, the next number, and so on.
  const seeds = Array.from({ length: count }, (_, n) => seed + n).values();
  const work = async () => {
    for (const own of seeds) {
      const isShrunk = failed.length < Number(values.shrink);
      const { failing, results: said } = await playSeed(environment, own, isShrunk);
      for (const result of said) results[result] = (results[result] ?? 0) + 1;
      if (failing.length === 0) continue;
      failed.push(own);
      for (const { kind, about } of failing[0]?.findings ?? []) say(`seed ${own}: ${kind}: ${about}`);
      if (failing.length > 1) say(`seed ${own}, its smallest scenario: ${JSON.stringify(failing.at(-1))}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  await environment.close();
  await runOn(server.url, `drop database ${name} with (force)`);
  const certificates = Object.entries(results).map(([result, many]) => `${many} ${result}`);
  say(`${count} scenarios in ${seconds.toFixed(0)} s, certificates: ${certificates.join(", ")}`);
  say(failed.length === 0 ? "green" : `red: seeds ${failed.sort((a, b) => a - b).join(", ")}`);
  return failed.length === 0;
});

/** @returns what fails of this seed: its scenario, and, where it is shrunk, smaller and smaller ones. */
async function playSeed(environment: Environment, seed: number, isShrunk: boolean) {
  const failing: { scenario: ScenarioPlan; findings: Finding[] }[] = [];
  let results: string[] = [];
  let until = Number.POSITIVE_INFINITY;
  const plays = fc.asyncProperty(scenarios, async (scenario) => {
    if (performance.now() > until) return true;
    const played = await playScenario(environment, scenario);
    const [first] = failing;
    if (first === undefined) {
      results = played.results;
      until = performance.now() + SHRINKING_MS;
    }
    // Not another fault, met on the way.
    const kinds = (first ?? played).findings.map(({ kind }) => kind);
    const findings = played.findings.filter(({ kind }) => kinds.includes(kind));
    if (findings.length > 0) failing.push({ scenario, findings });
    return findings.length === 0;
  });
  const { failed, errorInstance } = await fc.check(plays, {
    seed,
    numRuns: 1,
    unbiased: true,
    endOnFailure: !isShrunk,
  });
  if (failed && failing.length === 0) throw errorInstance;
  return { failing, results };
}
