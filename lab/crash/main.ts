/**
 * `npm run lab -- crash [--kind pause] [--only "callback read"]… [--times 10]`: prints a table; exits with
 * 1 on a finding. `--only` selects the failpoints whose names contain one of its values.
 */
import { parseArgs } from "node:util";
import { makeDatabase, onDatabase } from "../../test/support/postgres-server.ts";
import { makeEnvironment } from "../environment/environment.ts";
import { runInLab, say } from "../environment/run-lab.ts";
import { FAILPOINTS } from "./failpoints.ts";
import { Matrix, type MatrixKind, type MatrixRow } from "./matrix.ts";

const LEASE_MS = 1_000;

const { values } = parseArgs({
  options: {
    kind: { type: "string", default: "crash" },
    only: { type: "string", multiple: true, default: [""] },
    times: { type: "string", default: "1" },
  },
});
const kind: MatrixKind = values.kind === "pause" ? "pause" : "crash";
const chosen = FAILPOINTS.filter(({ name }) => values.only.some((words) => name.includes(words)));

await runInLab(`${kind}-matrix`, { durable: false }, async ({ folder, server }) => {
  const databaseUrl = onDatabase(server.url, await makeDatabase(server.url));
  const environment = await makeEnvironment({
    ...{ folder, seed: 0, databaseUrl, sources: 1, relays: kind === "crash" ? 1 : 2, leaseMs: LEASE_MS },
    settings: { RECONCILE_INTERVAL: "1s" },
  });
  const rows: MatrixRow[] = [];
  try {
    const matrix = new Matrix(environment, kind, LEASE_MS);
    say(`${kind} matrix, history in ${folder}`);
    say("| failpoint | reached | at rest | copies | findings |\n|---|---|---|---|---|");
    for (const failpoint of Array.from({ length: Number(values.times) }, () => chosen).flat()) {
      const row = await matrix.row(failpoint);
      rows.push(row);
      const yes = (is: boolean) => (is ? "yes" : "**no**");
      say(
        `| ${row.failpoint} | ${yes(row.reached)} | ${yes(row.rested)} | ${row.copies} | ${row.findings.length} |`,
      );
      for (const { guarantee, what, about } of row.findings) say(`  ${guarantee} ${what}: ${about}`);
    }
  } finally {
    await environment.close();
  }
  const bad = rows.filter(({ reached, rested, findings }) => !reached || !rested || findings.length > 0);
  say(
    bad.length === 0
      ? `green: ${rows.length} failpoints`
      : `red: ${bad.map(({ failpoint }) => failpoint).join(", ")}`,
  );
  return bad.length === 0 && rows.length > 0;
});
