import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openConfirmations, promote } from "../../../../src/pipeline/confirm/index.ts";
import { claimConfirmations } from "../../../../src/pipeline/confirm/queue/claim.ts";
import type { Database } from "../../../../src/platform/database/tables.ts";
import type { Limits } from "../../../../src/platform/upstreams/allowance.ts";
import { leaseOf } from "../../../../src/platform/worker/leased-rows.ts";
import { ownDatabase } from "../../../support/database.ts";
import { maxRowsOf } from "../../../support/max-rows.ts";

const LIMITS = { ratePerSecond: null, unknownRatePerSecond: 10 };

async function withSource() {
  const { db, url } = await ownDatabase();
  await sql`insert into source (name, first_served_at) values ('default', now())`.execute(db);
  return { db, url };
}

/** Due confirmations of one kind, the oldest first. */
async function due(
  db: Database,
  count: number,
  { priority = "unknown", attempt = 0 }: { priority?: "known" | "unknown" | "replay"; attempt?: number },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID()).sort();
  await openConfirmations(
    db,
    ids.map((invoiceId) => ({ invoiceId, source: "default" })),
    { openedBy: "callback", priority },
  );
  await sql`update confirmation set attempt = ${attempt} where invoice_id = any(${ids}::uuid[])`.execute(db);
  return ids;
}

const claim = async (db: Database, total: number, replays = total, limits: Limits = LIMITS) => {
  const claiming = { source: "default", total, unknown: total, replays, lease: leaseOf(60_000), limits };
  return (await claimConfirmations(db, claiming)).items.map(({ invoiceId }) => invoiceId);
};

const flooded = (db: Database) =>
  sql`update source set unknown_answers = ~0::bit(100), not_found_at = now()`.execute(db);

describe("a claim", () => {
  it("takes first asks before repeats, known ids before unknown ones, replays last, of each the oldest", async () => {
    const { db } = await withSource();
    const replayedAgain = await due(db, 2, { priority: "replay", attempt: 1 });
    const replayed = await due(db, 2, { priority: "replay" });
    const unknownAgain = await due(db, 2, { attempt: 2 });
    const knownAgain = await due(db, 2, { priority: "known", attempt: 3 });
    const unknown = await due(db, 2, {});
    const known = await due(db, 2, { priority: "known" });
    const order = [known, unknown, knownAgain, unknownAgain, replayed, replayedAgain].flat();
    for (let first = 0; first < order.length; first += 3)
      expect((await claim(db, 3)).toSorted()).toEqual(order.slice(first, first + 3).toSorted());
  });

  it("takes no more replays than it may, first ones and repeats together", async () => {
    const { db } = await withSource();
    const replayed = await due(db, 3, { priority: "replay" });
    await due(db, 20, { priority: "replay", attempt: 1 });
    const taken = await claim(db, 80, 5);
    expect(taken).toHaveLength(5);
    expect(taken).toEqual(expect.arrayContaining(replayed));
  });

  for (const priority of ["known", "unknown", "replay"] as const)
    it(`looks at no more of a backlog of ${priority} ids than it takes`, async () => {
      const { db, url } = await withSource();
      await due(db, 1_000, { priority });
      await due(db, 1_000, { priority, attempt: 2 });
      const unexpected = await maxRowsOf(url, (explained) => claim(explained, 8));
      await sql`analyze`.execute(db);
      const expected = await maxRowsOf(url, (explained) => claim(explained, 8));
      expect({ unexpected, expected }).toEqual({ unexpected: 8, expected: 8 });
    });

  it.each<[string, Partial<Limits>, string, number]>([
    [
      "a source that is limited to 20 a second: a fifth of a second's worth",
      { ratePerSecond: 20 },
      "allowance = 1000",
      4,
    ],
    ["a source whose circuit breaker is half open: one, to try it", {}, "faults = 5, opens_at = now()", 1],
  ])("takes of %s, all claims together (G8)", async (_, limits, state, most) => {
    const { db } = await withSource();
    await due(db, 100, { priority: "known" });
    await sql`update source set ${sql.raw(state)}`.execute(db);
    const began = performance.now();
    const claims = Array.from({ length: 4 }, () => claim(db, 8, 8, { ...LIMITS, ...limits }));
    const taken = (await Promise.all(claims)).flat().length;
    const refilled = ((performance.now() - began) / 1_000) * (limits.ratePerSecond ?? 0);
    expect(taken).toBeGreaterThanOrEqual(most);
    expect(taken).toBeLessThanOrEqual(most + refilled);
  });

  it("in a flood takes known ids at once, and unknown ones at their rate, all claims together", async () => {
    const { db } = await withSource();
    await due(db, 500, {});
    const known = await due(db, 50, { priority: "known" });
    await flooded(db);
    const began = performance.now();
    const taken = (await Promise.all(Array.from({ length: 4 }, () => claim(db, 64)))).flat();
    expect(taken).toEqual(expect.arrayContaining(known));
    const rate = LIMITS.unknownRatePerSecond;
    const atOnce = rate / 5;
    const may = atOnce + ((performance.now() - began) / 1_000) * rate;
    expect(taken.length - known.length).toBeGreaterThanOrEqual(atOnce);
    expect(taken.length - known.length).toBeLessThanOrEqual(may + atOnce);
  });

  it("in a flood takes an unknown id at once that the provider's list shows", async () => {
    const { db } = await withSource();
    await due(db, 500, {});
    const [genuine = ""] = await due(db, 1, {});
    await flooded(db);
    await claim(db, 64);
    await promote(db, "default", [genuine]);
    expect(await claim(db, 64)).toContain(genuine);
  });
});
