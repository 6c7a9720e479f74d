import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { CommandContext } from "../../src/cli/command-context.ts";
import { createProgram } from "../../src/cli/program.ts";

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(resolve(root, "README.md"), "utf8");
const manifest: Record<"scripts" | "dependencies" | "devDependencies", Record<string, string>> = JSON.parse(
  readFileSync(resolve(root, "package.json"), "utf8"),
);

const silent = { write: () => true };
const program = createProgram(
  new CommandContext({ environment: {}, stdout: silent, stderr: silent, signals: process }),
);
const commands = new Map(program.commands.map((command) => [command.name(), command]));

describe("the README", () => {
  it("calls only npm scripts that exist", () => {
    const called = [...readme.matchAll(/npm (?:run (?:--silent )?)?(start|test|[a-z:]+)/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !["run", "ci"].includes(name));
    expect(called.length).toBeGreaterThan(5);
    for (const name of called) expect(Object.keys(manifest.scripts)).toContain(name);
  });

  it("shows only command lines that the program takes", () => {
    const lines = [...readme.matchAll(/npm run --silent relay -- (--settings \.env .*)/g)].map(
      ([, line = ""]) => line,
    );
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      const [option, file, name = "", ...words] = line.trim().split(/\s+/);
      expect([option, file]).toEqual(["--settings", ".env"]);
      const options = commands.get(name)?.options.map(({ long }) => long);
      expect(options, name).toBeDefined();
      for (const word of words.filter((one) => one.startsWith("--"))) expect(options).toContain(word);
    }
  });

  it("makes a second invoice with options that there are, in a collection that the stand-in has", () => {
    const [, words = ""] = /settings\.env api create-invoice ([^`]*)```/.exec(readme) ?? [];
    const create = commands.get("api")?.commands.find((one) => one.name() === "create-invoice");
    const options = create?.options.map(({ long }) => long);
    const given = words.match(/--[a-z-]+/g) ?? [];
    expect(given.length).toBeGreaterThan(4);
    for (const option of given) expect(options).toContain(option);
    const [, collection = ""] = /--collection-id (\S+)/.exec(words) ?? [];
    const seed = readFileSync(resolve(root, "src/sandbox/provider/seed.json"), "utf8");
    expect(seed).toContain(`"${collection}"`);
  });

  it("lists the commands that there are", () => {
    const section = readme.slice(readme.indexOf("## Commands"), readme.indexOf("## Where"));
    const rows = section.split("\n").map((line) => line.split("|")[1] ?? "");
    const listed = rows.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)[` ]/g)].map(([, name]) => name));
    expect(listed.sort()).toEqual([...commands.keys()].sort());
  });

  it.each(["README.md", "docs/settings.md", "docs/decisions.md"])(
    "%s links to files that are there",
    (file) => {
      const text = readFileSync(resolve(root, file), "utf8");
      const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = ""]) => link);
      for (const link of links.filter((one) => !/^https?:/.test(one)))
        expect(existsSync(resolve(root, dirname(file), link)), link).toBe(true);
    },
  );
});

describe("docs/decisions.md", () => {
  const decisions = readFileSync(resolve(root, "docs/decisions.md"), "utf8");
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });

  it.each(names.filter((name) => !name.startsWith("@types/")))("says why %s is there", (name) => {
    expect(decisions).toMatch(new RegExp(`^\\|[^|]*\`${name}\`[^|]*\\| .{10,} \\|$`, "m"));
  });
});
