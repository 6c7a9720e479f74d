import { randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import { describe, expect, it } from "vitest";
import { openConfirmations } from "../../../../src/pipeline/confirm/queue/open.ts";
import type { Tables } from "../../../../src/platform/database/tables.ts";
import { ownDatabase } from "../../../support/database.ts";

type Row = Selectable<Tables["confirmation"]>;

const key = { invoiceId: randomUUID(), source: "default" };
const [SECOND, HOUR] = [1_000, 3_600_000];
const ago = (ms: number) => new Date(Date.now() - ms);

/** What becomes of it, and in how many ms it is due. */
async function openedAgain(changes: Partial<Row>) {
  const { db } = await ownDatabase();
  const open = () => openConfirmations(db, [key], { openedBy: "callback", priority: "unknown" });
  await open();
  await db.updateTable("confirmation").set(changes).execute();
  await open();
  const row = await db.selectFrom("confirmation").selectAll().executeTakeFirstOrThrow();
  return { row, dueInMs: row.due_at.getTime() - Date.now() };
}

describe("a confirmation that is opened again", () => {
  it("keeps its place in line when its turn has come already (G11)", async () => {
    const due_at = new Date("2026-11-01T00:00:00Z");
    expect((await openedAgain({ due_at })).row.due_at).toEqual(due_at);
  });

  it("is due at once when it waited for a later attempt, and 2 s after the last request at the earliest", async () => {
    const waited = await openedAgain({ due_at: ago(-24 * HOUR), attempt: 3 });
    expect(waited.dueInMs).toBeLessThanOrEqual(0);
    const long = await openedAgain({ state: "done", verdict: "paid", asked_at: ago(3 * SECOND) });
    expect(long.dueInMs).toBeLessThanOrEqual(0);
    const asked_at = ago(0);
    const { row } = await openedAgain({ state: "done", verdict: "paid", asked_at });
    expect(row.due_at.getTime() - asked_at.getTime()).toBeGreaterThanOrEqual(2 * SECOND);
  });

  it("begins the schedule anew, after its end too", async () => {
    const { row } = await openedAgain({
      state: "done",
      verdict: "not_paid",
      attempt: 8,
      settled_at: ago(0),
    });
    expect(row).toMatchObject({ state: "due", verdict: "not_paid", attempt: 0, requests: 2 });
  });
});
