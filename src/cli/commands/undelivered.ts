import { Command } from "commander";
import { notFoundError, usageError } from "../../kit/errors.ts";
import { currencyOf } from "../../kit/settings.ts";
import { moneyIn, numberOf, shortText } from "../../kit/text.ts";
import { undeliveredOperations } from "../../operate/operations/undelivered.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, type ResultOf } from "../operation-command.ts";
import { noneText, withYes } from "../option-values.ts";
import { sheet, table } from "../table.ts";

interface Group {
  name: "dead" | "quarantine";
  description: string;
  what: readonly [one: string, many: string];
  /** What an empty list says. */
  none: string;
  list: "listDead" | "listQuarantine";
  show: "showDead" | "showQuarantine";
  /** What brings an item back, its operation, and what is done then. */
  act: readonly [verb: "retry" | "release", id: "retryDead" | "releaseQuarantine", done: string];
  dismiss: "dismissDead" | "dismissQuarantine";
}

/** Confirmations and events that were given up. */
export const deadCommand = (context: CommandContext): Command =>
  groupCommand(context, {
    name: "dead",
    description: "dead letters: confirmations and events that were given up; list, show, retry, dismiss",
    what: ["dead letter", "dead letters"],
    none: "No dead letters: nothing was given up.",
    list: "listDead",
    show: "showDead",
    act: ["retry", "retryDead", "due again; a running invoice-relay serve does the rest"],
    dismiss: "dismissDead",
  });

/** Paid invoices that were not published, because their collection is not in COLLECTION_IDS. */
export const quarantineCommand = (context: CommandContext): Command =>
  groupCommand(context, {
    name: "quarantine",
    description: "paid invoices of other collections, not published; list, show, release, dismiss",
    what: ["quarantined invoice", "quarantined invoices"],
    none: "The quarantine is empty: no paid invoice is waiting there.",
    list: "listQuarantine",
    show: "showQuarantine",
    act: [
      "release",
      "releaseQuarantine",
      "released; a running invoice-relay serve asks the provider again and publishes them",
    ],
    dismiss: "dismissQuarantine",
  });

function groupCommand(context: CommandContext, group: Group): Command {
  const [verb, act, done] = group.act;
  const list = operationCommand(context, undeliveredOperations, group.list, {
    name: "list",
    without: group.name === "dead" ? [] : ["kind"],
    text: (found, given) =>
      found.total > 0
        ? renderUndelivered(found, group, context)
        : noneText(given, group.none, `No ${group.what[0]} matches these filters.`),
  });
  const show = operationCommand(context, undeliveredOperations, group.show, {
    name: "show",
    missing: (given) => notThere([String(given.id)], group),
    // What a terminal shows is copied into tickets.
    role: "read",
    text: ({ items }) =>
      items.map((item) => renderEvidence(item, currencyOf(context.settings()))).join("\n\n"),
  });
  return new Command(group.name)
    .description(group.description)
    .addCommand(list)
    .addCommand(show)
    .addCommand(decide(context, group, act, { name: verb, done }))
    .addCommand(
      decide(context, group, group.dismiss, {
        name: "dismiss",
        done: "dismissed: kept, but no longer listed",
      }),
    );
}

function decide(
  context: CommandContext,
  group: Group,
  id: "retryDead" | "dismissDead" | "releaseQuarantine" | "dismissQuarantine",
  { name, done }: { name: string; done: string },
): Command {
  return operationCommand(context, undeliveredOperations, id, {
    name,
    without: ["ids", "source", "filters"],
    extend(command) {
      if (group.name === "dead") command.option("--kind <kind>", "only confirmations, or only events");
      return withYes(
        command
          .argument("[ids...]", "ids of invoices or events")
          .option("--all", "everything that the filters match")
          .option("--source <name>", "only this source")
          .option("--collection <name>", "only invoices of the collection with this name")
          .option("--from <time>", "only those waiting since this time (UTC) or later")
          .option("--to <time>", "only those waiting since before this time (UTC)"),
      );
    },
    input: ({ reason, dryRun, yes: _, ...chosen }, ids) => ({ ...selectionOf(ids, chosen), reason, dryRun }),
    async run(call, given, { yes }) {
      const { ids, dryRun } = given;
      // Ids are chosen on purpose; a filter may match more than expected, so it is confirmed first.
      const first = await call({ ...given, dryRun: dryRun === true || ids === undefined });
      if (ids !== undefined && first.count === 0) throw notFoundError(notThere(ids as string[], group));
      if (ids !== undefined || dryRun === true || first.count === 0)
        return { ...first, dryRun: dryRun === true };
      const many = counted(first.count, group.what);
      await context.confirm(`${name[0]?.toUpperCase()}${name.slice(1)} ${many}?`, yes === true);
      return await call(given);
    },
    text: (result) => renderDecision(result, group, done, context),
  });
}

