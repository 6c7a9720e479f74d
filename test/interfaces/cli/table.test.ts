import { describe, expect, it } from "vitest";
import { type Cell, table } from "../../../src/interfaces/cli/table.ts";
import { money, moneyIn } from "../../../src/platform/values/text.ts";

/** Of rows as lists. */
const tableOf = (header: readonly string[], rows: readonly (readonly Cell[])[]) =>
  table(
    rows,
    header.map((name, at) => [name, (row) => row[at]]),
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

  it("has its header when there is nothing in it", () => {
    expect(tableOf(["invoice", "state"], [])).toBe("invoice  state");
  });

  it("lets no text of strangers steer the terminal or break a row", () => {
    expect(tableOf(["title"], [["a\u001B[31m\nb\u202Ec"]])).toBe("title\na\uFFFD[31m\uFFFDb\uFFFDc");
  });

  it("writes money one way, to the right", () => {
    expect(money("1234567.1234")).toBe("1,234,567.1234");
    expect(moneyIn("NGN", "-1524.70")).toBe("NGN -1,524.70");
    expect(tableOf(["total"], [["1,002,149.99"], ["99.50"], [null]])).toBe(
      ["       total", "1,002,149.99", "       99.50", "           -"].join("\n"),
    );
  });
});
