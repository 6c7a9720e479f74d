import { expect, it } from "vitest";
import { scanForUuids } from "../../../src/receive/reading/scan-for-uuids.ts";

const id = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;

it("a document is walked from its beginning, keys as well as values", () => {
  const document = { a: [id(1), { [id(2)]: "b" }], c: `see ${id(3)} ${id(1)}`, d: [null, true, 4] };
  expect(scanForUuids(document)).toEqual([id(1), id(2), id(3)]);
});

it("as many are taken as the limit says", () => {
  const all = [1, 1, 2, 3, 4, 5, 6].map(id);
  for (const document of [all, all.join(" ")])
    expect(scanForUuids(document, new Set(), 5)).toEqual([1, 2, 3, 4, 5].map(id));
});

it("what is known, or stands under a key that is never an invoice's, is left out", () => {
  const document = { merchant_id: { deep: [id(1)] }, "Correlation-Id": id(2), a: id(3), tokens: id(4) };
  expect(scanForUuids(document, new Set([id(3)]))).toEqual([id(4)]);
});
