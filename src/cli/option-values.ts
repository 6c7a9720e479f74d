import { userInfo } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import type { z } from "zod";
import { VERDICTS } from "../confirm/queue/confirmation.ts";
import { countGiven, id, reason, timeGiven } from "../operate/operations/fields.ts";
import { OWN_VERDICTS } from "../receive/log/own-verdict.ts";

/** Reads a value as an operation's field of that schema would. */
const readWith =
  <Value>(schema: z.ZodType<Value>) =>
  (text: string): Value => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`);
  };

export const timeValue = readWith(timeGiven);
export const idValue = readWith(id);
export const countValue = readWith(countGiven(1, 100_000));

/** Adds `--reason`, which every command has that changes something. */
export const withReason = (command: Command): Command =>
  command.option("--reason <text>", "why, for the audit log; no personal data", readWith(reason));

/** Adds `--yes`, with which scripts confirm what cannot be undone. */
export const withYes = (command: Command): Command =>
  command.option("--yes", "do it without asking; scripts need it");

/** Ids: the option may be repeated, and each value may name several, separated by commas. */
export function idValues(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), ...text.split(",").map((part) => idValue(part.trim()))];
}

/** A verdict of a confirmation; for callbacks also the verdicts of those without a confirmation. */
export const verdictValue =
  (ofCallbacks: boolean) =>
  (text: string): string => {
    const known: readonly string[] = ofCallbacks ? [...VERDICTS, ...OWN_VERDICTS] : VERDICTS;
    if (!known.includes(text)) throw new InvalidArgumentError(`It should be one of ${known.join(", ")}.`);
    return text;
  };

/** Who acts, for the audit log: the user of this machine. */
export function operator(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // In a container the user id may have no name.
    return `cli:${process.getuid?.() ?? "unknown"}`;
  }
}
