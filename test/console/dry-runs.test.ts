import { sql } from "kysely";
import { expect, it, vi } from "vitest";
import { DryRuns } from "../../src/api/caller-limits.ts";
import { planReplay } from "../../src/replay/plan-replay.ts";
import { ADMIN, adminApi } from "../support/admin.ts";
import { openDatabase } from "../support/database.ts";
import { addCallback } from "../support/log-rows.ts";
import { surroundings } from "../support/relay.ts";

it.each(["the caller leaves", "the process stops"])("a dry run of callbacks ends when %s", async (which) => {
  const around = await surroundings();
  for (let n = 0; n < 230; n += 1) await addCallback(around, {});
  const [leaving, stopping] = [new AbortController(), new AbortController()];
  let pages = 0;
  const db = openDatabase(around.databaseUrl).withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      pages += 1;
      if (pages === 2) (which === "the caller leaves" ? leaving : stopping).abort();
      return result;
    },
  });
  const plan = new DryRuns(stopping.signal).run("callbacks", leaving.signal, (signal) =>
    planReplay({ db, kind: "callbacks", filters: {}, target: { kind: "topics" }, routes: [], signal }),
  );
  await expect(plan).rejects.toThrow(/^The dry run was stopped at the callbacks of 20.*shorter period/);
  expect(pages).toBe(2);
});

it("the second one of a kind is refused, until the first one's caller has left; another kind's is not", async () => {
  const { around, relay } = await adminApi();
  const dryRun = async (kind = "callbacks", signal = new AbortController().signal) => {
    const response = await fetch(`${relay.url}/admin/v1/replays`, {
      ...{ method: "POST", signal },
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
      body: JSON.stringify({ kind, dryRun: true }),
    });
    return { status: response.status, body: await response.json() };
  };
  const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = openDatabase(around.databaseUrl)
    .transaction()
    .execute(async (transaction) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
      await sql`lock table callback in access exclusive mode`.execute(transaction);
      locked.resolve();
      await done.promise;
    });
  await locked.promise;
  const leaving = new AbortController();
  const first = dryRun("callbacks", leaving.signal).catch(() => "left");
  await vi.waitFor(async () => {
    const [row] = await around.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where wait_event_type = 'Lock' and query like '%found_ids%' and datname = current_database()`,
    );
    expect(row?.waiting).toBe(1);
  });

  expect(await dryRun()).toMatchObject({
    status: 409,
    body: {
      error:
        "Another dry run of callbacks is still reading. Try again when it is done, in ten minutes at most.",
    },
  });
  expect(await dryRun("events")).toMatchObject({ status: 200 });
  leaving.abort();
  expect(await first).toBe("left");
  done.resolve();
  await holding;
  await vi.waitFor(async () => expect(await dryRun()).toMatchObject({ status: 200 }));
  // One that fails by itself makes room as well.
  await around.query("alter table callback rename to away");
  expect(await dryRun()).toMatchObject({ status: 500 });
  await around.query("alter table away rename to callback");
  expect(await dryRun()).toMatchObject({ status: 200 });
});
