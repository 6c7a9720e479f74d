import { describe, it } from "vitest";
import { honestListsAreEqual, noListFoolsTheCertificate } from "../reconcile/hostile-lists.ts";
import { howMany } from "./how-many.ts";

const LISTS = howMany(400, 2_000);

describe(`${LISTS} lists of every kind`, () => {
  it("never certify an unpublished payment away that some table or page shows (G10)", async () => {
    await noListFoolsTheCertificate(LISTS);
  }, 3_600_000);

  it("of an honest provider are certified as equal, whichever freedom of the interface it uses", async () => {
    await honestListsAreEqual(LISTS);
  }, 3_600_000);
});
