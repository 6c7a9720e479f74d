import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith(".md")),
  ...["docs", "src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  ),
].filter((file) => file.endsWith(".md"));

/** The text without what stands in fenced code. */
const proseOf = (file: string) =>
  readFileSync(join(root, file), "utf8").replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");

const headingsOf = (file: string) =>
  [...proseOf(file).matchAll(/^(#{1,6}) +(.+?) *$/gm)].map(([, marks = "", title = ""]) => ({
    level: marks.length,
    title,
  }));

/** As GitHub makes it from a heading. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const linksOf = (file: string) =>
  [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);

/** Links of a document that lead nowhere. */
const brokenLinks = (file: string) =>
  linksOf(file)
    .filter((target) => !/^(https?|mailto):/.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#");
      const goal = path === "" ? join(root, file) : resolve(dirname(join(root, file)), path);
      if (!existsSync(goal)) return true;
      return (
        anchor !== undefined &&
        !headingsOf(relative(root, goal)).some(({ title }) => anchorOf(title) === anchor)
      );
    });

describe("the documents", () => {
  it("are all here", () => {
    expect(documents).toEqual(
      expect.arrayContaining([
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/architecture.md",
        "src/README.md",
      ]),
    );
    expect(documents.flatMap(linksOf).length).toBeGreaterThan(20);
  });

  it.each(documents)("%s: every link leads to a file and a heading that exist", (file) => {
    expect(brokenLinks(file)).toEqual([]);
  });

  it.each(documents.filter((file) => file.startsWith("docs/")))(
    "%s has one title, and no heading skips a level",
    (file) => {
      const levels = headingsOf(file).map(({ level }) => level);

      expect(levels[0]).toBe(1);
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
    },
  );

  it("in docs can all be reached from docs/README.md, their first page", () => {
    const reached = new Set<string>();
    const visit = (file: string) => {
      if (reached.has(file) || !file.endsWith(".md") || !existsSync(join(root, file))) return;
      reached.add(file);
      for (const target of linksOf(file))
        visit(relative(root, resolve(dirname(join(root, file)), target.split("#")[0] ?? "")));
    };
    visit("docs/README.md");

    expect(documents.filter((file) => file.startsWith("docs/") && !reached.has(file))).toEqual([]);
  });
});
