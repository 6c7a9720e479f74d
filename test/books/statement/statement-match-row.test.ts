import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import type { BookSource } from "../../../src/books/book-source.ts";
import {
  insertStatementMatch,
  newestMatchOf,
  readStatementMatch,
} from "../../../src/books/statement/statement-match-row.ts";
import { connect } from "../../../src/database/connect.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { surroundings } from "../../support/relay.ts";
import { addPayments } from "../add-payments.ts";

const OCTOBER = { from: "2026-10-01", to: "2026-10-31" };
const MAPPING = { delimiter: ",", columns: ["Date", "Amount"], date: "Date", amount: "Amount", debit: null };

it("a month is covered by one statement of the source, or by one of every collection with payments in it", async () => {
  const { query, databaseUrl } = await surroundings();
  const { db, close } = connect(new Secret(databaseUrl), { max: 1 });
  onTestFinished(close);
  await addPayments(
    query,
    ["Shop", "School"].map((collection) => ({ collection, amount: "5", paidAt: "2026-10-09T10:00:00Z" })),
  );
  const source: BookSource = {
    name: "default",
    zone: "Africa/Lagos",
    currency: "NGN",
    collectionIds: [],
    paidStatuses: ["Paid"],
  };
  const add = async (collection: string | null, clean: boolean, days = OCTOBER) => {
    const id = randomUUID();
    await insertStatementMatch(
      db,
      {
        ...{ id, collection, clean, ...days, source: "default", madeBy: "cli:ada", days: null },
        ...{ timeZone: source.zone, currency: "NGN", keepDuplicates: false },
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
      500,
    );
    return id;
  };
  const newest = async () => {
    const found = await newestMatchOf(db, source, OCTOBER);
    return found && { clean: found.clean, ids: found.matches.map(({ id }) => id) };
  };

  expect(await newest()).toBeNull();
  await add(null, true, { from: "2026-10-02", to: "2026-10-31" });
  expect(await newest()).toBeNull();
  const shop = await add("Shop", true);
  expect(await newest()).toBeNull();
  const school = await add("School", true, { from: "2026-09-01", to: "2026-11-30" });
  expect(await newest()).toEqual({ clean: true, ids: [school, shop] });
  const whole = await add(null, false);
  expect(await newest()).toEqual({ clean: false, ids: [whole] });
  const again = await add(null, true);
  expect(await newest()).toEqual({ clean: true, ids: [again] });

  expect(await readStatementMatch(db, whole)).toMatchObject({ fileName: "october.csv", from: "2026-10-01" });
});
