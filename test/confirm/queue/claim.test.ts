import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { type ClaimedConfirmation, claimConfirmations } from "../../../src/confirm/queue/claim.ts";
import { openConfirmations } from "../../../src/confirm/queue/open.ts";
import { refreshLine } from "../../../src/confirm/queue/sender-turns.ts";
import type { Database } from "../../../src/database/tables.ts";
import { leaseOf } from "../../../src/work/lease.ts";
import { ownDatabase } from "../../support/database.ts";
import { mostRowsOf } from "../../support/most-rows.ts";

const LIMITS = { ratePerSecond: null, unknownRatePerSecond: 10 };

async function withSource(): Promise<Database> {
  return (await withSourceAt()).db;
}

async function withSourceAt() {
  const { db, url } = await ownDatabase();
  await sql`insert into source (name, first_served_at) values ('default', now())`.execute(db);
  return { db, url };
}

/** Due confirmations of one kind, the oldest first. */
async function due(
  db: Database,
  count: number,
  {
    priority = "unknown",
    attempt = 0,
    sender = "203.0.113.7",
  }: {
    priority?: "known" | "unknown" | "replay";
    attempt?: number;
    sender?: string;
  },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await openConfirmations(
    db,
    ids.map((invoiceId) => ({ invoiceId, source: "default" })),
    { openedBy: "callback", priority },
  );
  await sql`update confirmation set attempt = ${attempt}, sender = ${sender}
    where invoice_id = any(${ids}::uuid[])`.execute(db);
  await refreshLine(db);
  return ids;
}

const claim = async (db: Database, total: number, { chance = 0, replays = total } = {}) =>
  (
    await claimConfirmations(db, {
      source: "default",
      total,
      unknown: total,
      replays,
      chance,
      lease: leaseOf(60_000),
      limits: LIMITS,
    })
  ).items;

/** Evenly spread: what chance gives in the long run, eight claims with these give exactly. */
const CHANCES = Array.from({ length: 8 }, (_, eighth) => (eighth + 0.5) / 8);

/** What `claim` takes for each of these chances, by the name of its kind. */
async function taken(
  kinds: Record<string, string[]>,
  claim: (chance: number) => Promise<ClaimedConfirmation[]>,
) {
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]));
  for (const chance of CHANCES)
    for (const { invoiceId } of await claim(chance)) {
      const kind = Object.keys(kinds).find((name) => kinds[name]?.includes(invoiceId)) ?? "none of them";
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  return counts;
}

const flooded = (db: Database) =>
  sql`update source set unknown_share = 0.9, unknown_allowance = 2, unknown_allowance_at = now()`.execute(db);

describe("a claim", () => {
  it.each([1, 2, 5, 80])(
    "of %i places takes first asks before repeats and known ids before unknown ones, and every class has its share",
    async (total) => {
      const db = await withSource();
      const kinds = {
        replayedAgain: await due(db, 100, { priority: "replay", attempt: 1 }),
        replayed: await due(db, 100, { priority: "replay" }),
        unknownAgain: await due(db, 100, { attempt: 2 }),
        knownAgain: await due(db, 100, { priority: "known", attempt: 3 }),
        unknown: await due(db, 100, {}),
        known: await due(db, 300, { priority: "known" }),
      };
      expect(await taken(kinds, (chance) => claim(db, total, { chance }))).toEqual({
        known: 3 * total,
        unknown: total,
        knownAgain: total,
        unknownAgain: total,
        replayed: total,
        replayedAgain: total,
      });
    },
  );

  it("of one place gives live callbacks seven eighths, whatever is replayed (G9)", async () => {
    const db = await withSource();
    const kinds = { replayed: await due(db, 20, { priority: "replay" }), unknown: await due(db, 20, {}) };
    expect(await taken(kinds, (chance) => claim(db, 1, { chance }))).toEqual({ unknown: 7, replayed: 1 });
  });

  it("shares what replays may have between their first asks and their repeats", async () => {
    const db = await withSource();
    const kinds = {
      replayed: await due(db, 20, { priority: "replay" }),
      replayedAgain: await due(db, 20, { priority: "replay", attempt: 1 }),
    };
    expect(await taken(kinds, (chance) => claim(db, 80, { chance, replays: 1 }))).toEqual({
      replayed: 4,
      replayedAgain: 4,
    });
  });

  it("leaves no place empty that a class with nothing due would have had", async () => {
    const db = await withSource();
    await due(db, 100, { priority: "known" });
    expect(await claim(db, 80)).toHaveLength(80);
  });

  for (const priority of ["known", "unknown", "replay"] as const)
    it(`looks at no more of a backlog of ${priority} ids than it takes`, async () => {
      const { db, url } = await withSourceAt();
      await due(db, 3_000, { priority });
      await due(db, 3_000, { priority, attempt: 2 });
      const unexpected = await mostRowsOf(url, (explained) => claim(explained, 8));
      await sql`analyze`.execute(db);
      const expected = await mostRowsOf(url, (explained) => claim(explained, 8));
      expect({ unexpected, expected }).toEqual({ unexpected: 8, expected: 8 });
    });

  it("in a flood takes unknown ids by the turns of their senders: a forger's million buries nobody (G12)", async () => {
    const db = await withSource();
    await due(db, 3_000, { sender: "203.0.113.7" });
    const [genuine] = await due(db, 1, { sender: "198.51.100.1" });
    const [other] = await due(db, 1, { sender: "2001:db8:1:2::/64" });
    await flooded(db);
    const first = (await claim(db, 64)).map(({ invoiceId }) => invoiceId);
    await flooded(db);
    const second = (await claim(db, 64)).map(({ invoiceId }) => invoiceId);
    expect(first).toHaveLength(2);
    expect([...first, ...second]).toEqual(expect.arrayContaining([genuine, other]));
  });

  it("in a flood of as many unknown ids as the source may be asked about, takes known ones all the same", async () => {
    const db = await withSource();
    const kinds = { unknown: await due(db, 20, {}), known: await due(db, 20, { priority: "known" }) };
    const one = async (chance: number) => {
      await flooded(db);
      return await claim(db, 1, { chance });
    };
    expect(await taken(kinds, one)).toEqual({ known: 7, unknown: 1 });
  });

  it("in a flood still takes known ids first, as many as are wanted", async () => {
    const db = await withSource();
    await due(db, 500, {});
    const known = await due(db, 50, { priority: "known" });
    await flooded(db);
    const taken = (await claim(db, 64)).map(({ invoiceId }) => invoiceId);
    expect(taken.slice().sort()).toEqual(expect.arrayContaining(known.slice().sort()));
    expect(taken).toHaveLength(52);
  });
});
