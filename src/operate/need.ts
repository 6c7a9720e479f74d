import type { AlarmName, Severity } from "../alarms/alarm-definitions.ts";

/** Something that waits for a person: one cause, however many things it concerns. */
export interface Need {
  severity: Severity;
  /** What is wrong, in plain words, with its number if they are several. */
  what: string;
  /** How many things. */
  count: number;
  /** Since when the oldest of them; null where that is not known. */
  oldestAt: Date | null;
  /** Since when the newest of them. */
  newestAt: Date | null;
  /** What to do about it, a sentence. */
  action: string;
  /** The alarm that tells of it; null where none does. */
  alarm: AlarmName | null;
  /** The command to begin with, as typed after `invoice-relay`; null where none helps. */
  command: string | null;
  /** The page of the console where it is done; null where none is. */
  page: NeedPage | null;
}

export const NEED_PAGES = ["dead", "quarantine", "alarms", "completeness", "settings"] as const;
type NeedPage = (typeof NEED_PAGES)[number];

type Given = Pick<Need, "severity" | "what" | "action"> & Partial<Need>;

/** A need of one thing, since `oldestAt`, that no command and no page sees to, but for what is given. */
export const need = (given: Given): Need => ({
  count: 1,
  oldestAt: null,
  newestAt: given.oldestAt ?? null,
  alarm: null,
  command: null,
  page: null,
  ...given,
});

/** "1 gap", "7 gaps". */
export const numberOf = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : several}`;

export const countThings = (needs: readonly Need[]): number =>
  needs.reduce((sum, { count }) => sum + count, 0);

/** What to do, for someone at a terminal. */
export const adviceOf = ({ action, command }: Need): string =>
  command === null ? action : `${action} Run: invoice-relay ${command}`;

/** The critical ones first; otherwise the order stays. */
export const worstFirst = (needs: readonly Need[]): Need[] => [
  ...needs.filter(({ severity }) => severity === "critical"),
  ...needs.filter(({ severity }) => severity !== "critical"),
];
