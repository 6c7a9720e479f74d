import { defineConfig } from "vitest/config";
import { TIMEOUT_MS } from "./test/support/timeout-ms.ts";
import { unitTests } from "./test/support/unit-tests.ts";

// Only what needs no Postgres and no process: thousands of mutants are tried, each in milliseconds.
const ROOMS = /^test\/(?:confirm|reconcile|upstreams|work|receive\/reading|collection-api|kit)\//;

/** The tests that `npm run mutation` judges. */
export default defineConfig({
  ssr: { resolve: { conditions: ["@invoice-relay/source"] } },
  test: {
    include: unitTests(import.meta.dirname).filter((file) => ROOMS.test(file)),
    // Stryker itself ends a mutant that hangs.
    testTimeout: TIMEOUT_MS,
    isolate: false,
  },
});
