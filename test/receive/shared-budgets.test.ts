import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { Secret } from "../../src/kit/secret.ts";
import { CallbackBudgets, forgetBudgets, shareBudgets } from "../../src/receive/caller/callback-budgets.ts";
import { startRelay, surroundings } from "../support/relay.ts";

const CALLER = { token: "default#1", address: "203.0.113.1" };
const from = (address: string) => ({
  headers: { "content-type": "application/json", "x-forwarded-for": address },
});

async function database() {
  const around = await surroundings();
  const { db, close } = connect(new Secret(around.databaseUrl), { max: 4 });
  onTestFinished(close);
  return { around, db };
}

describe("the budgets of several processes (G12)", () => {
  it("are one: all of them together let through what one would, and a thousandth each", async () => {
    const { db } = await database();
    const perHour = { bytes: 1e9, callbacks: 10_000, ids: 1e9 };
    const processes = Array.from({ length: 10 }, () => new CallbackBudgets(perHour));
    const share = (budgets: CallbackBudgets) =>
      budgets.share(
        (spent) => shareBudgets(db, spent),
        () => 0,
      );
    const hours = async () => {
      const { rows } = await sql<{ at: number }>`
        select extract(epoch from clock_timestamp())::float8 / 3600 as at`.execute(db);
      return rows[0]?.at ?? 0;
    };
    const began = await hours();
    let taken = 0;
    for (let n = 0; n < 3_000; n += 1) {
      for (const budgets of processes)
        if (budgets.take(CALLER, { bytes: 1, callbacks: 1, ids: 1 }, 0) === null) taken += 1;
      if (n % 10 === 9) await Promise.all(processes.map(share));
    }
    expect(taken).toBeGreaterThanOrEqual(10_000);
    // Ten processes, each a thousandth and the ten that come between two times of sharing; meanwhile it empties.
    expect(taken).toBeLessThanOrEqual(10_000 * (1 + (await hours()) - began) + 10 * (10 + 10));
  });

  it("empty over an hour, and are forgotten then", async () => {
    const { around, db } = await database();
    const spend = (share: number) =>
      shareBudgets(db, [{ key: "address x", bytes: share, callbacks: 0, ids: 0 }]);
    await spend(0.75);
    await around.query("update callback_budget set counted_at = now() - interval '30 minutes'");
    expect((await spend(0.5))[0]?.bytes).toBeCloseTo(0.75, 1);
    await forgetBudgets(db);
    expect(await around.query("select key from callback_budget")).toHaveLength(1);
    await around.query("update callback_budget set counted_at = now() - interval '61 minutes'");
    await forgetBudgets(db);
    expect(await around.query("select key from callback_budget")).toEqual([]);
  });

  it("are told to those who start later, and hold in all of them", async () => {
    const { around } = await database();
    const environment = around.environment({ TRUSTED_PROXIES: "loopback", CALLBACKS_PER_HOUR: "5" });
    const first = await startRelay(environment, { http: true, workers: false });
    for (let n = 0; n < 5; n += 1) await first.callback({ id: randomUUID() }, from("203.0.113.1"));
    const spent = async () =>
      (
        await around.query<{ callbacks: number }>(
          "select callbacks from callback_budget where key like 'address %'",
        )
      )[0]?.callbacks ?? 0;
    // Five fifths, which empty while they are counted.
    await vi.waitFor(async () => expect(await spent()).toBeGreaterThan(0.8));
    await first.stop();

    const second = await startRelay(environment, { http: true, workers: false });
    await second.callback({ id: randomUUID() }, from("203.0.113.1"));
    await vi.waitFor(async () => expect(await spent()).toBeGreaterThan(1.1));
    await vi.waitFor(async () => {
      await second.callback({ id: randomUUID() }, from("203.0.113.1"));
      expect(
        await around.query("select cut ->> 'overBudget' as over from callback where cut is not null"),
      ).toContainEqual({
        over: "address_callbacks",
      });
    });
    // Another address has its own.
    await second.callback({ id: randomUUID() }, from("203.0.113.2"));
    expect(await around.query("select cut from callback where remote_address = '203.0.113.2'")).toEqual([
      { cut: null },
    ]);
  });
});
