import { describe, expect, it } from "vitest";
import { table } from "../../src/cli/terminal-text.ts";

describe("a table", () => {
  it("aligns its columns, numbers to the right, and shows what is missing", () => {
    expect(
      table(
        ["invoice", "callbacks", "state"],
        [
          ["a", 12_345, "paid"],
          ["longer", 7, null],
        ],
      ),
    ).toBe(["invoice  callbacks  state", "a           12,345  paid", "longer           7  -"].join("\n"));
  });

  it("has its header when there is nothing in it", () => {
    expect(table(["invoice", "state"], [])).toBe("invoice  state");
  });

  it("lets no text of strangers steer the terminal or break a row", () => {
    expect(table(["title"], [["a\u001B[31m\nb\u202Ec"]])).toBe("title\na\uFFFD[31m\uFFFDb\uFFFDc");
  });
});
