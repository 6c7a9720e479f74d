import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

// Only what needs no Postgres and no process: thousands of mutants are tried, each in milliseconds.
const ROOMS =
  "test/{confirm,confirmations,reconcile,upstreams,workers,receive/reading,collection-api}/**/*.test.ts";
const NEEDS_MORE = /support\/(?:database|relay|relay-process|cli-process)\.ts|relay-books\.ts|month\.ts/;

/** The tests that `npm run mutation` judges. */
export default defineConfig({
  ssr: { resolve: { conditions: ["@invoice-relay/source"] } },
  test: {
    include: globSync(ROOMS).filter((file) => !NEEDS_MORE.test(readFileSync(file, "utf8"))),
    testTimeout: 10_000,
  },
});
