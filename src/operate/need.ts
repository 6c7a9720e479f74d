import type { Need } from "./status.ts";

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
