import { defineConfig } from "vitest/config";
import { LongFilesEarly } from "./test/support/long-files-early.ts";
import { unitTests } from "./test/support/unit-tests.ts";

// The tests of what stands in for the provider and SNS. Embedded Postgres is what `npm start` runs on: its
// tests stay.
const SANDBOX = ["test/sandbox/provider/**/*.test.ts", "test/sandbox/sns/**/*.test.ts"];

// Lets tests of one file run side by side.
const SIDE_BY_SIDE = "test/support/side-by-side.ts";

// What a test waits for, it sees at once; it gives up after 20 s, not after vitest's own second. A whole
// test, with the programs that it starts, may take longer on a crowded machine: what it waits for bounds it.
const PATIENCE = ["test/support/patience.ts"];
const PATIENT = { poll: { timeout: 20_000 } };
const TEST_MS = 120_000;

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesEarly },
    projects: [
      {
        // Checks of the house itself: no database, seconds.
        test: { name: "house", include: ["test/house/**/*.test.ts"] },
      },
      {
        // `invoice-relay/events` and the like mean the sources here, and dist/ for whoever installs the
        // package.
        ssr: { resolve: { conditions: ["@invoice-relay/source"] } },
        test: {
          name: "relay",
          include: ["test/**/*.test.ts"],
          exclude: ["test/house/**", "test/slow/**", ...SANDBOX],
          globalSetup: ["test/support/global-setup.ts"],
          setupFiles: [...PATIENCE, SIDE_BY_SIDE],
          expect: PATIENT,
          testTimeout: TEST_MS,
          hookTimeout: 60_000,
          // Waiting for real servers is most of what these do, and loading modules much of the rest: more
          // workers than cores, each keeping what it loaded.
          maxWorkers: 4,
          isolate: false,
          // Of the tests of one file that may run side by side.
          maxConcurrency: 3,
        },
      },
      {
        // Those of the same tests that need no database: for while one writes, in seconds.
        ssr: { resolve: { conditions: ["@invoice-relay/source"] } },
        test: {
          name: "unit",
          include: unitTests(import.meta.dirname),
          setupFiles: PATIENCE,
          expect: PATIENT,
          testTimeout: TEST_MS,
          maxWorkers: 2,
          isolate: false,
        },
      },
      {
        // The stand-ins themselves, which the path's tests only use: run by `npm run check:slow`.
        test: {
          name: "sandbox",
          include: SANDBOX,
          globalSetup: ["test/support/global-setup.ts"],
          setupFiles: PATIENCE,
          expect: PATIENT,
          testTimeout: TEST_MS,
          hookTimeout: 60_000,
          maxWorkers: 4,
          isolate: false,
        },
      },
      {
        // What needs more than Node and npm, or minutes: run by `npm run check:slow`.
        test: {
          name: "slow",
          include: ["test/slow/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          setupFiles: PATIENCE,
          expect: PATIENT,
          testTimeout: 600_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
