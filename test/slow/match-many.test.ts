import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { matchStatement } from "../../src/books/statement/match-statement.ts";
import { closeMonth } from "../../src/operate/months.ts";
import { COLLECTION, insertCertificate } from "../books/month/closable-month.ts";
import { openDatabase } from "../support/log-rows.ts";
import { surroundings } from "../support/relay.ts";
import { heapAfterCollection } from "./heap-after-collection.ts";

/** docs/performance.md has the figures of 100,000. */
const PAYMENTS = Number(process.env.MATCH_PAYMENTS ?? 100_000);
const MOST_HEAP_MB = 30;

/** Prints what it took. @throws AssertionError when much is left in memory. */
async function measured<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  const before = heapAfterCollection();
  const startedAt = performance.now();
  // By the thread's own processor time: what else the machine does is not counted.
  const busyMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [most, longest, last] = [0, 0, busyMs()];
  const watch = setInterval(() => {
    longest = Math.max(longest, busyMs() - last);
    last = busyMs();
    most = Math.max(most, process.memoryUsage().heapUsed);
  }, 5);
  const result = await run();
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1_000;
  const left = heapAfterCollection() - before;
  process.stdout.write(
    `${PAYMENTS} payments ${what} in ${seconds.toFixed(1)} s; event loop held ${longest.toFixed(0)} ms at most; ` +
      `heap ${((most - before) / 1e6).toFixed(0)} MB more at most, ${(left / 1e6).toFixed(1)} MB after collection\n`,
  );
  expect(left / 1e6).toBeLessThan(MOST_HEAP_MB);
  return result;
}

it("a statement of very many lines is matched, and its month closed, beside the process' other work, and leaves nothing in memory", async () => {
  const around = await surroundings();
  // One a moment in October, each settled by itself.
  await around.query(
    `insert into invoice (id, source, status, type, collection_name, amount, settleable_amount, paid_at, created_at,
       asked_at, confirmed_at, document, digest)
     select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'default', 'Paid', 'Live', 'School fees',
       10.01, 10.01, at, at, at, at, '{"settlementFrequency":"Instant"}', 'digest'
     from generate_series(1, $1::int) as n,
       lateral (select '2026-10-01T00:00:00Z'::timestamptz + n * (interval '30 days' / $1::int) as at) as each`,
    [PAYMENTS],
  );
  await around.query("analyze");
  const db = openDatabase(around.environment().DATABASE_URL ?? "");
  const file = async function* () {
    yield Buffer.from("Date,Narration,Credit\n");
    for (let n = 1; n <= PAYMENTS; n += 1) {
      if (n % 1_000 === 0) await nextTurn();
      const day = String(1 + Math.floor((n * 30) / PAYMENTS)).padStart(2, "0");
      const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
      yield Buffer.from(`2026-10-${day},NIP TRANSFER ${id},10.01\n`);
    }
  };
  const source = {
    ...{ name: "default", zone: "UTC", currency: "NGN", collectionIds: [COLLECTION], paidStatuses: ["Paid"] },
  };
  const done = await measured("matched", () =>
    matchStatement(
      db,
      {
        ...{ source, fileName: "october.csv", file: file(), given: {}, days: null, keepDuplicates: false },
        ...{ from: "2026-10-01", to: "2026-10-31", actor: "cli:test" },
      },
      () => undefined,
    ),
  );

  expect(done.figures.states).toEqual([
    expect.objectContaining({
      state: "matched",
      lines: PAYMENTS,
      sums: PAYMENTS,
      lineAmount: (PAYMENTS * 10.01).toFixed(2),
    }),
  ]);
  expect(done.clean).toBe(true);

  const stored = await around.query<{ day: string; count: number }>(
    "select paid_at::date::text as day, count(*)::int as count from invoice group by 1",
  );
  await insertCertificate(around.query, {
    ...{ from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z" },
    days: Object.fromEntries(stored.map(({ day, count }) => [day, new Array<number>(count).fill(1001)])),
  });
  const { closing, obstacles } = await measured("closed", () =>
    closeMonth({ db, source, month: "2026-10", actor: "cli:test", dryRun: false, signer: null }),
  );
  expect(obstacles).toEqual([]);
  expect(closing?.all).toMatchObject({ payments: PAYMENTS, amount: (PAYMENTS * 10.01).toFixed(2) });
}, 600_000);
