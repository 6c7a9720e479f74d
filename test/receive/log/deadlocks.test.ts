import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { newId } from "../../../src/kit/ids.ts";
import { appendAndOpen, distinctRequests } from "../../../src/receive/log/append-statements.ts";
import { CallbackLog } from "../../../src/receive/log/callback-log.ts";
import { ownDatabase } from "../../support/database.ts";
import { incomingCallback } from "../../support/incoming-callback.ts";

async function setUp() {
  // All wait for its four connections at once, as long as it takes.
  const { db } = await ownDatabase({ connectTimeoutMs: 60_000 });
  return { db, log: new CallbackLog({ db, onConfirmations: () => undefined }) };
}

const callbackAbout = (invoiceIds: string[], remoteAddress = "203.0.113.7") =>
  incomingCallback({ invoiceIds, foundBy: "data.id", remoteAddress });

describe("commits of callbacks", () => {
  it("side by side over the same invoices, and from the same senders, do not deadlock", async () => {
    const { db } = await setUp();
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const appends = Array.from({ length: 300 }, (_, n) => {
      const rows = (n % 2 === 0 ? ids : ids.toReversed()).map((id, sender) => ({
        ...callbackAbout([id, randomUUID()], `203.0.113.${(Math.floor(n / 10) * 8 + sender) % 256}`),
        ...{ id: newId(), receivedAt: new Date() },
      }));
      return appendAndOpen.execute(db, { rows, asked: distinctRequests(rows) });
    });
    expect((await Promise.allSettled(appends)).filter((outcome) => outcome.status === "rejected")).toEqual(
      [],
    );
  });

  it.each([
    ["40P01", "deadlock_detected"],
    ["40001", "serialization_failure"],
  ])(
    "that Postgres rolls back with %s (%s) are written again, once: no callback is lost (G1)",
    async (code) => {
      const { db, log } = await setUp();
      const ids = [randomUUID(), randomUUID()];
      await log.append(callbackAbout(ids));
      // A sequence keeps its value when a transaction is rolled back: only the first commit collides.
      await sql`create sequence collisions`.execute(db);
      await sql`
      create function collide() returns trigger language plpgsql as $$
      begin
        if nextval('collisions') = 1 then
          raise exception 'collided' using errcode = ${sql.lit(code)};
        end if;
        return new;
      end $$`.execute(db);
      await sql`
      create trigger collide after update on confirmation
      for each row execute function collide()`.execute(db);
      await Promise.all([1, 2, 3].map(() => log.append(callbackAbout(ids))));
      expect(await db.selectFrom("callback").select("id").execute()).toHaveLength(4);
      const asked = await db.selectFrom("confirmation").select("requests").execute();
      expect(asked).toEqual([{ requests: 2 }, { requests: 2 }]);
      const { rows } = await sql<{ collided: boolean }>`select is_called as collided from collisions`.execute(
        db,
      );
      expect(rows).toEqual([{ collided: true }]);
    },
  );
});
