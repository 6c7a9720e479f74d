import { describe, expect, it } from "vitest";
import { type Cell, sheet, table } from "../../src/cli/table.ts";
import { money, moneyIn } from "../../src/kit/money-text.ts";

/** Of rows as lists. */
const tableOf = (header: readonly string[], rows: readonly (readonly Cell[])[], width?: number) =>
  table(
    rows,
    header.map((name, at) => [name, (row) => row[at]]),
    width,
  );

describe("a table", () => {
  it("aligns its columns, numbers to the right, and shows what is missing", () => {
    expect(
      tableOf(
        ["invoice", "callbacks", "state"],
        [
          ["a", 12_345, "paid"],
          ["longer", 7, null],
        ],
      ),
    ).toBe(["invoice  callbacks  state", "a           12,345  paid", "longer           7  -"].join("\n"));
  });

  it("aligns what is wider than its characters, and what is narrower", () => {
    expect(
      tableOf(
        ["payer", "paid"],
        [
          ["山田太郎", 1],
          ["👍", 20],
          ["e\u0301", 300],
        ],
      ),
    ).toBe(["payer     paid", "山田太郎     1", "👍          20", "e\u0301          300"].join("\n"));
    expect(
      sheet([
        ["né\u0301", "a"],
        ["名前", "b"],
      ]),
    ).toEqual(["  né\u0301    a", "  名前  b"]);
  });

  it("has its header when there is nothing in it", () => {
    expect(tableOf(["invoice", "state"], [])).toBe("invoice  state");
  });

  it("lets no text of strangers steer the terminal or break a row", () => {
    expect(tableOf(["title"], [["a\u001B[31m\nb\u202Ec"]])).toBe("title\na\uFFFD[31m\uFFFDb\uFFFDc");
  });

  const header = ["invoice", "total", "status", "paid"];
  const paid = new Date("2026-11-24T18:22:29.399Z");
  const rows = ["a", "b"].map((one, at) => [
    one.repeat(36),
    money(at === 0 ? "2032.25" : "99.50"),
    "Paid",
    paid,
  ]);

  it("writes money one way, to the right", () => {
    expect(money("1234567.1234")).toBe("1,234,567.1234");
    expect(moneyIn("NGN", "-1524.70")).toBe("NGN -1,524.70");
    expect(tableOf(["total"], [["1,002,149.99"], ["99.50"], [null]])).toBe(
      ["       total", "1,002,149.99", "       99.50", "           -"].join("\n"),
    );
  });

  it("that is wider than the terminal says once what each row says", () => {
    expect(tableOf(header, rows, 60)).toBe(
      [
        "invoice                                  total",
        `${"a".repeat(36)}  2,032.25`,
        `${"b".repeat(36)}     99.50`,
        "",
        "In every row: status Paid, paid 2026-11-24 18:22:29Z",
      ].join("\n"),
    );
  });

  it("is a card for each row where even that is too wide", () => {
    const two = rows.map((row, at) => [...row.slice(0, 2), at === 0 ? "Paid" : null, "x".repeat(36)]);
    expect(tableOf(["invoice", "total", "status", "event"], two, 40)).toBe(
      [
        "a".repeat(36),
        "  total   2,032.25",
        "  status  Paid",
        "b".repeat(36),
        "  total   99.50",
        "",
        "In every row: event",
        "x".repeat(36),
      ].join("\n"),
    );
  });

  it("breaks what is longer than the terminal between words, and no word", () => {
    const error = "it answered 500 to every single request of the last hour";
    const long = rows.map((row, at) => [row[0], at === 0 ? error : "-", ...Array(4).fill("the same again")]);
    const shown = tableOf(["invoice", "error", "reference", "collection", "source", "title"], long, 40);
    expect(shown.split("\n").filter((line) => line.length > 40)).toEqual([]);
    const said = shown.replaceAll(/\s+/g, " ");
    expect(said).toContain(error);
    expect(said).toMatch(/In every row: reference the same again, .* title the same again$/);
  });
});
