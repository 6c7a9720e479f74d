import { randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import { describe, expect, it } from "vitest";
import { openConfirmations } from "../../../src/confirm/queue/open.ts";
import type { Database, Tables } from "../../../src/database/tables.ts";
import { ownDatabase } from "../../support/database.ts";

type Row = Selectable<Tables["confirmation"]>;

const key = { invoiceId: randomUUID(), source: "default" };
const CALLBACK = { openedBy: "callback", priority: "unknown" } as const;

async function withConfirmation(changes: Partial<Row>): Promise<Database> {
  const { db } = await ownDatabase();
  await openConfirmations(db, [key], CALLBACK);
  await db.updateTable("confirmation").set(changes).execute();
  return db;
}

const dueAt = async (db: Database): Promise<Date> =>
  (await db.selectFrom("confirmation").select("due_at").executeTakeFirstOrThrow()).due_at;

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
});

describe("a confirmation that is opened again after an ask", () => {
  const SECOND = 1_000;
  it.each([
    { state: "done", asked: "just now", ago: 0, due: "2 s after that ask", inMs: 2 * SECOND },
    { state: "done", asked: "3 s ago", ago: 3 * SECOND, due: "at once", inMs: 0 },
  ] as const)("is due $due when it was $asked", async ({ state, ago, inMs }) => {
    const now = Date.now();
    const asked_at = new Date(now - ago);
    const db = await withConfirmation({ due_at: asked_at, state, verdict: "paid", asked_at });
    await openConfirmations(db, [key], CALLBACK);
    const waitsMs = (await dueAt(db)).getTime() - now;
    expect(waitsMs).toBeGreaterThanOrEqual(inMs - 500);
    expect(waitsMs).toBeLessThan(inMs + 60 * SECOND);
  });
});
