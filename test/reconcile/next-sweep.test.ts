import { sql } from "kysely";
import { expect, it } from "vitest";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import { sourcesToSweep } from "../../src/reconcile/sweep/sweep-row.ts";
import { COLLECTION } from "./list-provider.ts";
import { placePayment } from "./place-payment.ts";
import { books, daysAgo } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

it.each([
  ["of a collection that is listed no longer", "collection_id", [null]],
  ["while its source is paused", "paused_by", ["operator", "refused"]],
  ["while its source backs off", "opens_at", [null]],
])("a sweep that is due %s is not looked for again and again", async (_, what, by) => {
  const given = await books();
  await sweepPass(given.context, GO_ON);
  await sweepPass(given.context, GO_ON);
  if (what === "collection_id") await given.query("update sweep set collection_id = gen_random_uuid()");
  await given.query("update sweep set due_at = now() where state = 'due'");
  if (what === "opens_at") await given.query("update source set opens_at = now() + interval '1 hour'");
  for (const pausedBy of by) {
    if (pausedBy !== null)
      await given.query(`update source set paused_at = now(), paused_by = '${pausedBy}'`);
    // One sweeps what is due and the next one schedules what follows.
    for (const _ of [1, 2]) await sweepPass(given.context, GO_ON);
    const lists = sql`(values ('default', ${COLLECTION}::uuid)) as list (source, collection_id)`;
    expect((await sql`${sourcesToSweep(lists)}`.execute(given.db)).rows).toEqual([]);
  }
});

it("a sweep leaves a payment of no type on its ladder: the provider has said Paid, and the list adds nothing", async () => {
  const given = await books();
  const waits =
    "state = 'due', priority = 'known', verdict = 'pending', attempt = 6, due_at = now() + interval '1 hour'";
  const typeless = `${waits}, last_error = 'its type is missing'`;
  await placePayment(given, { paidAt: daysAgo(2), type: null, came: 2, confirmation: typeless });
  // The list is ahead of Get Invoice here.
  const behind = await placePayment(given, {
    paidAt: daysAgo(2),
    came: 2,
    confirmation: waits,
    edited: "status = 'Unpaid'",
  });
  await sweepPass(given.context, GO_ON);
  expect(
    await given.query("select invoice_id as id from confirmation where due_at <= now() and attempt = 0"),
  ).toEqual([{ id: behind }]);
  expect(await given.query("select missing, opened from sweep where state = 'done'")).toEqual([
    { missing: 2, opened: 1 },
  ]);
});
