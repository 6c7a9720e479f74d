import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Breakage, brokenCopy } from "../faults/broken/broken-copy.ts";
import type { Finding } from "../faults/checker/finding.ts";
import { Matrix } from "../faults/crash/matrix.ts";
import type { Planned, PlannedFault } from "../faults/torture/schedule.ts";
import { torture } from "../faults/torture/torture.ts";
import { embeddedServer, makeDatabase, onDatabase } from "../faults/world/postgres-server.ts";
import { OUR_MAIN } from "../faults/world/relay.ts";
import { endWorld, makeWorld, migrate } from "../faults/world/world.ts";

/** The fault once a second, a short while each. */
const again = (fault: PlannedFault): Planned[] =>
  [1, 2, 3, 4].map((second) => ({ atMs: second * 1_000, forMs: 400, fault }));

/** What is taken away, what then goes wrong, and what the checker has to say. */
const BREAKAGES: { name: string; breakage: Breakage; plan: Planned[]; says: RegExp }[] = [
  {
    name: "it answers before the commit",
    breakage: {
      file: "src/receive/callback-intake.ts",
      find: "const id = await this.#options.log.append(callback);",
      replace: 'const id = "early"; this.#options.log.append(callback).catch(() => {});',
    },
    plan: again({ on: "postgres", how: "restart-immediate" }),
    says: /^G1 answered 2xx, but not in the log/,
  },
  {
    name: "leases never run out",
    breakage: {
      file: "src/database/leased-rows.ts",
      find: "sql`claimed_until < now()`",
      replace: "sql`claimed_until < now() and false`",
    },
    plan: [
      { atMs: 500, forMs: 5_000, fault: { on: "provider", mood: { kind: "slow", ms: 700 } } },
      ...again({ on: "process", relay: 0, how: "kill" }),
    ],
    says: /^G2 claimed, but the lease expired long ago/,
  },
  {
    name: "an event has another identity each time",
    breakage: {
      file: "src/events/invoice-paid.ts",
      find: "id: invoicePaidId(data.invoiceId),",
      replace: "id: crypto.randomUUID(),",
    },
    plan: [],
    says: /^G4 published with the id/,
  },
  {
    name: "an event is marked before it is published",
    breakage: {
      file: "src/publish/publish-line.ts",
      find: 'step("events leave");',
      replace:
        'await this.#keep(batch, batch.map(() => ({ kind: "accepted", messageId: crypto.randomUUID() })));',
    },
    plan: [],
    says: /^G5 marked as published, but SNS never accepted it/,
  },
  {
    name: "a connection goes back into its pool after a time-out",
    breakage: {
      file: "src/database/relay-client.ts",
      find: "if (isReadTimeout(error)) this.abandon(error);",
      replace: "void isReadTimeout(error);",
    },
    plan: [0, 1].map((relay) => ({
      atMs: 2_000,
      forMs: 0,
      fault: { on: "link", relay, link: "postgres", fault: { kind: "hang" } },
    })),
    // Whatever the hung connections happened to hold stands still: a confirmation, or an event that nobody sends.
    says: /^(?:G2 (?:due, but not asked|claimed, but the lease expired long ago)|G10 paid at the provider, but never published)/,
  },
  {
    name: "Retry-After is ignored",
    breakage: {
      file: "src/collection-api/judge-answer.ts",
      find: 'retryAfterMs(header(answer, "retry-after"), now)',
      replace: "(retryAfterMs, header, now, 1)",
    },
    plan: [
      {
        atMs: 1_000,
        forMs: 500,
        fault: { on: "provider", mood: { kind: "limit", retryAfterS: 8, times: 1 } },
      },
    ],
    says: /^G8 asked within the 8 s/,
  },
];

/** A folder and a PostgreSQL in it; gone with the test. */
async function place() {
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-broken-"));
  await chmod(folder, 0o711);
  const server = await embeddedServer(join(folder, "postgres"));
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { folder, server };
}

const RUN = { seed: 1, lengthMs: 5_000, perSecond: 15, restWithinMs: 15_000 };

const said = (findings: readonly Finding[]) => findings.map(({ guarantee, what }) => `${guarantee} ${what}`);

describe("the checker finds it out when", () => {
  it.each(BREAKAGES)("$name", async ({ breakage, plan, says }) => {
    const { folder, server } = await place();
    const main = await brokenCopy(join(folder, "copy"), breakage);
    const { findings } = await torture({ ...RUN, server, folder: join(folder, "run"), plan, main });
    expect(said(findings)).toContainEqual(expect.stringMatching(says));
  });

  it("nothing is broken: then it finds nothing under all of these faults together", async () => {
    const { folder, server } = await place();
    const plan = BREAKAGES.flatMap((one) => one.plan);
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
      {
        file: "src/store/outcome-store.ts",
        find: "return raises.length + clears.length === 0",
        replace: "return raises.length + clears.length >= 0",
      },
      {
        file: "src/store/outcome-store.ts",
        find: "alarms.tell(held.flatMap(raisedBy));",
        replace: "for (const alarm of held.flatMap(raisedBy)) await alarms.raise(alarm);",
      },
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
