import { expect, it } from "vitest";
import { csvText } from "../../../src/console/pages/parts/csv.ts";

it("a table is saved by RFC 4180, and nothing in it is a formula", () => {
  const rows = [
    { reference: "order-1", totalAmount: "-1500.50" },
    { reference: 'a "quoted", one;', totalAmount: "0.00" },
    { reference: "=1+1", totalAmount: "1" },
    { reference: null, totalAmount: "2" },
    { reference: "two\r\nlines", totalAmount: "3" },
  ];
  expect(csvText(rows).split("\r\n")).toEqual([
    "reference,total_amount",
    "order-1,-1500.50",
    '"a ""quoted"", one;",0.00',
    "'=1+1,1",
    ",2",
    "two\uFFFD\uFFFDlines,3",
    "",
  ]);
});
