import { globSync, readFileSync } from "node:fs";

// Decisions are pure functions beside the SQL that carries them out. A file with SQL, or one that only hands the
// database on to such files, is judged by tests over Postgres, not here.
const ROOMS = [
  "src/{confirm,reconcile,upstreams,work}/**/*.ts",
  "src/receive/reading/**/*.ts",
  "src/collection-api/{iterate-pages,judge-answer}.ts",
];
const needsPostgres = (file) => /\bsql[`<.]|from "(?:kysely|pg)"|\bdb\b/.test(readFileSync(file, "utf8"));

/** Run by hand: `npm run mutation`, or for some files `npm run mutation -- --mutate src/confirm/judge.ts`. */
export default {
  mutate: ROOMS.flatMap((room) => globSync(room)).filter((file) => !needsPostgres(file)),
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutation.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner"],
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 10_000,
  reporters: ["clear-text", "progress"],
  clearTextReporter: { allowColor: false, reportTests: false },
  thresholds: { high: 95, low: 85, break: 85 },
  tempDirName: ".stryker-tmp",
  // TypeScript 7 has no API to rewrite its settings with, and nothing here is compiled.
  tsconfigFile: "none",
  ignorePatterns: ["lab", "tools", "docs", "examples", "dist"],
};
