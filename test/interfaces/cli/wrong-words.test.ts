import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { createProgram } from "../../../src/interfaces/cli/program.ts";
import { cliContext, runCli } from "../../support/cli-process.ts";
import { startHarness } from "../../support/relay.ts";

/** Values that no option of that kind can mean, by the word that its help gives it. */
const NEVER_MEANT: Readonly<Record<string, readonly string[]>> = {
  time: ["", "soon", "2026-02-30", "0000-01-01", "0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00"],
  day: ["soon", "2026-02-30", "2026-11-24T10:00"],
  number: ["", " ", "0x10", "1e1", "1.5", "99999999999999999999"],
  id: ["", "42", "3f1c6a52-1b1e-4c55-9d0a-6f2f6a2b8c11 ", "3f1c6a521b1e4c559d0a6f2f6a2b8c11"],
  name: ["", " ", "a\0b", "\u001B[31m"],
  text: ["", "a\0b"],
  alarm: ["", "sorce_failing"],
  amount: ["", "much", "1.2.3", "1e5"],
  address: ["", "a\0b"],
  duration: ["", "2 hours", "-1h", "99999999d"],
  verdict: ["", "great"],
  kind: ["", "x"],
  result: ["", "x"],
  format: ["", "pdf"],
  status: ["", "a\0b"],
  action: ["", "a\0b"],
  type: ["", "a\0b"],
  where: ["", "a\0b"],
  arn: ["", "arn:aws:sns"],
  reference: ["", "a\0b"],
  report: ["x"],
  ids: ["", "abc", "af308019"],
  file: [""],
};

/** What an argument is when something else is wrong. */
const MEANT: Readonly<Record<string, string>> = { alarm: "pause_standing", report: "payments" };

/** Commands that start something, and those whose words the provider's client reads. */
const APART = /^(dev|demo|serve|migrate|collection-service|local-sns|sandbox|api|alarms test)\b/;

it("no command takes a word for what it cannot mean: each exits 2 with a sentence, and changes nothing", async () => {
  const harness = await startHarness();
  const environment = harness.environment({ COLLECTION_IDS: "none" });
  const lines = leavesOf(await createProgram(cliContext().context))
    .filter(({ path }) => !APART.test(path.join(" ")))
    .flatMap(({ path, command }) => wrongLines(path, command));
  expect(lines.length).toBeGreaterThan(300);
  const taken: unknown[] = [];
  for (const words of lines) {
    const { code, stdout, stderr } = await runCli(words, environment);
    const isRefused = code === 2 && stdout === "" && /^[^\n]{10,}\.\n/.test(stderr);
    if (!isRefused || /did not expect|alarms\[/.test(stderr)) taken.push({ words, code, stdout, stderr });
  }
  expect(taken).toEqual([]);
  expect(await harness.query("select from audit_entry union all select from replay")).toHaveLength(0);
});

interface Leaf {
  path: string[];
  command: Command;
}

const leavesOf = (command: Command, path: string[] = []): Leaf[] => [
  ...(path.length > 0 && command.commands.length === 0 ? [{ path, command }] : []),
  ...command.commands.flatMap((inner) => leavesOf(inner, [...path, inner.name()])),
];

/** Every option and argument with what it cannot mean, all else as it should be; and periods that end first. */
function wrongLines(path: string[], { registeredArguments, options }: Command): string[][] {
  const longs = options.map(({ long }) => long ?? "");
  const needed = registeredArguments.filter(({ required }) => required);
  const meant = needed.map((argument) => MEANT[argument.name()] ?? randomUUID());
  const careful = longs.includes("--dry-run") ? ["--dry-run"] : [];
  const must = options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? "", "x"]);
  const asOption = options.flatMap(({ flags, long }) => {
    const kind = /<([\w-]+)/.exec(flags)?.[1] ?? "";
    // An empty note takes it away.
    const wrongs = (NEVER_MEANT[kind] ?? []).filter((wrong) => wrong !== "" || long !== "--note");
    // What a report cannot do without.
    const period = ["--from", "--to"].filter((one) => longs.includes(one) && one !== long);
    const whole = [...path, ...meant, ...must, ...careful, ...period.flatMap((one) => [one, "2026-10-01"])];
    return wrongs.map((wrong) => [...whole, long ?? "", wrong]);
  });
  const asArgument = registeredArguments.flatMap((argument) =>
    // An invoice may be looked for by any words.
    (argument.name() === "id" && path[0] === "invoice" ? ["", "a\0b"] : (NEVER_MEANT[argument.name()] ?? []))
      .map((wrong) => [
        ...path,
        ...(argument.required ? meant.with(needed.indexOf(argument), wrong) : [wrong]),
      ])
      .map((words) => [...words, ...must, ...careful]),
  );
  const inverted = ["", "confirmed-"]
    .map((which) => [`--${which}from`, "2026-10-20", `--${which}to`, "2026-10-01"])
    .filter(([from, , to]) => longs.includes(from ?? "") && longs.includes(to ?? ""))
    .map((period) => [...path, ...meant, ...careful, ...period]);
  return [...asOption, ...asArgument, ...inverted];
}
