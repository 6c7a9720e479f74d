import { CollectionClient } from "invoice-relay/collection-api";
import { describe, expect, it } from "vitest";
import * as entry from "../../src/collection-api/index.ts";

describe("the public entry", () => {
  it("is invoice-relay/collection-api", () => {
    expect(new CollectionClient({ baseUrl: "https://api.example.com", apiKey: "key" })).toBeDefined();
  });

  it("gives out the client, its error, and what reads its money and times", () => {
    expect(Object.keys(entry).sort()).toEqual([
      "CollectionApiError",
      "CollectionClient",
      "INVOICE_STATUSES",
      "INVOICE_TYPES",
      "compareMoney",
      "differenceOfMoney",
      "moneyOf",
      "operations",
      "sumOfMoney",
      "toUtc",
    ]);
  });
});
