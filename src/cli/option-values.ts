import { type Command, InvalidArgumentError } from "commander";
import { VERDICTS } from "../confirm/queue/confirmation.ts";
import { isUuid } from "../kit/ids.ts";
import { OWN_VERDICTS } from "../receive/log/own-verdict.ts";

const TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** A day or a time, in UTC unless it names a zone. @returns ISO 8601. */
export function timeValue(text: string): string {
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(text.slice(10));
  const time = TIME.test(text)
    ? Date.parse(hasZone || text.length === 10 ? text : `${text.replace(" ", "T")}Z`)
    : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError(
      "It should be a day or a time in UTC such as 2026-11-01 or 2026-11-01T08:30.",
    );
  return new Date(time).toISOString();
}

/** A short text for the audit log. */
function reasonValue(text: string): string {
  if (text.trim() === "" || text.length > 500)
    throw new InvalidArgumentError("It should be a few words, 500 characters at most.");
  return text.trim();
}

/** Adds `--reason`, which every command has that changes something. */
export const withReason = (command: Command): Command =>
  command.option("--reason <text>", "why, for the audit log; no personal data", reasonValue);

/** Adds `--yes`, with which scripts confirm what cannot be undone. */
export const withYes = (command: Command): Command =>
  command.option("--yes", "do it without asking; scripts need it");

/** One id. @returns it in lower case. */
export function idValue(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("It should be an id (UUID) such as 3f1c6a52-….");
  return text.toLowerCase();
}

/** Ids: the option may be repeated, and each value may name several, separated by commas. */
export function idValues(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), ...text.split(",").map((part) => idValue(part.trim()))];
}

export function countValue(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 100_000)
    throw new InvalidArgumentError("It should be a whole number from 1 to 100,000.");
  return count;
}

/** A verdict of a confirmation; for callbacks also the verdicts of those without a confirmation. */
export const verdictValue =
  (ofCallbacks: boolean) =>
  (text: string): string => {
    const known: readonly string[] = ofCallbacks ? [...VERDICTS, ...OWN_VERDICTS] : VERDICTS;
    if (!known.includes(text)) throw new InvalidArgumentError(`It should be one of ${known.join(", ")}.`);
    return text;
  };
