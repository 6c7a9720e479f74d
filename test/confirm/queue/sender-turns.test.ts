import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { claimConfirmations, confirmationLeases } from "../../../src/confirm/queue/claim.ts";
import { refreshLine } from "../../../src/confirm/queue/sender-turns.ts";
import type { Database } from "../../../src/database/tables.ts";
import { newId } from "../../../src/kit/ids.ts";
import { appendAndOpen, distinctRequests } from "../../../src/receive/log/append-statements.ts";
import { leaseOf } from "../../../src/work/lease.ts";
import { openDatabase, ownDatabase } from "../../support/database.ts";
import { incomingCallback } from "../../support/incoming-callback.ts";
import { mostRowsOf } from "../../support/most-rows.ts";

/** Two processes over one database whose source is flooded. */
async function floodedRelays() {
  const { db, url } = await ownDatabase();
  await sql`insert into source (name, first_served_at) values ('default', now())`.execute(db);
  return { url, dbs: [db, openDatabase(url)] as const };
}

/** A callback from each of these addresses, all in one commit. @returns the ids that they name */
async function record(db: Database, callbacks: readonly [from: string, ids: string[]][]): Promise<string[]> {
  const rows = callbacks.map(([remoteAddress, invoiceIds]) => ({
    ...incomingCallback({ invoiceIds, foundBy: "data.id", remoteAddress }),
    ...{ id: newId(), receivedAt: new Date() },
  }));
  await appendAndOpen.execute(db, { rows, asked: distinctRequests(rows) });
  return callbacks.flatMap(([, ids]) => ids);
}

const newIds = (count: number) => Array.from({ length: count }, () => randomUUID());

const send = (db: Database, addresses: readonly string[], count: number) =>
  record(
    db,
    addresses.map((from) => [from, newIds(count)]),
  );

const sendFrom = (db: Database, from: string, count: number) => record(db, [[from, newIds(count)]]);

const ask = (db: Database, from: string, ids: string[]) => record(db, [[from, ids]]);

/** A claim at the default rate, which has one place for unknown ids. @returns the id that it took */
async function claimOne(db: Database): Promise<string | undefined> {
  await sql`
    update source set unknown_share = 0.9, unknown_allowance = 1, unknown_allowance_at = now()`.execute(db);
  const claiming = {
    source: "default",
    total: 64,
    unknown: 64,
    replays: 64,
    chance: 0,
    lease: leaseOf(60_000),
  };
  const limits = { ratePerSecond: null, unknownRatePerSecond: 5 };
  const { items } = await claimConfirmations(db, { ...claiming, limits });
  expect(items.length).toBeLessThanOrEqual(1);
  return items[0]?.invoiceId;
}

const network = (n: number) =>
  `2001:db8:${Math.floor(n / 65_536).toString(16)}:${(n % 65_536).toString(16)}::1`;

