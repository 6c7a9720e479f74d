import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/database/connect.ts";
import type { Tables } from "../../src/database/tables.ts";
import { newId } from "../../src/kit/new-id.ts";
import { Secret } from "../../src/kit/secret.ts";
import { appendAndOpen } from "../../src/record/append-statements.ts";
import { askOnce } from "../../src/record/ask-once.ts";
import { CallbackLog } from "../../src/record/callback-log.ts";
import { createTestDatabase } from "../support/database.ts";
import { incomingCallback } from "../support/incoming-callback.ts";

async function setUp() {
  const database = await createTestDatabase();
  const { db, close } = connect(new Secret(database.url), { max: 4 });
  onTestFinished(async () => {
    await close();
    await database.drop();
  });
  return { db, log: new CallbackLog({ db, onConfirmations: () => undefined }) };
}

const callbackAbout = (invoiceIds: string[]) => incomingCallback({ invoiceIds, foundBy: "data.id" });

const waitingForLocks = async (db: Kysely<Tables>): Promise<number> => {
  const waiting = sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(db)).rows.length;
};

describe("commits of callbacks", () => {
  it("side by side over the same invoices do not deadlock", async () => {
    const { db } = await setUp();
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const appends = Array.from({ length: 300 }, () => {
      const invoiceIds = ids.toSorted(() => Math.random() - 0.5);
      const rows = [{ ...callbackAbout(invoiceIds), id: newId(), receivedAt: new Date() }];
      return appendAndOpen.execute(db, { rows, asked: askOnce(rows) });
    });
    expect((await Promise.allSettled(appends)).filter((outcome) => outcome.status === "rejected")).toEqual(
      [],
    );
  });

  it("that deadlock with what locks in another order are written again, once: no callback is lost (G1)", async () => {
    const { db, log } = await setUp();
    const [first = "", second = ""] = [randomUUID(), randomUUID()].sort();
    await log.append(callbackAbout([first, second]));
    const lock = (trx: Kysely<Tables>, id: string) =>
      trx.updateTable("confirmation").set({ attempt: 1 }).where("invoice_id", "=", id).execute();
    let appending: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (other) => {
      await lock(other, second);
      appending = Promise.all([1, 2, 3].map(() => log.append(callbackAbout([first, second]))));
      appending.catch(() => undefined);
      await vi.waitFor(async () => expect(await waitingForLocks(db)).toBe(1));
      // Postgres ends the one that began to wait first: the callbacks' commit.
      await lock(other, first);
    });
    await appending;
    expect(await db.selectFrom("callback").select("id").execute()).toHaveLength(4);
    const asked = await db.selectFrom("confirmation").select("requests").execute();
    expect(asked).toEqual([{ requests: 2 }, { requests: 2 }]);
  });
});
