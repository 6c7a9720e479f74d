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

/** Statements that are executed where they are written, so that no list of statements has them. */
const unlisted = (text: string): string[] => {
  const made = [...text.matchAll(/\bquery\(/g)].map(({ index, 0: { length } }) => ({
    from: index,
    to: endOfCall(text, index + length),
  }));
  return [
    ...[...text.matchAll(/\bsql(?:<[^`]*?>)?`/g)]
      .filter(({ 0: tag, index }) =>
        /^\)*\s*\.execute/.test(text.slice(endOfTemplate(text, index + tag.length - 1) + 1)),
      )
      .map(({ 0: tag }) => tag),
    ...[...text.matchAll(/\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\("\w+"/g)]
      .filter(({ index }) => !made.some(({ from, to }) => from < index && index < to))
      .map(([call]) => call),
  ];
};

function endOfCall(text: string, start: number): number {
  for (let at = start, open = 1; at < text.length; at++) {
    if (text[at] === "`") at = endOfTemplate(text, at);
    if (text[at] === "(") open += 1;
    if (text[at] === ")") open -= 1;
    if (open === 0) return at;
  }
  throw new Error("a call has no end");
}

/** Expressions whose type is only said, and conditions that are selected. */
const untyped = (text: string): string[] =>
  [...text.matchAll(/\bsql<([^`]*)>`/g)].flatMap(({ 0: tag, 1: type, index }) => {
    const isCondition = type === "boolean" || type === "SqlBool";
    const isSelected = text.startsWith(".as(", endOfTemplate(text, index + tag.length - 1) + 1);
    return isCondition && !isSelected ? [] : [tag.slice(0, -1)];
  });

describe("a statement", () => {
  it("is made by Statement, VaryingStatement, command or query, which list it for docs/statements.sql", () => {
    const found = sources
      .filter(({ file }) => !file.includes("sandbox/"))
      .flatMap(({ file, text }) => unlisted(text).map((what) => `${file}: ${what}`));
    // Of the tool that runs migrations, as it made the table.
    expect(found).toEqual(['platform/database/migrate.ts: .selectFrom("kysely_migration"']);
  });

  it("as a part of the builder's has its type by a cast (typed), but for conditions, which Postgres holds to be such", () => {
    const said = sources.flatMap(({ file, text }) => untyped(text).map((what) => `${file}: ${what}`));
    expect(said).toEqual(["platform/database/statement.ts: sql<Value>"]);
  });
});
