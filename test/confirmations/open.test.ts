import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { openConfirmations } from "../../src/confirmations/open.ts";
import { connect, type Database } from "../../src/database/connect.ts";
import { Secret } from "../../src/kit/secret.ts";
import { createTestDatabase } from "../support/database.ts";

const key = { invoiceId: randomUUID(), source: "default" };
const CALLBACK = { openedBy: "callback", priority: "unknown" } as const;

async function withConfirmation(changes: { due_at: Date; attempt?: number }): Promise<Database> {
  const { url, drop } = await createTestDatabase();
  const { db, close } = connect(new Secret(url));
  onTestFinished(async () => {
    await close();
    await drop();
  });
  await openConfirmations(db, [key], CALLBACK);
  await db.updateTable("confirmation").set(changes).execute();
  return db;
}

const dueAt = async (db: Database): Promise<Date> =>
  (await db.selectFrom("confirmation").select("due_at").executeTakeFirstOrThrow()).due_at;

/** How many rows this session has updated lately, and how many of them without touching an index. */
async function updatesOf(db: Database): Promise<{ all: number; withoutIndex: number }> {
  const { rows } = await sql<{ all: number; withoutIndex: number }>`
    select pg_stat_get_xact_tuples_updated('confirmation'::regclass)::int as all,
      pg_stat_get_xact_tuples_hot_updated('confirmation'::regclass)::int as "withoutIndex"`.execute(db);
  return rows[0] ?? { all: 0, withoutIndex: 0 };
}

describe("a confirmation that is opened again while it is due", () => {
  it("keeps its place in line when its turn has come already (G11)", async () => {
    const longAgo = new Date("2026-11-01T00:00:00Z");
    const db = await withConfirmation({ due_at: longAgo });
    await openConfirmations(db, [key], CALLBACK);
    expect(await dueAt(db)).toEqual(longAgo);
  });

  it("is due at once when it waited for a later attempt", async () => {
    const tomorrow = new Date(Date.now() + 86_400_000);
    const db = await withConfirmation({ due_at: tomorrow, attempt: 3 });
    await openConfirmations(db, [key], CALLBACK);
    expect((await dueAt(db)).getTime()).toBeLessThan(tomorrow.getTime() - 3_600_000);
  });

  it("costs no entry in an index, however often", async () => {
    const db = await withConfirmation({ due_at: new Date("2026-11-01T00:00:00Z") });
    await db.transaction().execute(async (opening) => {
      const before = await updatesOf(opening);
      for (const _ of [1, 2, 3]) await openConfirmations(opening, [key], CALLBACK);
      const after = await updatesOf(opening);
      expect(after.all - before.all).toBe(3);
      expect(after.withoutIndex - before.withoutIndex).toBe(3);
    });
  });
});
