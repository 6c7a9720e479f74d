import { expect, it } from "vitest";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import { placePayment } from "./place-payment.ts";
import { books, daysAgo } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

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
