import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddedServer } from "../world/postgres-server.ts";
import { scheduleOf } from "./schedule.ts";
import { torture } from "./torture.ts";

const OPTIONS = { lengthMs: 60_000, relays: 2, leaseMs: 2_000 };

describe("the schedule of faults", () => {
  it("is the same for the same seed, and another one for another", () => {
    expect(scheduleOf({ seed: 7, ...OPTIONS })).toEqual(scheduleOf({ seed: 7, ...OPTIONS }));
    expect(scheduleOf({ seed: 7, ...OPTIONS })).not.toEqual(scheduleOf({ seed: 8, ...OPTIONS }));
  });

  it("holds every kind of place, and never two faults at one place at a time", () => {
    const plan = scheduleOf({ seed: 7, ...OPTIONS });
    expect(new Set(plan.map(({ fault }) => fault.on))).toEqual(
      new Set(["link", "cut", "process", "provider", "sns", "postgres"]),
    );
    for (const place of ["provider", "sns", "postgres"]) {
      const there = plan.filter(({ fault }) => fault.on === place);
      for (const [index, { atMs }] of there.entries()) {
        const before = there[index - 1];
        expect(atMs).toBeGreaterThan(before === undefined ? -1 : before.atMs + before.forMs);
      }
    }
  });
});

describe("a few seconds of traffic under faults", () => {
  it("end with every guarantee held", async () => {
    const folder = await mkdtemp(join(tmpdir(), "invoice-relay-torture-"));
    await chmod(folder, 0o711);
    const server = await embeddedServer(join(folder, "postgres"));
    onTestFinished(async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });
    const verdict = await torture({ server, folder, seed: 20, lengthMs: 6_000, perSecond: 10 });
    expect(verdict).toMatchObject({ findings: [], rested: true });
    expect(verdict.figures.accepted).toBeGreaterThan(20);
  });
});
