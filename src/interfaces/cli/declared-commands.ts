import type { Command } from "commander";
import { type Operation, operations } from "../../operations/index.ts";
import type { CommandContext } from "./command-context.ts";
import { operationCommand } from "./operation-command.ts";

const declaring = (operations as readonly Operation[]).flatMap(({ id, command }) =>
  command === undefined ? [] : [{ ...command, id: id as (typeof operations)[number]["id"] }],
);

/** Every command that its operation declares, by its words, with its heading; null in a group. */
export const declaredHeadings = (): Record<string, string | null> =>
  Object.fromEntries(declaring.map(({ words, heading = null }) => [words, heading]));

/** The example that `--help` shows after the words of a declared command. */
export const declaredExample = (path: string): string | undefined =>
  declaring.find(({ words }) => words === path)?.example;

/** The command of these words, as its operation declares it. */
export function declaredCommand(context: CommandContext, path: string): Command {
  const found = declaring.find(({ words }) => words === path);
  if (found === undefined) throw new Error(`no operation declares the command ${path}`);
  const { id, options = {}, words } = found;
  return operationCommand(context, operations, id, { name: words.split(" ").at(-1) ?? words, options });
}
