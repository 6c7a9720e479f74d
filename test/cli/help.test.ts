import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { ALARMS } from "../../src/alarms/alarm-definitions.ts";
import { CommandContext } from "../../src/cli/command-context.ts";
import { COMMANDS, commandLine } from "../../src/cli/command-line.ts";
import { createProgram } from "../../src/cli/program.ts";
import { SOME_ID } from "../../src/kit/ids.ts";
import { cliContext, runCli } from "../support/cli-process.ts";
import { expectGolden } from "../support/golden.ts";

const BARE: Readonly<Record<string, string>> = { kind: "callbacks", work: "confirm" };
const root = resolve(import.meta.dirname, "../..");
const silent = { write: () => undefined };
const program = await createProgram(cliContext().context);

const withInner = (command: Command): Command[] => [command, ...command.commands.flatMap(withInner)];
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

/** Those that an alarm says what to do with. */
const advised = Object.entries(ALARMS).flatMap(([file, { action }]) =>
  [...action.matchAll(/invoice-relay ([^.,;:)]+)/g)].map(([, words = ""]) => ({
    file,
    words: words.split(" "),
  })),
);

/** Those that a result leads to. */
const led = Object.entries(COMMANDS).map(([operation, [, bare]]) => ({
  file: operation,
  words: commandLine({ operation, args: bare === undefined ? {} : { [bare]: BARE[bare] ?? SOME_ID } })
    .split(" ")
    .slice(1),
}));

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

/** The lines below "Examples:" in what `--help` prints. */
async function examplesOf(command: Command): Promise<string[]> {
  const { stdout } = await runCli([...nameOf(command).split(" ").slice(1), "--help"]);
  const [, below = ""] = stdout.split("\nExamples:\n");
  return below
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** As a shell would split it. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, single, double]) => single ?? double ?? word);

/** Everything was read; what would come next is the work. */
class Read extends Error {}

class ReadOnly extends CommandContext {
  override withDatabase(): Promise<never> {
    return Promise.reject(new Read());
  }
}

/** Reads a line as the program does, the operation's fields too, and does nothing. @throws what is wrong with it */
async function parse(line: string): Promise<void> {
  const context = new ReadOnly({ environment: {}, stdout: silent, stderr: silent, signals: process });
  const whole = await createProgram(context);
  // What is no operation acts at once.
  for (const command of withInner(whole))
    if (command.constructor.name !== "OperationCommand") command.action(() => Promise.reject(new Read()));
  await whole.parseAsync(wordsOf(line).slice(1), { from: "user" });
}

describe("--help", () => {
  it("ends with examples of each command that it can read", async () => {
    const faults: string[] = [];
    for (const command of commands.filter((one) => one !== program)) {
      const lines = await examplesOf(command);
      if (lines.length === 0) faults.push(`${nameOf(command)} shows ${lines.length}`);
      for (const line of lines) {
        if (!`${line} `.startsWith(`${nameOf(command)} `)) faults.push(`${nameOf(command)} shows ${line}`);
        const came = await parse(line).catch((error: unknown) => error);
        // The files that examples name are not here.
        if (!(came instanceof Read) && !/cannot be read: ENOENT/.test(String(came)))
          faults.push(`${line}: ${came}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it("is what comes without a command", async () => {
    expect(await runCli([])).toEqual({ code: 0, stdout: program.helpInformation(), stderr: "" });
  });

  it("of each command stands in a group and in 80 columns, and is read in review", async () => {
    for (const command of program.commands) expect(command.helpGroup(), command.name()).toMatch(/:$/);
    const texts = commands.map((command) => `$ ${nameOf(command)} --help\n${command.helpInformation()}`);
    expect(texts.flatMap((text) => text.split("\n")).filter((line) => line.length > 80)).toEqual([]);
    await expectGolden("help", texts.join("\n"));
  });

  it("knows every command line that a document shows, and that an alarm advises", () => {
    expect(shown.length).toBeGreaterThan(40);
    expect(advised.length).toBeGreaterThan(15);
    const wrong = [...shown, ...advised, ...led].map(({ file, words }) => ({
      file,
      words: words.join(" "),
      unknown: unknownIn(words),
    }));
    expect(wrong.filter(({ unknown }) => unknown.length > 0)).toEqual([]);
  });
});
