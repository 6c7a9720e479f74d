import { describe, expect, it } from "vitest";
import { sources } from "./sources.ts";

/** Where a template ends that begins with the backtick at `start`. */
function endOfTemplate(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") return at;
    else if (text.startsWith("${", at)) at = endOfHole(text, at + 2);
  }
  throw new Error("a template has no end");
}

function endOfHole(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "}") return at;
    if (text[at] === "{") at = endOfHole(text, at + 1);
    if (text[at] === "`") at = endOfTemplate(text, at);
  }
  throw new Error("a hole in a template has no end");
}

/** The rows' types of the statements that are executed as they are written, declared nowhere. */
const undeclared = (text: string): string[] =>
  [...text.matchAll(/\bsql<([^`]*)>`/g)]
    .filter(({ 0: tag, index }) => {
      const end = endOfTemplate(text, index + tag.length - 1);
      return /^\s*\.execute\(/.test(text.slice(end + 1));
    })
    .map(([, type = ""]) => type);

/** Expressions whose type is only said, and conditions that are selected. */
const untyped = (text: string): string[] =>
  [...text.matchAll(/\bsql<([^`]*)>`/g)].flatMap(({ 0: tag, 1: type, index }) => {
    const isCondition = type === "boolean" || type === "SqlBool";
    const isSelected = text.startsWith(".as(", endOfTemplate(text, index + tag.length - 1) + 1);
    return isCondition && !isSelected ? [] : [tag.slice(0, -1)];
  });

describe("a statement that returns rows", () => {
  it("declares its columns, for the test that prepares it (Statement, VaryingStatement)", () => {
    const found = sources.flatMap(({ file, text }) =>
      undeclared(text).map((type) => `${file}: sql<${type}>`),
    );
    expect(found).toEqual([]);
  });

  it("as a part of the builder's has its type by a cast (typed), but for conditions, which Postgres holds to be such", () => {
    const said = sources.flatMap(({ file, text }) => untyped(text).map((what) => `${file}: ${what}`));
    expect(said).toEqual(["database/statement.ts: sql<Value>"]);
  });
});
