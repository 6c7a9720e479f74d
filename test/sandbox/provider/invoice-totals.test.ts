import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { invoiceTotals } from "../../../src/sandbox/provider/invoice-totals.ts";

const FEE = { percent: "1.5", flat: "0.00", cap: "2000.00", vatPercent: "7.5" };
/** Kobo as whole numbers: the test's own arithmetic, without a decimal library. */
const kobo = (amount: string) => BigInt(amount.replace(".", ""));
const written = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, "0")}`;

describe("an invoice's totals", () => {
  it.each([
    ["1500.50", "22.51", "1.69", "1524.70"],
    ["40000.00", "600.00", "45.00", "40645.00"],
    ["185000.00", "2000.00", "150.00", "187150.00"],
    ["0.01", "0.00", "0.00", "0.01"],
    ["9999999999999999.99", "2000.00", "150.00", "10000000000002149.99"],
  ])("for %s the fee is %s, its VAT %s, the total %s", (amount, serviceCharge, vat, totalAmount) => {
    expect(invoiceTotals(amount, FEE, "Payer")).toEqual({
      amount,
      serviceCharge,
      vat,
      totalAmount,
      settleableAmount: amount,
    });
  });

  it("add up to the kobo, whoever bears the fee", () => {
    const cents = fc.bigInt({ min: 1n, max: 999_999_999_999_999_999n });
    const percent = fc.integer({ min: 0, max: 9_999 }).map((hundredths) => String(hundredths / 100));
    const fee = fc.record({
      percent,
      vatPercent: percent,
      flat: fc.bigInt({ min: 0n, max: 100_000n }).map(written),
      cap: fc.option(fc.bigInt({ min: 0n, max: 1_000_000n }).map(written)),
    });
    fc.assert(
      fc.property(cents, fee, (amount, terms) => {
        const payer = invoiceTotals(written(amount), terms, "Payer");
        expect(kobo(payer.totalAmount)).toBe(
          kobo(payer.amount) + kobo(payer.serviceCharge) + kobo(payer.vat),
        );
        expect(kobo(payer.settleableAmount)).toBe(amount);
        const merchant = invoiceTotals(written(amount), terms, "Merchant");
        expect(kobo(merchant.totalAmount)).toBe(amount);
        if (terms.cap !== null) expect(kobo(payer.serviceCharge)).toBeLessThanOrEqual(kobo(terms.cap));
      }),
    );
  });
});
