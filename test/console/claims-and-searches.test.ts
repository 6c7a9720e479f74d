import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { amountIn } from "../../src/kit/money-text.ts";
import { dayIn, meantBy } from "../../src/operate/find-meaning.ts";
import { compareClaim } from "../../src/operate/invoice-evidence.ts";
import { expectCheap } from "../support/expect-cheap.ts";

describe("what a search means", () => {
  const TODAY = "2026-11-24";
  const meant = (text: string) => meantBy(text, TODAY);

  it("is told by how it looks", () => {
    const id = randomUUID();
    expect(meant(` ${id.toUpperCase()} `)).toEqual([{ id }]);
    expect(meant("ada@example.com")).toEqual([{ email: "ada@example.com" }]);
    expect(meant("2026-11-01")).toEqual([{ from: "2026-11-01", to: "2026-11-01" }]);
    expect(meant("2026-13-41")).toEqual([{ reference: "2026-13-41" }]);
    expect(meant("1,500.50")).toEqual([{ reference: "1,500.50" }, { amount: "1500.50" }]);
    expect(meant("NGN 40,645.00")).toEqual([{ reference: "NGN 40,645.00" }, { amount: "40645.00" }]);
    expect(meant("order 7")).toEqual([{ reference: "order 7" }, { payer: "order 7" }]);
    expect(meant("af308019…")).toEqual([
      { idPrefix: "af308019…" },
      { reference: "af308019…" },
      { payer: "af308019…" },
    ]);
    expect(meant("24 Nov")).toEqual([{ reference: "24 Nov" }, { from: TODAY, to: TODAY }]);
    expect(meant("  ")).toEqual([{}]);
  });

  it.each([
    ["24/11/2026", TODAY],
    ["24.11.2026", TODAY],
    ["24 November 2026", TODAY],
    ["Nov 24, 2026", TODAY],
    ["24th nov", TODAY],
    ["25 Nov", "2025-11-25"],
    ["today", TODAY],
    ["yesterday", "2026-11-23"],
    ["31/11/2026", null],
    ["24 Noon 2026", null],
    ["order 7", null],
  ])("a day as people write it: %s", (text, day) => expect(dayIn(text, TODAY)).toBe(day));

  it.each([
    ["40645", "40645"],
    ["40,645.00", "40645.00"],
    ["40 645.5", "40645.5"],
    ["₦40,645", "40645"],
    ["N40,645.00", "40645.00"],
    ["40645 NGN", "40645"],
    ["40.645,00", "40645.00"],
    ["NGN 1.240.645,50", "1240645.50"],
    ["40645,00", "40645.00"],
  ])("an amount as people write it: %s", (text, digits) => expect(amountIn(text)).toBe(digits));

  it.each(["1,5", "40,645,00", "40.645,0", "much", "-5", "NGN", "1.2.3", "INV40645"])(
    "no amount: %s",
    (text) => expect(amountIn(text)).toBeNull(),
  );
});

describe("a claim beside an answer", () => {
  const ID = randomUUID();
  const same = (claim: string, answer: object) =>
    compareClaim(claim, JSON.stringify(answer), ID).map((one) => one.same);

  it("compares amounts as numbers, to the last digit, times as moments, and words without case", () => {
    expect(same('{"amount":1500.5}', { amount: "1500.50" })).toEqual([true]);
    expect(same('{"amount":90071992547409931.01}', { amount: "90071992547409931.02" })).toEqual([false]);
    expect(
      same('{"a":{"dateCreated":"2026-11-01T10:00:00+01:00"}}', { dateCreated: "2026-11-01T09:00:00Z" }),
    ).toEqual([true]);
    expect(same("status=paid&x=1", { invoiceStatus: "Paid" })).toEqual([true, null]);
  });

  it("takes no longer for an amount of zeros, or for many fields of one name (G12)", () => {
    const zeros = `0.${"0".repeat(32_600)}1`;
    const names = Array.from({ length: 100 }, (_, n) => `"${"_".repeat(n)}title":"x"`).join();
    const title = `/callbacks/${"/callbacks/a%2f".repeat(2_000)}`;
    for (const [claim, answer] of [
      [`{"id":"${ID}","amount":${zeros}}`, { id: ID, amount: "0.5" }],
      [`{"id":"${ID}",${names}}`, { id: ID, title }],
    ] as const)
      expectCheap(() => compareClaim(claim, JSON.stringify(answer), ID), 0.7);
    expect(same(`{"id":"${ID}","amount":${zeros}}`, { id: ID, amount: "0.5" })).toEqual([true, false]);
  });

  it("compares nothing of what is no document, is huge, or nests without end", () => {
    expect(compareClaim("hello", "{}", ID)).toEqual([]);
    expect(compareClaim(`{"a":"${"x".repeat(300_000)}"}`, "{}", ID)).toEqual([]);
    expect(compareClaim("[".repeat(20_000), "{}", ID)).toEqual([]);
    expect(compareClaim(`{"a":${"[".repeat(50)}1${"]".repeat(50)}}`, "{}", ID)).toEqual([]);
    expect(
      compareClaim(
        JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))),
        "{}",
        ID,
      ),
    ).toHaveLength(100);
  });

  describe("of a shape that providers use, with nothing false in it, shows no difference", () => {
    const invoice = {
      id: ID,
      collectionId: randomUUID(),
      amount: 40_000,
      totalAmount: 40_400,
      type: "Live",
      status: "Paid",
      paymentDate: "2026-11-01T10:00:00Z",
      billerMetaData: { type: "tuition", id: "7" },
      invoiceBeneficiaries: [{ linkedAccountId: "a", amount: 20_000 }],
      callBackUrl: "https://relay.example.com/callbacks/***/order-9",
    };
    const sent = { ...invoice, callBackUrl: invoice.callBackUrl.replace("***", "token-of-the-relay-0123") };
    const other = { id: randomUUID(), status: "Unpaid", amount: 1 };
    const form = `data=${encodeURIComponent(JSON.stringify(sent))}`;
    it.each([
      [
        "documented",
        { id: randomUUID(), event: "payment.successful", createdAt: "2026-11-01", data: sent },
        12,
      ],
      ["bare", { id: ID, status: "Paid" }, 2],
      ["envelope", { status: "success", data: { id: ID, invoiceStatus: "Paid" } }, 2],
      ["form", `id=${ID}`, 1],
      ["JSON in a form", form, 12],
      ["several at once", { events: [{ data: other }, { data: sent }] }, 12],
      ["a bare array", [other, sent], 12],
      ["other casing", { Event: "paid", Data: { Id: ID.toUpperCase(), Status: "PAID" } }, 2],
      ["id under another name", { id: randomUUID(), invoice: ID, status: "Paid" }, 1],
    ])("%s", (_name, body, count) => {
      const claim = typeof body === "string" ? body : JSON.stringify(body);
      for (const answer of [invoice, { status: "success", data: invoice }]) {
        const compared = compareClaim(claim, JSON.stringify(answer), ID);
        expect(compared.filter(({ same }) => same === false)).toEqual([]);
        expect(compared.filter(({ same }) => same)).toHaveLength(count);
      }
    });

    it("and a lie in it does", () => {
      const claim = JSON.stringify({
        id: randomUUID(),
        data: { ...sent, amount: 1, callBackUrl: "https://x.example/" },
      });
      const compared = compareClaim(claim, JSON.stringify(invoice), ID);
      expect(compared.filter(({ same }) => same === false).map(({ field }) => field)).toEqual([
        "data.amount",
        "data.callBackUrl",
      ]);
    });
  });
});
