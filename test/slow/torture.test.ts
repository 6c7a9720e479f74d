import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type TortureOptions, torture } from "../faults/torture/torture.ts";
import { embeddedServer } from "../faults/world/postgres-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A run on an embedded PostgreSQL; gone with the test. */
async function run(options: Omit<TortureOptions, "server" | "folder" | "perSecond">) {
  const folder = await temporaryFolder();
  const server = await embeddedServer(join(folder, "postgres"));
  onTestFinished(() => server.close());
  const { findings, rested } = await torture({
    server,
    folder: join(folder, "run"),
    perSecond: 15,
    shared: true,
    ...options,
  });
  return { findings, rested };
}

const GREEN = { findings: [], rested: true };

// A few seconds with two processes: test/faults/torture; a minute on each other version: run.sh.
describe("traffic under faults", () => {
  it("five processes share the work", async () => {
    expect(await run({ seed: 5, lengthMs: 10_000, relays: 5 })).toEqual(GREEN);
  });

  it("one process' clock is an hour ahead and the other's an hour behind", async () => {
    expect(await run({ seed: 6, lengthMs: 10_000, clocks: ["+1h", "-1h"] })).toEqual(GREEN);
  });
});
