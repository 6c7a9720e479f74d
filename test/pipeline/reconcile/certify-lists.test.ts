import { describe, expect, it } from "vitest";
import { COLLECTION, PLAIN } from "./list-provider.ts";
import { midnight, named, PAID_AT, place, prove } from "./prove-period.ts";
import { books, daysAgo } from "./relay-books.ts";

describe("what a certificate makes of the provider's lists", () => {
  it("lets Test invoices stand apart, also one that nobody ever asked about", async () => {
    const given = await books();
    await place(given);
    const [known, unknown] = [
      await place(given, { type: "Test", came: 2 }),
      await place(given, { type: "Test", came: 0 }),
    ];
    const certificate = await prove(given);
    expect(certificate).toMatchObject({ result: "equal", test: { count: 2 }, total: { paid: { count: 1 } } });
    expect(named(certificate)).toEqual({ [known]: "test", [unknown]: "test" });
    // The list of Test invoices alone does not make it one.
    expect(given.provider.asked).toEqual([unknown]);
  });

  it("is refused by a list that contradicts itself (G10)", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, hides: 1 };
    await place(given);
    expect(await prove(given)).toMatchObject({ result: "refused", collections: [{ id: COLLECTION }] });
  });

  it("asks about what is stored and not listed: gone there, it differs; still paid, the list is not whole", async () => {
    const given = await books();
    const gone = await place(given, { listed: false });
    expect(await prove(given)).toMatchObject({
      result: "not_equal",
      differences: [{ invoiceId: gone, reason: "not_at_provider", weight: "difference" }],
    });
    const unlisted = { id: gone, paidAt: PAID_AT, amount: "100.10" };
    given.provider.unlisted = [{ ...unlisted, createdAt: PAID_AT }];
    expect(await prove(given)).toMatchObject({
      result: "refused",
      refusals: [expect.stringContaining(gone)],
    });
    // Created before the lookback, the list need not show it.
    given.provider.unlisted = [{ ...unlisted, createdAt: daysAgo(120) }];
    const one = { count: 1, amount: "100.10" };
    expect(await prove(given)).toMatchObject({
      ...{ result: "equal", total: { paid: one, stored: one, published: one } },
      differences: [{ invoiceId: gone, reason: "counted_by_asking", weight: "note" }],
    });
  });

  it("does not miss one that has moved beyond the period, where its dates mean payment", async () => {
    const given = await books();
    const { provider } = given;
    provider.reading = { ...PLAIN, dates: "paidAt" };
    await place(given, { paidAt: midnight(9) });
    for (const invoice of provider.invoices) invoice.paidAt = midnight(2);
    await place(given, { paidAt: midnight(10) });
    const before = { window: { from: midnight(20), to: midnight(8) } };
    expect(await prove(given, before)).toMatchObject({ result: "equal", total: { paid: { count: 1 } } });
  });
});

it("a list that shows an item without a usable id that may be paid refuses the certificate (G10)", async () => {
  const given = await books();
  given.provider.invoices.push({
    id: "INV-7",
    createdAt: PAID_AT,
    paidAt: PAID_AT,
    status: "Unpaid",
    datePaid: null,
  });
  expect(await prove(given)).toMatchObject({ result: "equal" });
  given.provider.invoices.push({ id: "\ud83d", createdAt: PAID_AT, paidAt: PAID_AT, amount: "7" });
  expect(await prove(given)).toMatchObject({ result: "refused", refusals: [expect.any(String)] });
});
