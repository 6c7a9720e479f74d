import { describe, expect, it } from "vitest";
import { findInPlaces } from "../../../src/receive/reading/find-in-places.ts";
import type { Json } from "../../../src/receive/reading/parse-json.ts";

const id = (n: number) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;
const ID = id(1);

describe("the first place that holds a UUID wins", () => {
  it.each<[string, Json, string]>([
    ["an invoice's name over an id beside it", { data: { id: id(2), invoiceId: ID } }, "data.invoiceId"],
    ["an id beside `data` that is null", { data: null, id: ID }, "id"],
    ["an id beside `data` that is text", { data: "paid", id: ID }, "id"],
    ["an envelope after an empty one", { data: { status: "paid" }, payload: { id: ID } }, "payload.id"],
    ["a list with gaps", { invoiceIds: [null, 5, ID] }, "invoiceIds"],
    ["a key in a second spelling", { id: "12", Id: ID }, "id"],
    ["a name as an object", { data: { invoice: { id: ID } } }, "data.invoice.id"],
  ])("%s", (_what, document, foundBy) => {
    expect(findInPlaces(document)).toEqual({ invoiceIds: [ID], foundBy });
  });

  it("all of that place, and of each callback of a batch", () => {
    expect(findInPlaces([{ data: { id: id(1) } }, { invoiceIds: [id(2), id(1)] }, id(3)])).toEqual({
      invoiceIds: [id(1), id(2), id(3)],
      foundBy: "[].data.id, [].invoiceIds, []",
    });
  });
});

describe("four callbacks or arrays may lie within each other", () => {
  const inCallbacks = (count: number): Json =>
    count === 0 ? { id: ID } : { payload: inCallbacks(count - 1) };
  const inArrays = (count: number): Json => (count === 0 ? { id: ID } : [inArrays(count - 1)]);

  it("callbacks", () => {
    expect(findInPlaces(inCallbacks(3))).toEqual({ invoiceIds: [ID], foundBy: "payload.payload.payload.id" });
    expect(findInPlaces(inCallbacks(4))).toBeNull();
  });

  it("arrays", () => {
    expect(findInPlaces(inArrays(3))).toEqual({ invoiceIds: [ID], foundBy: "[][][].id" });
    expect(findInPlaces(inArrays(4))).toBeNull();
  });
});

it("a hundred ids are taken", () => {
  const take = (count: number) => {
    const invoiceIds = Array.from({ length: count }, (_, index) => id(index + 1));
    return findInPlaces({ invoiceIds })?.invoiceIds;
  };
  expect(take(100)).toHaveLength(100);
  expect(take(101)).toEqual(take(100));
});
