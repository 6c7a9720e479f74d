import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { TIMEOUT_MS } from "../../test/support/timeout-ms.ts";
import { unitTests } from "../../test/support/unit-tests.ts";

const ROOT = resolve(import.meta.dirname, "../..");

// Only what needs no Postgres and no process: thousands of mutants are tried, each in milliseconds.
const FOLDERS = /^test\/(?:pipeline\/(?:confirm|reconcile|receive\/reading)|platform|provider)\//;

/** The tests that `npm run lab -- mutation` runs. */
export default defineConfig({
  ssr: { resolve: { conditions: ["@invoice-relay/source"] } },
  test: {
    root: ROOT,
    include: unitTests(ROOT).filter((file) => FOLDERS.test(file)),
    // Stryker itself ends a mutant that hangs.
    testTimeout: TIMEOUT_MS,
    isolate: false,
  },
});