function selectionOf(ids: readonly string[], { all, ...filters }: CommandInput): CommandInput {
  const { source, ...others } = filters;
  if (ids.length > 0 && (all === true || Object.keys(others).length > 0))
    throw usageError("Use either ids (with --source) or filters, not both.");
  if (ids.length > 0) return { ids, source };
  if (all !== true && Object.keys(filters).length === 0)
    throw usageError("Which ones? Give ids, a filter such as --source, or --all.");
  return { filters };
}

function notThere(ids: readonly string[], { name, what }: Group): string {
  const none = ids.length === 1 ? `${ids[0]} is not a ${what[0]}` : `None of these ids is a ${what[0]}`;
  return `${none}. List them with: invoice-relay ${name} list`;
}

type UndeliveredItem = ResultOf<"listDead">["items"][number];
type CurrencyOf = ReturnType<typeof currencyOf>;
type Evidence = ResultOf<"showDead">["items"][number];

const LONGEST_ERROR = 80;

function tableOf(items: readonly UndeliveredItem[], context: CommandContext): string {
  const currency = currencyOf(context.settings());
  return table(items, {
    kind: "kind",
    invoice: "invoiceId",
    event: "eventId",
    total: ({ source, amount }) => moneyIn(currency(source), amount),
    reference: "reference",
    collection: "collection",
    source: "source",
    since: "since",
    attempts: "attempts",
    error: ({ error }) => shortText(error, LONGEST_ERROR),
  });
}

const counted = (count: number, [one, many]: Group["what"]) => numberOf(count, one, many);

function renderUndelivered(found: ResultOf<"listDead">, group: Group, context: CommandContext): string {
  const more = found.total - found.items.length;
  const lines = [
    `${counted(found.total, group.what)}${more > 0 ? `, the first ${found.items.length}` : ""}:`,
  ];
  lines.push(tableOf(found.items, context), "");
  const [first] = found.items;
  const one = found.total > 1 ? "<id>" : (first?.eventId ?? first?.invoiceId);
  lines.push(`See one with: invoice-relay ${group.name} show ${one}`);
  lines.push(`Then: invoice-relay ${group.name} ${group.act[0]} ${one}, or dismiss ${one}`);
  return lines.join("\n");
}

function renderDecision(
  result: ResultOf<"retryDead">,
  group: Group,
  done: string,
  context: CommandContext,
): string {
  if (result.count === 0) return `No ${group.what[0]} matches: nothing was changed.`;
  const heading = result.dryRun
    ? `${counted(result.count, group.what)} would be selected. This was a dry run: nothing was changed.`
    : `${counted(result.count, group.what)}: ${done}.`;
  return `${heading}\n${tableOf(result.items, context)}`;
}

function renderEvidence(item: Evidence, currency: CurrencyOf): string {
  const { confirmation, event, invoice, callbacks } = item;
  const title = item.kind === "event" ? "Event, not sent" : "Confirmation, not completed";
  const lines = sheet([
    ["invoice", item.invoiceId],
    ["event", item.eventId],
    ["source", item.source],
    ["collection", item.collection],
    ["reference", item.reference],
    ["total", moneyIn(currency(item.source), item.amount)],
    ["since", item.since],
    ["attempts", item.attempts],
    ["error", item.error],
    ["dismissed", item.dismissedAt],
    ["confirmation", confirmation && `${confirmation.state}, verdict ${confirmation.verdict ?? "none"}`],
    ["first asked", confirmation?.openedAt],
    ["opened by", confirmation?.openedBy],
    ["requests", confirmation?.requests],
    ["last answer", confirmation?.lastAnswer],
    [
      "provider says",
      invoice === null
        ? null
        : `${shortText(invoice.status)}, total ${moneyIn(currency(item.source), invoice.totalAmount) ?? "unknown"}`,
    ],
    ["confirmed", invoice?.confirmedAt],
    ["payload", event?.payload],
    ...callbacks.map(({ receivedAt, id }, index) => [
      index === 0 ? "callbacks" : " ",
      `${receivedAt.toISOString()}  ${id}`,
    ]),
  ]);
  return [title, ...lines].join("\n");
}
