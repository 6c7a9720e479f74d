import { expect, it } from "vitest";
import { sweepPass } from "../../src/reconcile/sweep/sweep-pass.ts";
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

it.each([
  ["is outside the contract", 1, ""],
  ["has a status that nobody knows", 2, "status = 'Odd'"],
] as const)(
  "a sweep leaves a listed payment whose answer %s on its ladder, to its end: it is told once, when it is dead (G2)",
  async (_, came, edited) => {
    const given = await books();
    const odd =
      "priority = 'known', verdict = 'pending', attempt = 5, due_at = now() + interval '1 hour', last_error = 'odd'";
    const place = (confirmation: string) =>
      placePayment(given, { paidAt: daysAgo(2), came, confirmation, ...(edited && { edited }) });
    await place(`state = 'due', ${odd}`);
    await place(`state = 'dead', ${odd}`);
    // It was asked for by a callback since.
    const heard = await place(`state = 'due', ${odd.replace("attempt = 5", "attempt = 0")}`);
    await sweepPass(given.context, GO_ON);
    expect(await given.query("select invoice_id as id from confirmation where requests > 1")).toEqual([
      { id: heard },
    ]);
    expect(await given.query("select attempt from confirmation order by attempt")).toEqual([
      { attempt: 0 },
      { attempt: 5 },
      { attempt: 5 },
    ]);
  },
);
