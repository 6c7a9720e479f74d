import { globSync, readFileSync } from "node:fs";

// Decisions are pure functions beside the SQL that carries them out. A file with SQL, or one that only hands the
// database on to such files, is decided by tests over Postgres, not here.
const PURE = [
  "src/{pipeline/{confirm,reconcile},platform/{upstreams,worker}}/**/*.ts",
  "src/pipeline/receive/reading/**/*.ts",
  "src/provider/collection-api/classify-answer.ts",
];
const needsPostgres = (file) => /\bsql[`<.]|from "(?:kysely|pg)"|\bdb\b/.test(readFileSync(file, "utf8"));

/** Read by main.ts beside it, in the checkout's folder. */
export default {
  mutate: PURE.flatMap((paths) => globSync(paths)).filter((file) => !needsPostgres(file)),
  testRunner: "vitest",
  vitest: { configFile: "lab/mutation/vitest.config.ts", related: false },
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
  ignorePatterns: ["lab/bench", "tools", "docs", "dist"],
};
