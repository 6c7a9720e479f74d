import { defineConfig } from "vitest/config";
import { unitTests } from "./test/support/unit-tests.ts";

// Only what needs no Postgres and no process: thousands of mutants are tried, each in milliseconds.
const ROOMS =
  /^test\/(?:confirm|confirmations|reconcile|upstreams|workers|receive\/reading|collection-api|kit)\//;

/** The tests that `npm run mutation` judges. */
export default defineConfig({
  ssr: { resolve: { conditions: ["@invoice-relay/source"] } },
  test: {
    include: unitTests(import.meta.dirname).filter((file) => ROOMS.test(file)),
    testTimeout: 10_000,
    isolate: false,
  },
});
