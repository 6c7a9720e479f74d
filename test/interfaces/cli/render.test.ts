import { it } from "vitest";
import { resultText } from "../../../src/interfaces/cli/render.ts";
import {
  count,
  id,
  listOf,
  money,
  type Rows,
  text,
  time,
  type View,
} from "../../../src/operations/views/view.ts";
import { expectGolden } from "../../support/golden.ts";

interface Row {
  id: string;
  source: string;
  amount: string | null;
  at: Date;
  tries: number;
  why: string | null;
}

const ROWS: Rows<Row> = {
  one: "thing",
  id: id("Id", "id", { of: "invoice" }),
  columns: [
    money("Total", "amount"),
    time("At", "at"),
    count("Tries", "tries", { note: ({ tries }) => (tries > 1 ? "too many" : null) }),
    text("Why", "why"),
  ],
  none: "None.",
};
const VIEW: View<{ items: Row[] }> = { lists: [listOf("items", ROWS)] };

const row = (given: Partial<Row>): Row => ({
  ...{ id: "one", source: "default", amount: "1500.50", at: new Date(0), tries: 1, why: null },
  ...given,
});
const ITEMS = [row({}), row({ id: "two", amount: null, tries: 1_200 })];

it("a list is a table, and a sentence when empty", async () => {
  const rendered = (items: Row[]) =>
    resultText({ items }, VIEW, { currencyOf: () => "NGN", isFiltered: false });
  await expectGolden("render", [rendered(ITEMS), rendered([])].join("\n\n----\n\n"));
});
