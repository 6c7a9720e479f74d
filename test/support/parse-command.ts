import type { Command } from "commander";
import { CommandContext } from "../../src/interfaces/cli/command-context.ts";
import { createProgram } from "../../src/interfaces/cli/program.ts";

const silent = { write: () => undefined };

/** Everything was read; what would come next is the work. */
export class Read extends Error {}

class ReadOnly extends CommandContext {
  override withDatabase(): Promise<never> {
    return Promise.reject(new Read());
  }
}

export const withInner = (command: Command): Command[] => [command, ...command.commands.flatMap(withInner)];

/** As a shell would split it. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, single, double]) => single ?? double ?? word);

/** Reads a line as the program does, the operation's fields too, and does nothing. @returns `Read`, or what is wrong */
export async function parseCommand(line: string): Promise<unknown> {
  const context = new ReadOnly({ environment: {}, stdout: silent, stderr: silent, signals: process });
  const whole = await createProgram(context);
  // What is no operation acts at once.
  for (const command of withInner(whole))
    if (command.constructor.name !== "OperationCommand") command.action(() => Promise.reject(new Read()));
  return await whole.parseAsync(wordsOf(line).slice(1), { from: "user" }).catch((error: unknown) => error);
}
