import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dayIn, selectedBy } from "../../src/operations/find.ts";
import { amountIn } from "../../src/platform/values/text.ts";

describe("what a search means", () => {
  const TODAY = "2026-11-24";
  const id = randomUUID();
  it.each([
    [` ${id.toUpperCase()} `, [{ id }]],
    ["ada@example.com", [{ email: "ada@example.com" }]],
    ["2026-11-01", [{ from: "2026-11-01", to: "2026-11-01" }]],
    ["2026-13-41", [{ reference: "2026-13-41" }]],
    ["1,500.50", [{ reference: "1,500.50" }, { amount: "1500.50" }]],
    ["NGN 40,645.00", [{ reference: "NGN 40,645.00" }, { amount: "40645.00" }]],
    ["order 7", [{ reference: "order 7" }, { payer: "order 7" }]],
    ["af308019…", [{ idPrefix: "af308019…" }, { reference: "af308019…" }, { payer: "af308019…" }]],
    ["24 Nov", [{ reference: "24 Nov" }, { from: TODAY, to: TODAY }]],
    ["  ", [{}]],
  ])("is told by how it looks: %j", (text, meant) => expect(selectedBy(text, TODAY)).toEqual(meant));

  it.each([
    [TODAY, "24/11/2026|24.11.2026|24 November 2026|Nov 24, 2026|24th nov|today"],
    ["2025-11-25", "25 Nov"],
    ["2026-11-23", "yesterday"],
    [null, "31/11/2026|24 Noon 2026|order 7"],
  ])("the day %s as people write it: %s", (day, texts) => {
    for (const text of texts.split("|")) expect(dayIn(text, TODAY), text).toBe(day);
  });

  it.each([
    ["40645", "40645|₦40,645|40645 NGN"],
    ["40645.00", "40,645.00|N40,645.00|40.645,00|40645,00"],
    ["40645.5", "40 645.5"],
    ["1240645.50", "NGN 1.240.645,50"],
    [null, "1,5|40,645,00|40.645,0|much|-5|NGN|1.2.3|INV40645"],
  ])("the amount %s as people write it: %s", (digits, texts) => {
    for (const text of texts.split("|")) expect(amountIn(text), text).toBe(digits);
  });
});
