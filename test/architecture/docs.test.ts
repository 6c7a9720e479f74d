import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith(".md")),
  ...["docs", "src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  ),
].filter((file) => file.endsWith(".md"));

/** The text without what stands in fenced code. */
const proseOf = (file: string) => read(file).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");

/** As GitHub makes them from headings. */
const anchorsOf = (file: string) =>
  [...proseOf(file).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

/** Links of a document that lead nowhere, and files of tests that it names and are not there. */
const wrongIn = (file: string) => [
  ...[...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^(https?|mailto):/.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#");
      const goal = path === "" ? join(root, file) : resolve(dirname(join(root, file)), path);
      return !existsSync(goal) || (anchor !== undefined && !anchorsOf(relative(root, goal)).includes(anchor));
    }),
  ...[...read(file).matchAll(/`((?:test|lab)\/[\w./-]+\.ts)`/g)]
    .map(([, path = ""]) => path)
    .filter((path) => !existsSync(join(root, path))),
  ...(file.startsWith("src/") ? namedBeside(file).filter(([, there]) => !there) : []).map(([path]) => path),
];

/** The files that a README of src names, by their path below its folder, and whether each is there. */
const namedBeside = (file: string): [path: string, there: boolean][] => {
  const below = readdirSync(join(root, dirname(file)), { recursive: true, encoding: "utf8" });
  return [...read(file).matchAll(/`((?:[\w-]+\/)*[\w-]+\.tsx?)`/g)].map(([, path = ""]) => [
    path,
    below.some((one) => one === path || one.endsWith(`/${path}`)),
  ]);
};

/** Sentences, headings and cells that hide their subject, and words that the glossary replaces. */
const hardToRead = (file: string) => {
  const text = proseOf(file)
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/`[^`\n]*`|"[^"\n]*"/g, "…");
  return [
    ...text.matchAll(
      /(?:^[\s>#*-]*|^\d+\. |\| |[.:!?]\*{0,2}\s+)(?:What|Those|One|Whoever|Whatever)\b.{0,60}/gm,
    ),
    ...text.matchAll(
      /.{0,30}\b(?:nobody|somebody|none (?:of|is|was|are|were|has|have|that|who|can))\b.{0,30}/gi,
    ),
    ...text.matchAll(
      /.{0,30}\b(?:ladders?|judge[sd]?|gives? back|given back|hand(?:s|ed)? over|surroundings)\b.{0,30}/gi,
    ),
  ].map(([found]) => found);
};

describe("the documents", () => {
  it.each(documents)("%s: every link, and every test it names, leads to what is there", (file) => {
    expect(wrongIn(file)).toEqual([]);
  });

  it.each(documents.filter((file) => !file.startsWith("src/")))(
    "%s: every sentence begins with its subject, in the glossary's words",
    (file) => {
      expect(hardToRead(file)).toEqual([]);
    },
  );

  it("say why each package is there", () => {
    const packages = ["package.json", "tools/package.json"].flatMap((file) => {
      const { dependencies, devDependencies } = JSON.parse(read(file));
      return Object.keys({ ...dependencies, ...devDependencies });
    });
    const reasons = read("docs/decisions.md");
    const said = (name: string) =>
      new RegExp(`^\\|[^|]*\`${name}\`[^|]*\\| .{10,} \\|$`, "m").test(reasons) || name.startsWith("@types/");
    expect(packages.filter((name) => !said(name))).toEqual([]);
  });

  it("call only npm scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const called = ["README.md", "CONTRIBUTING.md"].flatMap((file) =>
      [...read(file).matchAll(/npm (?:run (?:--silent )?)?(start|test|[a-z:-]+)/g)].map(
        ([, name = ""]) => name,
      ),
    );
    const ofNpm = ["run", "ci", "pack", "and"];
    expect(called.filter((name) => !(name in scripts) && !ofNpm.includes(name))).toEqual([]);
  });
});
