import { describe, it } from "vitest";
import { honestListsAreEqual, noListFoolsTheCertificate } from "../reconcile/hostile-lists.ts";

describe("2,000 lists of every kind", () => {
  it("never certify an unpublished payment away that some table or page shows (G10)", async () => {
    await noListFoolsTheCertificate(2_000);
  }, 3_600_000);

  it("of an honest provider are certified as equal, whichever freedom of the interface it uses", async () => {
    await honestListsAreEqual(2_000);
  }, 3_600_000);
});
