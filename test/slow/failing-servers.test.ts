import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Planned } from "../faults/torture/schedule.ts";
import { torture } from "../faults/torture/torture.ts";
import { serverOnSmallDisk, serverWithStandby } from "../faults/world/debian-servers.ts";
import type { PostgresServer } from "../faults/world/postgres-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Traffic of some seconds on that server; gone with the test. */
async function run(make: (folder: string) => Promise<PostgresServer>, plan: Planned[]) {
  const folder = await temporaryFolder();
  const server = await make(folder);
  onTestFinished(() => server.close());
  return await torture({
    server,
    folder: join(folder, "run"),
    seed: 3,
    lengthMs: 8_000,
    perSecond: 15,
    plan,
  });
}

describe("PostgreSQL 15 under traffic", () => {
  it("its primary is killed and the synchronous standby takes over: nothing answered is lost (G1)", async () => {
    const plan: Planned[] = [{ atMs: 4_000, forMs: 0, fault: { on: "postgres", how: "fail-over" } }];
    const { findings, rested, figures } = await run(serverWithStandby, plan);
    expect({ findings, rested }).toEqual({ findings: [], rested: true });
    expect(figures.taken).toBeGreaterThan(20);
  });

  it("its disk is full for three seconds: senders are told to come again, and all goes on by itself (G1)", async () => {
    const plan: Planned[] = [{ atMs: 3_000, forMs: 3_000, fault: { on: "postgres", how: "disk-full" } }];
    const { findings, rested, figures } = await run(serverOnSmallDisk, plan);
    expect({ findings, rested }).toEqual({ findings: [], rested: true });
    expect(figures.taken).toBeGreaterThan(20);
  });
});
