import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Breakage, brokenCopy } from "../faults/broken/broken-copy.ts";
import type { Planned, PlannedFault } from "../faults/torture/schedule.ts";
import { torture } from "../faults/torture/torture.ts";
import { embeddedServer } from "../faults/world/postgres-server.ts";

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
    says: /^G1 answered 2xx, and not in the log/,
  },
  {
    name: "leases never run out",
    breakage: {
      file: "src/workers/leases.ts",
      find: "sql`claimed_until < now()`",
      replace: "sql`claimed_until < now() and false`",
    },
    plan: [
      { atMs: 500, forMs: 5_000, fault: { on: "provider", mood: { kind: "slow", ms: 700 } } },
      ...again({ on: "process", relay: 0, how: "kill" }),
    ],
    says: /^G2 claimed, and the lease ran out long ago/,
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

describe("the checker finds it out when", () => {
  it.each(BREAKAGES)("$name", async ({ breakage, plan, says }) => {
    const folder = await mkdtemp(join(tmpdir(), "invoice-relay-broken-"));
    await chmod(folder, 0o711);
    const server = await embeddedServer(join(folder, "postgres"));
    onTestFinished(async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });
    const main = await brokenCopy(join(folder, "copy"), breakage);
    const { findings } = await torture({
      server,
      folder: join(folder, "run"),
      seed: 1,
      lengthMs: 5_000,
      perSecond: 15,
      restWithinMs: 15_000,
      main,
      plan,
    });
    expect(findings.map(({ guarantee, what }) => `${guarantee} ${what}`)).toContainEqual(
      expect.stringMatching(says),
    );
  });
});
