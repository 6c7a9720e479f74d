import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { amountIn } from "../../src/kit/text.ts";
import { dayIn, meantBy } from "../../src/operate/find-invoices.ts";

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
