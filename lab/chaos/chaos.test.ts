import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddedServer } from "../../test/support/postgres-server.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { serverOnSmallDisk, serverWithStandby } from "../environment/debian-servers.ts";
import { chaos } from "./chaos.ts";
import type { PlannedFault } from "./schedule.ts";

const embedded = (folder: string) => embeddedServer(join(folder, "postgres"));

const once = (fault: PlannedFault, atMs: number, forMs: number) => ({ plan: [{ atMs, forMs, fault }] });

// A minute with two processes on each other version: run.sh.
describe("traffic of some seconds under faults, and nothing answered is lost (G1)", () => {
  it.each([
    ["five processes share the work", embedded, { seed: 5, relays: 5, shared: true }],
    [
      "the primary of PostgreSQL 15 is killed and the synchronous standby takes over",
      serverWithStandby,
      { seed: 3, ...once({ on: "postgres", how: "fail-over" }, 4_000, 0) },
    ],
    [
      "its disk is full for three seconds: senders are told to come again, and all goes on by itself",
      serverOnSmallDisk,
      { seed: 3, ...once({ on: "postgres", how: "disk-full" }, 3_000, 3_000) },
    ],
  ])("%s", async (_, start, options) => {
    const folder = await temporaryFolder();
    const server = await start(folder);
    onTestFinished(() => server.close());
    const run = { server, folder: join(folder, "run"), lengthMs: 10_000, perSecond: 15, ...options };
    const { findings, rested, figures } = await chaos(run);
    expect({ findings, rested }).toEqual({ findings: [], rested: true });
    // Otherwise this proves little.
    expect(figures.taken).toBeGreaterThan(20);
  });
});
