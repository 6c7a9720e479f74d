import { expect, it } from "vitest";
import { scanForUuids } from "../../../src/receive/reading/find-in-places.ts";

const id = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;

it("a document is walked from its beginning, keys as well as values", () => {
  const document = { a: [id(1), { [id(2)]: "b" }], c: `see ${id(3)} ${id(1)}`, d: [null, true, 4] };
  expect(scanForUuids(document)).toEqual([id(1), id(2), id(3)]);
});

it("what stands under a key that is never an invoice's is left out", () => {
  const document = { merchant_id: { deep: [id(1)] }, "Correlation-Id": id(2), tokens: id(4) };
  expect(scanForUuids(document)).toEqual([id(4)]);
});
