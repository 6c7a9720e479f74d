import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { chaos } from "../chaos/chaos.ts";
import { serverWithStandby } from "../environment/debian-servers.ts";

it("the primary is killed under traffic, its synchronous standby takes over: nothing answered is lost (G1)", async () => {
  const folder = await temporaryFolder();
  const server = await serverWithStandby(folder);
  onTestFinished(() => server.close());
  const { findings, rested, figures } = await chaos({
    server,
    folder: join(folder, "run"),
    seed: 3,
    lengthMs: 10_000,
    perSecond: 15,
    plan: [{ atMs: 4_000, forMs: 0, fault: { on: "postgres", how: "fail-over" } }],
  });
  expect({ findings, rested }).toEqual({ findings: [], rested: true });
  // Otherwise this proves little.
  expect(figures.taken).toBeGreaterThan(20);
});
