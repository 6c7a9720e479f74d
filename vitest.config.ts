import { devNull } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { leaveShellBehind } from "./src/platform/config/shell-variables.ts";
import { TIMEOUT_MS } from "./test/support/timeout-ms.ts";
import { unitTests } from "./test/support/unit-tests.ts";

// The tests of what stands in for the provider and SNS, which the path's tests only use.
const SANDBOX = ["test/sandbox/provider/**/*.test.ts", "test/sandbox/sns/**/*.test.ts"];

// Whole journeys, outages, kills, floods and bundles: minutes, most of them waited for.
const LONG = [
  "test/journeys/!(callback-variants|paid-invoice|traces).test.ts",
  "test/runtime/{alarm-webhook,database-watch,keep-partitions,start-without-database}.test.ts",
  "test/runtime/lambda/!(drain|read-environment|stage).test.ts",
  "test/interfaces/cli/serve.test.ts",
  "test/operations/erase-whatever-came.test.ts",
  "test/pipeline/receive/{linear-time,postgres-away,slow-senders}.test.ts",
  "test/pipeline/reconcile/hand-made-holes.test.ts",
  "test/pipeline/replay/interrupted-replay.test.ts",
  "test/sandbox/postgres/embedded-postgres.test.ts",
];

// What a test waits for bounds it, not a length of time: these only end what hangs, and leave time to say what
// was waited for.
const WITH_TIMEOUTS = {
  setupFiles: ["test/support/timeouts.ts", "test/support/one-seed.ts"],
  expect: { poll: { timeout: TIMEOUT_MS } },
  testTimeout: 4 * TIMEOUT_MS,
  hookTimeout: 4 * TIMEOUT_MS,
};

// Waiting for real servers is most of what these do, and loading modules much of the rest: more workers than
// cores, each keeping what it loaded; and of the tests of one file that may, three run side by side.
const WITH_SERVERS = {
  ...WITH_TIMEOUTS,
  globalSetup: ["test/support/global-setup.ts"],
  setupFiles: [...WITH_TIMEOUTS.setupFiles, "test/support/side-by-side.ts"],
  maxWorkers: 4,
  isolate: false,
  maxConcurrency: 3,
};

// What waits for heartbeats and back-offs is begun first, the longest of all: else a run would end with these alone.
const WAITS_LONG =
  /\/test\/(runtime\/(maintenance|silent-process|lambda\/jobs)|pipeline\/(confirm\/asking|reconcile\/hand-made-holes|replay\/interrupted-replay)|journeys\/(demo|several-sources|quiet)|operations\/payments-waiting)\.test\.ts$/;

class LongWaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { waiting = [], others = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      WAITS_LONG.test(moduleId) ? "waiting" : "others",
    );
    return [...waiting, ...others];
  }
}

// `invoice-relay/events` and the like mean the sources here, and dist/ for whoever installs the package.
const ssr = { resolve: { conditions: ["@invoice-relay/source"] } };

// The tests and what they start are the same in every shell; a database is named by TEST_DATABASE_URL alone.
leaveShellBehind(process.env);
Object.assign(process.env, {
  NODE_ENV: "test",
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
});

export default defineConfig({
  test: {
    sequence: { sequencer: LongWaitsFirst },
    projects: [
      // What holds of the code as a whole: no database, seconds.
      { test: { name: "architecture", include: ["test/architecture/**/*.test.ts"] } },
      {
        ssr,
        test: {
          ...WITH_SERVERS,
          name: "relay",
          include: ["test/**/*.test.ts"],
          exclude: ["test/architecture/**", ...SANDBOX, ...LONG],
        },
      },
      // Those of the same tests that need no database: for while one writes, in seconds.
      {
        ssr,
        test: {
          ...WITH_TIMEOUTS,
          name: "unit",
          // What they wait for is near.
          expect: { poll: { ...WITH_TIMEOUTS.expect.poll, interval: 5 } },
          include: unitTests(import.meta.dirname),
          exclude: LONG,
          maxWorkers: 2,
          isolate: false,
        },
      },
      // The rest is run on PostgreSQL 15 by `npm run lab -- postgres 15`; `lab` is what needs more than Node and npm.
      { ssr, test: { ...WITH_SERVERS, name: "long", include: LONG } },
      { test: { ...WITH_SERVERS, name: "sandbox", include: SANDBOX } },
      {
        test: {
          ...WITH_TIMEOUTS,
          name: "lab",
          include: ["lab/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
          maxWorkers: 1,
        },
      },
    ],
  },
});
