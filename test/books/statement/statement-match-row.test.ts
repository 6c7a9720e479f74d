import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import {
  insertStatementMatch,
  listStatementMatches,
  newestMatchesOf,
} from "../../../src/books/statement/statement-match-row.ts";
import { connect } from "../../../src/database/connect.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { surroundings } from "../../support/relay.ts";

const OCTOBER = { from: "2026-10-01", to: "2026-10-31" };
const SOURCE = {
  name: "default",
  zone: "Africa/Lagos",
  currency: "NGN",
  collectionIds: [],
  paidStatuses: [],
};
const MAPPING = { delimiter: ",", columns: ["Date", "Amount"], date: "Date", amount: "Amount", debit: null };

it("a month is covered by one statement of the source, or by one of every collection with payments in it", async () => {
  const { databaseUrl } = await surroundings();
  const { db, close } = connect(new Secret(databaseUrl), { max: 1 });
  onTestFinished(close);
  const add = async (collection: string | null, clean: boolean, days = OCTOBER) => {
    const id = randomUUID();
    await insertStatementMatch(
      db,
      {
        ...{ id, collection, clean, ...days, source: "default", madeBy: "cli:ada", days: null },
        ...{ timeZone: "Africa/Lagos", currency: "NGN", keepDuplicates: false },
        ...{ fileName: "october.csv", fileSha256: "0".repeat(64), resultSha256: "0".repeat(64) },
        mapping: { ...MAPPING, decimal: ".", dateOrder: "DMY", only: null },
        figures: {
          states: [],
          others: { count: 0, amount: "0.00" },
          undated: 0,
          outside: 0,
          withoutAmount: 0,
        },
      },
      [],
    );
    return id;
  };
  const newest = async () =>
    (await newestMatchesOf(db, SOURCE, { ...OCTOBER, collections: ["Shop", "School"] })).map(({ id }) => id);

  expect(await newest()).toEqual([]);
  await add(null, true, { from: "2026-10-02", to: "2026-10-31" });
  expect(await newest()).toEqual([]);
  const shop = await add("Shop", true);
  expect(await newest()).toEqual([]);
  const school = await add("School", true, { from: "2026-09-01", to: "2026-11-30" });
  expect(await newest()).toEqual([school, shop]);
  const whole = await add(null, false);
  expect(await newest()).toEqual([whole]);
  const again = await add(null, true);
  expect(await newest()).toEqual([again]);

  expect(await listStatementMatches(db, { id: whole }, 1)).toMatchObject([
    { fileName: "october.csv", from: "2026-10-01" },
  ]);
});
