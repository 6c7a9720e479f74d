import { userInfo } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import type { z } from "zod";
import { countGiven, idGiven, name } from "../../operations/index.ts";
import type { CommandContext } from "./command-context.ts";

const readWith =
  <Value>(schema: z.ZodType<Value>) =>
  (text: string): Value => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`);
  };

export const idValue = readWith(idGiven);
export const nameValue = readWith(name(1_000));
export const countValue = readWith(countGiven(1, 100_000));

/** Adds `--yes`, with which scripts confirm what cannot be undone. */
export const withYes = (command: Command): Command =>
  command.option("--yes", "do it without asking; scripts need it");

export const hasNone = (filters: object): boolean =>
  Object.values(filters).every((filter) => filter === undefined);

/** Who acts, for the audit log: the one that the setting names, else the user of this machine. */
export function operator(context: CommandContext): string {
  const { INVOICE_RELAY_OPERATOR: named } = context.settings();
  if (named !== undefined) return `cli:${named}`;
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // In a container the user id may have no name.
    return `cli:${process.getuid?.() ?? "unknown"}`;
  }
}
