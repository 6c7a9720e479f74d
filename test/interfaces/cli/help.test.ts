import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/interfaces/cli/program.ts";
import { cliContext, runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { withInner } from "../../support/parse-command.ts";

const root = resolve(import.meta.dirname, "../../..");
const program = await createProgram(cliContext().context);

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
const commands = withInner(program);

/** Command lines that documents show: `invoice-relay …`, or in a checkout `npm run --silent relay -- …`. */
const shown = globSync(["README.md", "docs/**/*.md"], { cwd: root }).flatMap((file) =>
  [
    ...readFileSync(resolve(root, file), "utf8").matchAll(
      /(?:`|^ *(?:npx )?)(?:invoice-relay|npm run --silent relay --) ((?:[^`\n\\#|,]|\\\n)+)(?=[`\n#|])/gm,
    ),
  ].map(([, words = ""]) => ({ file, words: words.replaceAll("\\\n", " ").trim().split(/\s+/) })),
);

/** What of a command line the program does not know: the command, one of its group, or options. */
function unknownIn(words: readonly string[]): string[] {
  let command = program;
  const unknown: string[] = [];
  const flags = () =>
    [...program.options, ...command.options].flatMap(({ long, short }) => [long, short]).concat("--help");
  for (const word of words) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner !== undefined) command = inner;
    else if (!actsAlone(command) && /^[a-z]/.test(word)) return [word];
    else if (word.startsWith("-") && !flags().includes(word.split("=")[0] ?? "")) unknown.push(word);
  }
  if (command === program && !/^-|^…|^</.test(words[0] ?? "")) return words.slice(0, 1);
  const [argument] = command.registeredArguments;
  const isNamed = argument?.required !== true || words.at(-1) !== command.name();
  return isNamed ? unknown : [...unknown, `${command.name()} of nothing`];
}

/** Whether it is more than the name of a group. */
const actsAlone = (command: Command): boolean =>
  command.commands.length === 0 || command.constructor.name === "OperationCommand";

describe("--help", () => {
  it("is what comes without a command", async () => {
    expect(await runCli([])).toEqual({ code: 0, stdout: program.helpInformation(), stderr: "" });
  });

  it("of each command stands in a group and in 80 columns, and is read in review", async () => {
    for (const command of program.commands) expect(command.helpGroup(), command.name()).toMatch(/:$/);
    const texts = commands.map((command) => `$ ${nameOf(command)} --help\n${command.helpInformation()}`);
    expect(texts.flatMap((text) => text.split("\n")).filter((line) => line.length > 80)).toEqual([]);
    await expectGolden("help", texts.join("\n"));
  });

  it("knows every command line that a document shows", () => {
    expect(shown.length).toBeGreaterThan(40);
    const wrong = shown.map(({ file, words }) => ({
      file,
      words: words.join(" "),
      unknown: unknownIn(words),
    }));
    expect(wrong.filter(({ unknown }) => unknown.length > 0)).toEqual([]);
  });
});
