import type { Command } from "commander";
import { addDays, dayOf } from "../../kit/time.ts";
import { day } from "../../operate/operations/fields.ts";
import { readOf, type Unread } from "../../reconcile/on-request.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, type ResultOf } from "../operation-command.ts";
import { table } from "../table.ts";

const LAST_DAYS = 7;

type Reconciled = Exclude<ResultOf<"reconcile">[number], { error: unknown }>;

export const reconcileCommand = (context: CommandContext): Command =>
  operationCommand(context, "reconcile", {
    name: "reconcile",
    options: { from: "from <day>", to: "to <day>", collection: "collection <id>" },
    input: lastDays,
    text: (done, { publish }) => reconcileText(readOf(done), publish === true),
    judge(done) {
      if (readOf(done).some(({ unproven }) => unproven.length > 0)) context.fault();
      tellUnread(context, done);
    },
  });

function lastDays({ from, to = dayOf(new Date()), ...given }: CommandInput): CommandInput {
  const isDay = day.safeParse(to).success;
  return { ...given, from: from ?? (isDay ? addDays(String(to), -LAST_DAYS) : undefined), to };
}

function reconcileText(done: readonly Reconciled[], publish: boolean): string {
  const counts = table(done, {
    source: "source",
    collection: "collectionId",
    paid: "listed",
    "without event": "missing",
    healed: "opened",
    "named by a callback": "called",
  });
  const [first] = done;
  const period = first === undefined ? "" : `Payments of ${first.from} to ${first.to} (${first.zone})\n\n`;
  return `${period}${counts}\n\n${[
    ...healedText(done, publish),
    ...waitingText(done),
    ...done.flatMap(({ collectionId, unproven }) =>
      unproven.map(
        ({ first, last, why }) =>
          `The list of ${collectionId} contradicts itself from ${first} to ${last}: ${why}. What it ` +
          "showed was used; what it may be hiding is unknown.",
      ),
    ),
    ...done.flatMap(({ underWay }) => underWay.map((other) => `Another reconcile is under way: ${other}.`)),
    ...(done.some(({ resumed }) => resumed)
      ? ["It continued an interrupted run; the counts include that run."]
      : []),
  ].join("\n")}`;
}

function healedText(done: readonly Reconciled[], publish: boolean): string[] {
  const opened = done.reduce((sum, one) => sum + one.opened, 0);
  const isWhole = done.every(({ missing, unproven }) => missing === 0 && unproven.length === 0);
  if (opened === 0) return isWhole ? ["Nothing is missing."] : [];
  const they = opened === 1 ? "1 payment is" : `${opened} payments are`;
  const early = publish
    ? ""
    : "; payments from before its first serve are recorded only (--publish publishes them)";
  return [
    `${they} healed: the running relay asks the provider about each, or sends its event again, and ` +
      `publishes what is confirmed${early}.`,
  ];
}

function waitingText(done: readonly Reconciled[]): string[] {
  const waiting = done.flatMap((one) => one.waiting);
  const inAll = done.reduce((sum, one) => sum + one.waitingInAll, 0);
  if (inAll === 0) return [];
  const more = inAll > waiting.length ? [`and ${inAll - waiting.length} more`] : [];
  return [
    "",
    `Without an accepted event as this ends (${inAll}):`,
    table(waiting, { invoice: "invoiceId", reason: "reason", detail: "detail" }),
    ...more,
  ];
}

/** After the results of others: the sources that failed. With `--json` they stand among the results. */
export function tellUnread(context: CommandContext, results: readonly (object | Unread)[]): void {
  for (const one of results) {
    if (!("error" in one)) continue;
    const { source, error } = one;
    if (!context.json) context.remark(`Source "${source}" failed: ${error.message}`);
    if (error.code.endsWith("_away")) context.away();
    else context.fault();
  }
}