describe("in a flood, with one place in a claim (G11, G12)", () => {
  it("a genuine sender waits for one turn of each of twelve forgers, in whichever process", async () => {
    const { dbs } = await floodedRelays();
    for (let n = 0; n < 12; n += 1) await sendFrom(dbs[n % 2 === 0 ? 0 : 1], `203.0.113.${n}`, 100);
    for (let n = 0; n < 30; n += 1) await claimOne(dbs[0]);
    const [genuine] = await sendFrom(dbs[1], "198.51.100.1", 1);
    const taken: (string | undefined)[] = [];
    for (let n = 0; n < 13; n += 1) taken.push(await claimOne(dbs[n % 2 === 0 ? 0 : 1]));
    expect(taken).toContain(genuine);
    expect(new Set(taken).size).toBe(13);
  });

  it("fresh addresses pass nobody who waits, nor does one that always has more", async () => {
    const { dbs } = await floodedRelays();
    const [db] = dbs;
    for (let n = 0; n < 3; n += 1) await sendFrom(db, `203.0.113.${n}`, 50);
    const genuine = await sendFrom(db, "198.51.100.1", 2);
    const turns: number[] = [];
    for (let n = 0; turns.length < 2 && n < 40; n += 1) {
      await sendFrom(db, "192.0.2.1", 1);
      for (let fresh = 0; fresh < 5; fresh += 1) await sendFrom(db, network(n * 5 + fresh), 1);
      if (genuine.includes((await claimOne(db)) ?? "")) turns.push(n);
    }
    // Behind the three at first; then behind those that came in until it was served, four times five and one,
    // and again the three.
    expect(turns).toEqual([3, 28]);
  });

  it("an id that a forger named first waits no longer for that, also where it is asked about again", async () => {
    const { dbs } = await floodedRelays();
    const [db] = dbs;
    const [first, again] = [randomUUID(), randomUUID()];
    await ask(db, "203.0.113.7", [again]);
    expect(await claimOne(db)).toBe(again);
    await sql`
      update confirmation set state = 'due', due_at = now() + interval '1 hour', attempt = 3, verdict =
      'unknown_invoice', lease_token = null, claimed_until = null, asked_at = now() - interval '1 minute'`.execute(
      db,
    );
    await sendFrom(db, "203.0.113.7", 50);
    await ask(db, "203.0.113.7", [first]);
    await ask(db, "198.51.100.1", [first, again]);
    const taken: (string | undefined)[] = [];
    for (let n = 0; n < 5; n += 1) taken.push(await claimOne(db));
    expect(taken).toEqual(expect.arrayContaining([first, again]));
    // Nor does a forger take over what somebody else waits with.
    const [genuine = ""] = await sendFrom(db, "198.51.100.2", 1);
    await ask(db, "203.0.113.7", [genuine]);
    expect([await claimOne(db), await claimOne(db)]).toContain(genuine);
  });

  it("a thousand who have nothing due stand before nobody", async () => {
    const { dbs } = await floodedRelays();
    const [db] = dbs;
    const networks = Array.from({ length: 1_000 }, (_, n) => network(n));
    for (let n = 0; n < 1_000; n += 500) await send(db, networks.slice(n, n + 500), 1);
    for (let n = 0; n < 20; n += 1) await claimOne(db);
    await sql`update confirmation set state = 'done', lease_token = null, claimed_until = null`.execute(db);
    await refreshLine(db);
    const [genuine] = await sendFrom(db, "198.51.100.1", 1);
    expect(await claimOne(db)).toBe(genuine);
  });

  it("whose repeat becomes due, or whose lease ran out, stands in line again within a pass", async () => {
    const { dbs } = await floodedRelays();
    const [db] = dbs;
    const [id] = await sendFrom(db, "203.0.113.7", 1);
    expect(await claimOne(db)).toBe(id);
    expect(await claimOne(db)).toBeUndefined();
    await sql`update sender_turn set idle_since = now() - interval '11 s'`.execute(db);
    await claimOne(db);
    expect(await db.selectFrom("sender_turn").select("sender").execute()).toEqual([]);
    await sql`update confirmation set claimed_until = now() - interval '1 s'`.execute(db);
    await confirmationLeases.releaseExpired(db, leaseOf(15_000));
    await refreshLine(db);
    expect(await claimOne(db)).toBe(id);
  });

  it("leaves the line, in peace too, once nothing of its was due for long", async () => {
    const { dbs } = await floodedRelays();
    const [db] = dbs;
    const senders = async () => (await db.selectFrom("sender_turn").select("idle_since").execute()).length;
    await sendFrom(db, "203.0.113.7", 1);
    await refreshLine(db);
    await sql`update confirmation set state = 'done'`.execute(db);
    await refreshLine(db);
    expect(await senders()).toBe(1);
    await sql`update sender_turn set idle_since = now() - interval '11 s'`.execute(db);
    await refreshLine(db);
    expect(await senders()).toBe(0);
  });

  it("10,000 senders cost a claim no more than ten do", async () => {
    const rows: number[] = [];
    for (const senders of [10, 10_000]) {
      const { url, dbs } = await floodedRelays();
      const networks = Array.from({ length: senders }, (_, n) => network(n));
      for (let n = 0; n < senders; n += 500) await send(dbs[0], networks.slice(n, n + 500), 2);
      await sql`analyze`.execute(dbs[0]);
      rows.push(await mostRowsOf(url, claimOne));
    }
    expect(rows[1]).toBeLessThan(10 * (rows[0] ?? 0));
  });
});
