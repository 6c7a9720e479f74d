import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BREAKAGES, type Breakage } from "../faults/broken/breakages.ts";
import { brokenCopy } from "../faults/broken/broken-copy.ts";
import type { Finding } from "../faults/checker/evidence.ts";
import { Matrix } from "../faults/crash/matrix.ts";
import type { Planned, PlannedFault } from "../faults/torture/schedule.ts";
import { torture } from "../faults/torture/torture.ts";
import { embeddedServer, makeDatabase, onDatabase } from "../faults/world/postgres-server.ts";
import { OUR_MAIN } from "../faults/world/relay.ts";
import { endWorld, makeWorld, migrate } from "../faults/world/world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The fault once a second, a short while each. */
const again = (fault: PlannedFault): Planned[] =>
  [1, 2, 3, 4].map((second) => ({ atMs: second * 1_000, forMs: 400, fault }));

/** What is taken away, what then goes wrong, and what the checker has to say. */
const FAULTS: { name: string; breakage: Breakage; plan: Planned[]; says: RegExp }[] = [
  {
    name: "it answers before the commit",
    breakage: BREAKAGES.answersBeforeCommit,
    plan: again({ on: "postgres", how: "restart-immediate" }),
    says: /^G1 answered 2xx, but not in the log/,
  },
  {
    name: "leases never run out",
    breakage: BREAKAGES.leasesNeverRunOut,
    plan: [
      { atMs: 500, forMs: 5_000, fault: { on: "provider", mood: { kind: "slow", ms: 700 } } },
      ...again({ on: "process", relay: 0, how: "kill" }),
    ],
    says: /^G2 claimed, but the lease expired long ago/,
  },
  {
    name: "an event has another identity each time",
    breakage: BREAKAGES.anotherIdentityEachTime,
    plan: [],
    says: /^G4 published with the id/,
  },
  {
    name: "an event is marked before it is published",
    breakage: BREAKAGES.markedBeforePublished,
    plan: [],
    says: /^G5 marked as published, but SNS never accepted it/,
  },
  {
    name: "a connection goes back into its pool after a time-out",
    breakage: BREAKAGES.timedOutConnectionsStay,
    // Again and again, so that no connection of a pool is one that works.
    plan: [0, 1].flatMap((relay) =>
      Array.from({ length: 8 }, (_, n) => ({
        atMs: 1_000 + n * 500,
        forMs: 0,
        fault: { on: "link", relay, link: "postgres", fault: { kind: "hang" } },
      })),
    ),
    says: /^(?:G2 (?:due, but not asked|claimed, but the lease expired long ago)|G10 paid at the provider, but never published|G13 in the log, but not in the table)/,
  },
  {
    name: "Retry-After is ignored",
    breakage: BREAKAGES.retryAfterIgnored,
    plan: [
      {
        atMs: 1_000,
        forMs: 500,
        fault: { on: "provider", mood: { kind: "limit", retryAfterS: 8 } },
      },
    ],
    says: /^G8 asked within the 8 s/,
  },
];

/** A folder and a PostgreSQL in it; gone with the test. */
async function place() {
  const folder = await temporaryFolder();
  const server = await embeddedServer(join(folder, "postgres"));
  onTestFinished(() => server.close());
  return { folder, server };
}

const RUN = { seed: 1, lengthMs: 5_000, perSecond: 15, restWithinMs: 15_000 };

const said = (findings: readonly Finding[]) => findings.map(({ guarantee, what }) => `${guarantee} ${what}`);

describe("the checker finds it out when", () => {
  it.each(FAULTS)("$name", async ({ breakage, plan, says }) => {
    const { folder, server } = await place();
    const main = await brokenCopy(join(folder, "copy"), breakage);
    const { findings } = await torture({ ...RUN, server, folder: join(folder, "run"), plan, main });
    expect(said(findings)).toContainEqual(expect.stringMatching(says));
  });

  it("nothing is broken: then it finds nothing under all of these faults together", async () => {
    const { folder, server } = await place();
    const plan = FAULTS.flatMap((one) => one.plan);
    const { findings, rested } = await torture({
      ...RUN,
      server,
      folder: join(folder, "run"),
      plan,
      restWithinMs: 60_000,
    });
    expect({ findings, rested }).toEqual({ findings: [], rested: true });
  });

  it("an alarm is raised outside the transaction that it tells of", async () => {
    const { folder, server } = await place();
    const lateAlarms = await brokenCopy(
      join(folder, "copy"),
      BREAKAGES.alarmsNotInTransaction,
      BREAKAGES.alarmsAfterCommit,
    );
    const killed = async (name: string, main: string) => {
      const databaseUrl = onDatabase(server.url, await makeDatabase(server.url));
      const leaseMs = 1_000;
      const world = await makeWorld({ folder: join(folder, name), seed: 0, databaseUrl, leaseMs, main });
      try {
        await migrate(world);
        return await new Matrix(world, "crash", leaseMs).row({ name: "outcomes stored", drive: "revived" });
      } finally {
        await endWorld(world);
      }
    };
    const broken = await killed("broken", lateAlarms);
    expect(said(broken.findings)).toEqual(["G13 invalid, then paid, without an alarm"]);
    expect(await killed("whole", OUR_MAIN)).toMatchObject({ reached: true, rested: true, findings: [] });
  });
});
