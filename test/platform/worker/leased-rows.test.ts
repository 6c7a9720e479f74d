import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { confirmationLeases, openConfirmations } from "../../../src/pipeline/confirm/index.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { openSession, ownDatabase } from "../../support/database.ts";

const LEASE = leaseOf(60_000);

/** Three confirmations under one lease, the second one locked by somebody's open transaction. */
async function threeWithOneLocked(claimedUntil = "2020-01-01T00:00:00Z") {
  const { db, url } = await ownDatabase();
  const other = await openSession(url);
  const leaseToken = randomUUID();
  const ids = [randomUUID(), randomUUID(), randomUUID()].sort();
  const keys = ids.map((invoiceId) => ({ invoiceId, source: "default" }));
  await openConfirmations(db, keys, { openedBy: "callback", priority: "unknown" });
  await db
    .updateTable("confirmation")
    .set({ state: "claimed", lease_token: leaseToken, claimed_until: new Date(claimedUntil) })
    .execute();
  await other.query("begin");
  await other.query("select from confirmation where invoice_id = $1 for update", [ids[1]]);
  const rows = () => db.selectFrom("confirmation").selectAll().orderBy("invoice_id").execute();
  return { db, other, ids, leaseToken, rows };
}

it("leases are extended without waiting for a row that is being written, so that the two cannot deadlock", async () => {
  const { db, leaseToken, rows } = await threeWithOneLocked();
  await confirmationLeases.extend(db, [{ leaseToken }], LEASE);
  const last = (await rows()).map((row) => (row.claimed_until?.getTime() ?? 0) > Date.now());
  expect(last).toEqual([true, false, true]);
});

it("a lease that is kept is lost once it is another's, and not while its row is being written", async () => {
  const { db, other, leaseToken } = await threeWithOneLocked();
  await other.query("select from confirmation for update");
  expect(await confirmationLeases.keep(db, { leaseToken }, LEASE)).toBe(true);
  await other.query("rollback");
  await db.updateTable("confirmation").set({ lease_token: randomUUID() }).execute();
  expect(await confirmationLeases.keep(db, { leaseToken }, LEASE)).toBe(false);
});

it("leases that ran out go back, but for a row that is being written", async () => {
  const { db, rows } = await threeWithOneLocked();
  expect(await confirmationLeases.releaseExpired(db)).toBe(2);
  expect((await rows()).map((row) => row.state)).toEqual(["due", "claimed", "due"]);
});

it("leases that last are left alone, and released only by who holds them", async () => {
  const { db, other, ids, leaseToken, rows } = await threeWithOneLocked("2999-01-01T00:00:00Z");
  await other.query("rollback");
  expect(await confirmationLeases.releaseExpired(db)).toBe(0);
  const [first = "", second = ""] = ids;
  await confirmationLeases.release(db, [
    { id: first, source: "default", leaseToken },
    { id: second, source: "default", leaseToken: randomUUID() },
  ]);
  expect((await rows()).map((row) => row.state)).toEqual(["due", "claimed", "claimed"]);
});
