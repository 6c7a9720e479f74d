import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { meantBy } from "../../src/console/admin-api/read-search.ts";
import { compareClaim } from "../../src/console/compare-claim.ts";

describe("what a search means", () => {
  it("is told by how it looks", () => {
    const id = randomUUID();
    expect(meantBy(` ${id.toUpperCase()} `)).toEqual([{ id }]);
    expect(meantBy("ada@example.com")).toEqual([{ email: "ada@example.com" }]);
    expect(meantBy("2026-11-01")).toEqual([{ from: "2026-11-01", to: "2026-11-01" }]);
    expect(meantBy("2026-13-41")).toEqual([{ reference: "2026-13-41" }]);
    expect(meantBy("1,500.50")).toEqual([{ reference: "1,500.50" }, { amount: "1500.50" }]);
    expect(meantBy("order 7")).toEqual([{ reference: "order 7" }]);
    expect(meantBy("  ")).toEqual([{}]);
  });
});

describe("a claim beside an answer", () => {
  const same = (claim: string, answer: object) =>
    compareClaim(claim, JSON.stringify(answer)).map((one) => one.same);

  it("compares amounts as numbers, to the last digit, times as moments, and words without case", () => {
    expect(same('{"amount":1500.5}', { amount: "1500.50" })).toEqual([true]);
    expect(same('{"amount":90071992547409931.01}', { amount: "90071992547409931.02" })).toEqual([false]);
    expect(
      same('{"a":{"dateCreated":"2026-11-01T10:00:00+01:00"}}', { dateCreated: "2026-11-01T09:00:00Z" }),
    ).toEqual([true]);
    expect(same("status=paid&x=1", { invoiceStatus: "Paid" })).toEqual([true, null]);
  });

  it("compares an invoice's own fields, not its envelope's, and shows no secret that the answer hides", () => {
    const answer = {
      data: { id: "a-1", status: "Paid", callBackUrl: "https://relay/callbacks/***/order-1" },
    };
    const claim = {
      id: "delivery-9",
      data: { id: "a-1", status: "Paid", callBackUrl: "https://relay/callbacks/secret/order-1" },
    };
    const compared = compareClaim(JSON.stringify(claim), JSON.stringify(answer));
    expect(compared.map((one) => one.same)).toEqual([null, true, true, true]);
    expect(JSON.stringify(compared)).not.toContain("secret");
    claim.data.callBackUrl = "https://elsewhere/";
    expect(compareClaim(JSON.stringify(claim), JSON.stringify(answer)).at(-1)?.same).toBe(false);
  });

  it("compares nothing of what is no document, is huge, or nests without end", () => {
    expect(compareClaim("hello", "{}")).toEqual([]);
    expect(compareClaim(`{"a":"${"x".repeat(300_000)}"}`, "{}")).toEqual([]);
    expect(compareClaim("[".repeat(20_000), "{}")).toEqual([]);
    expect(compareClaim(`{"a":${"[".repeat(50)}1${"]".repeat(50)}}`, "{}")).toEqual([]);
    expect(
      compareClaim(
        JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))),
        "{}",
      ),
    ).toHaveLength(100);
  });
});
