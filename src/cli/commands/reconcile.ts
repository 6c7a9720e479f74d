import { Command } from "commander";
import { addDays, dayOf } from "../../kit/time.ts";
import { type PaidWindow, paymentDays } from "../../reconcile/list/list-period.ts";
import type { Reconciled } from "../../reconcile/on-request.ts";
import type { CommandContext } from "../command-context.ts";
import { ListProgress } from "../list-progress.ts";
import { operator } from "../operator.ts";
import { withReason } from "../option-values.ts";
import { table } from "../table.ts";
import { tellUnread } from "../tell-unread.ts";
import { withLists } from "../with-lists.ts";

/** The period when no days are given. */
const LAST_DAYS = 7;

interface Options {
  from?: string;
  to?: string;
  reason?: string;
  collection?: string;
  publish?: true;
}

/**
 * `invoice-relay reconcile`: finds what is missing in a period; the running relay confirms and publishes it.
 */
export function reconcileCommand(context: CommandContext): Command {
  const command = new Command("reconcile")
    .description("find paid invoices without an accepted event in a period, using the provider's list")
    .option("--from <day>", `the first day of payment, YYYY-MM-DD, UTC; ${LAST_DAYS} days before the last`)
    .option("--to <day>", "the last day of payment, YYYY-MM-DD, UTC, included; today by default")
    .option("--collection <id>", "one of COLLECTION_IDS; all of them by default")
    .option(
      "--publish",
      "also publish payments from before the relay's first serve, which are only recorded otherwise",
    );
  return withReason(command).action(async ({ from, to, collection, reason, ...options }: Options) => {
    const publish = options.publish === true;
    const { readOf, reconcilePeriod } = await import("../../reconcile/on-request.ts");
    const window = daysMeant(from, to);
    const bar = new ListProgress(context.stderr);
    const done = await withLists(context, async (given) => {
      // Once, at the end: the workers poll anyway.
      const deps = { ...given, onConfirmations: () => undefined };
      const result = await reconcilePeriod(
        deps,
        { ...given, collection, window, publish, actor: operator(), reason },
        ({ name }, id, { read, total }) => bar.reached(`${name} ${id}`, "lists", read, total),
      );
      for (const work of ["confirm", "publish"] as const) await given.wake(work);
      return result;
    });
    bar.end();
    const readable = readOf(done);
    context.show(done, () => reconcileText(readable, publish));
    if (readable.some(({ unproven }) => unproven.length > 0)) context.fault();
    tellUnread(context, done);
  });
}

function daysMeant(from: string | undefined, to = dayOf(new Date())): PaidWindow {
  if (from !== undefined) return paymentDays(from, to);
  const { from: last } = paymentDays(to, to);
  return paymentDays(addDays(dayOf(last), -LAST_DAYS), to);
}

function reconcileText(done: readonly Reconciled[], publish: boolean): string {
  const header = ["source", "collection", "paid", "without event", "healed", "named by a callback"];
  const rows = done.map(({ source, collectionId, listed, missing, opened, called }) => [
    source,
    collectionId,
    listed,
    missing,
    opened,
    called,
  ]);
  const [first] = done;
  const period = first === undefined ? "" : `Payments of ${first.from} to ${first.to} (${first.zone})\n\n`;
  return `${period}${table(header, rows)}\n\n${[
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
    table(
      ["invoice", "reason", "detail"],
      waiting.map(({ invoiceId, reason, detail }) => [invoiceId, reason, detail]),
    ),
    ...more,
  ];
}
