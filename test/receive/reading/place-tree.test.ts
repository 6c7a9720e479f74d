import { expect, it } from "vitest";
import { branchNamed, PLACE_TREE, TREE_PLACES } from "../../../src/receive/reading/find-in-places.ts";

const placeOf = (...keys: string[]) => {
  let branch: typeof PLACE_TREE | undefined = PLACE_TREE;
  for (const key of keys) branch = branch && branchNamed(branch, key);
  const rank = branch?.rank ?? null;
  return rank === null ? undefined : TREE_PLACES[rank];
};

it.each([
  ["as listed", ["data", "invoiceId"], "data.invoiceId"],
  ["in capitals", ["DATA", "INVOICEID"], "data.invoiceId"],
  ["with separators", ["Data", "invoice_id"], "data.invoiceId"],
  ["with two separators", ["d_at-a", "id"], "data.id"],
])("a key is known %s", (_how, keys, path) => {
  expect(placeOf(...keys)).toEqual({ path, isCallback: false });
});

it("what stands at a place written with a star is a callback", () => {
  expect(placeOf("payload")).toEqual({ path: "payload", isCallback: true });
});

it.each(["", "d", "dat", "datum", "datas", "d_a_t_a", "__proto__", "ideas"])(
  "%j is no key of a place",
  (key) => {
    expect(branchNamed(PLACE_TREE, key)).toBeUndefined();
  },
);
