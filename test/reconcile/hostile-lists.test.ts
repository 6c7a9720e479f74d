import { describe, it } from "vitest";
import { honestListsAreEqual, noListFoolsTheCertificate } from "./hostile-lists.ts";

// More of the same kinds are in test/slow/in-numbers.test.ts.
describe("lists of every kind", () => {
  it("never certify an unpublished payment away that some table or page shows (G10)", async () => {
    await noListFoolsTheCertificate(60);
  });

  it("of an honest provider are certified as equal, whichever freedom of the interface it uses", async () => {
    await honestListsAreEqual(48);
  });
});
