import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  appendAndOpen,
  distinctRequests,
  type IncomingCallback,
} from "../../../../src/pipeline/receive/log/append-statements.ts";
import { CallbackLog, type CallbackLogOptions } from "../../../../src/pipeline/receive/log/callback-log.ts";
import { makePartitions } from "../../../../src/pipeline/receive/log/partitions.ts";
import { newId } from "../../../../src/platform/values/ids.ts";
import { ownDatabase } from "../../../support/database.ts";
import { incomingCallback } from "../../../support/incoming-callback.ts";

async function setUp(options: Partial<CallbackLogOptions> = {}) {
  const { db } = await ownDatabase();
  const onConfirmations = vi.fn();
  return { db, onConfirmations, log: new CallbackLog({ db, onConfirmations, ...options }) };
}

const callback = (changes: Partial<IncomingCallback> = {}): IncomingCallback =>
  incomingCallback({
    headers: [["content-type", "application/json"]],
    remoteAddress: "127.0.0.1",
    invoiceIds: [randomUUID()],
    foundBy: "data.id",
    ...changes,
  });

describe("the callback log (G1)", () => {
  it("keeps the bytes as they came, and opens the confirmations in the same commit", async () => {
    const { db, log, onConfirmations } = await setUp();
    const incoming = callback({
      body: Buffer.from([0, 1, 255, 0xc3, 0x28]),
      invoiceIds: [randomUUID(), randomUUID()],
      query: "a=%00",
      headers: [
        ["x-odd", "ÿ\\\"'{},"],
        ["x-odd", "twice"],
      ],
    });
    const id = await log.append(incoming);
    const row = await db.selectFrom("callback").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      id,
      body: incoming.body,
      headers: incoming.headers,
      invoice_ids: incoming.invoiceIds,
      query: "a=%00",
      found_by: "data.id",
    });
    const confirmations = await db
      .selectFrom("confirmation")
      .select(["invoice_id", "state", "priority", "opened_by"])
      .execute();
    expect(confirmations.map((confirmation) => confirmation.invoice_id).sort()).toEqual(
      [...incoming.invoiceIds].sort(),
    );
    expect(confirmations[0]).toMatchObject({ state: "due", priority: "unknown", opened_by: "callback" });
    expect(onConfirmations).toHaveBeenCalled();
  });

  it("commits many concurrent callbacks in few transactions", async () => {
    const { db, log } = await setUp();
    await Promise.all(Array.from({ length: 2_000 }, () => log.append(callback())));
    const { rows } = await sql<{ transactions: number; opened: number }>`
      select count(distinct xmin::text)::int as transactions,
        (select count(*)::int from confirmation) as opened from callback`.execute(db);
    expect(rows).toEqual([{ transactions: expect.toSatisfy((n: number) => n <= 20), opened: 2_000 }]);
  });

  it("refuses what is more than may wait, to be sent again, and keeps nothing of it (G8)", async () => {
    const { db, log } = await setUp({ maxBatch: 1, maxInFlight: 1, maxWaiting: 4 });
    const ends = await Promise.allSettled(Array.from({ length: 20 }, () => log.append(callback())));
    const refused = ends.filter((end) => end.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ next: "retry" });
    for (const table of ["callback", "confirmation"] as const)
      expect(await db.selectFrom(table).select("source").execute()).toHaveLength(20 - refused.length);
  });

  it("coalesces callbacks for one invoice in one confirmation and counts them", async () => {
    const { db, log } = await setUp();
    const invoiceIds = [randomUUID()];
    await log.append(callback({ invoiceIds }));
    await Promise.all([1, 2, 3].map(() => log.append(callback({ invoiceIds }))));
    const confirmations = await db.selectFrom("confirmation").select(["requests", "state"]).execute();
    // Those that shared a commit count once: one GET covers them.
    expect(confirmations).toEqual([{ requests: 2, state: "due" }]);
    expect(await db.selectFrom("callback").select("id").execute()).toHaveLength(4);
  });

  it.each(["unreadable", "ping", "refused"] as const)(
    "records a callback that is %s and asks nothing",
    async (verdict) => {
      const { db, log, onConfirmations } = await setUp();
      await log.append(callback({ verdict }));
      expect(await db.selectFrom("callback").select("verdict").execute()).toEqual([{ verdict }]);
      expect(await db.selectFrom("confirmation").selectAll().execute()).toEqual([]);
      expect(onConfirmations).not.toHaveBeenCalled();
    },
  );

  it("repeating a commit of unknown outcome duplicates nothing", async () => {
    const { db, log } = await setUp();
    const write = appendAndOpen.execute.bind(appendAndOpen);
    const writing = vi.spyOn(appendAndOpen, "execute").mockImplementationOnce(async (...given) => {
      await write(...given);
      throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
    });
    onTestFinished(() => writing.mockRestore());
    await Promise.all([1, 2, 3].map(() => log.append(callback())));
    expect(writing.mock.calls.length).toBeGreaterThan(1);
    expect(await db.selectFrom("callback").select("id").execute()).toHaveLength(3);
    expect(await db.selectFrom("confirmation").select("requests").execute()).toEqual(
      Array.from({ length: 3 }, () => ({ requests: 1 })),
    );
  });

  it("commits side by side over the same invoices, and from the same senders, do not deadlock", async () => {
    // All wait for its four connections at once, as long as it takes.
    const { db } = await ownDatabase({ connectTimeoutMs: 60_000 });
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const appends = Array.from({ length: 300 }, (_, n) => {
      const rows = (n % 2 === 0 ? ids : ids.toReversed()).map((id, sender) => ({
        ...callback({ invoiceIds: [id, randomUUID()] }),
        remoteAddress: `203.0.113.${(Math.floor(n / 10) * 8 + sender) % 256}`,
        ...{ id: newId(), receivedAt: new Date() },
      }));
      return appendAndOpen.execute(db, { rows, asked: distinctRequests(rows) });
    });
    const ends = await Promise.allSettled(appends);
    expect(ends.filter(({ status }) => status === "rejected")).toEqual([]);
  });
});

describe("partitions of the log", () => {
  it("stand for this month and three more, whichever of several processes makes them; once", async () => {
    const { db } = await setUp();
    const now = new Date("2031-11-15T12:00:00Z");
    const made = await Promise.all([1, 2, 3].map(() => makePartitions(db, now)));
    expect(made.flat().sort()).toEqual([
      ...["callback_2031_11", "callback_2031_12", "callback_2032_01", "callback_2032_02"],
    ]);
    expect(await makePartitions(db, now)).toEqual([]);
  });

  it("without one, the default partition takes the row, and it moves when the partition is made", async () => {
    const { db, log } = await setUp();
    const id = await log.append(callback());
    const home = async () =>
      (
        await sql<{
          partition: string;
        }>`select tableoid::regclass::text as partition from callback where id = ${id}`.execute(db)
      ).rows[0]?.partition;
    expect(await home()).toBe("callback_default");
    await makePartitions(db);
    expect(await home()).toBe(`callback_${new Date().toISOString().slice(0, 7).replace("-", "_")}`);
  });
});
