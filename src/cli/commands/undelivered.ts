import { Command } from "commander";
import { notFoundError, usageError } from "../../kit/errors.ts";
import { moneyIn } from "../../kit/money-text.ts";
import { currencyOf } from "../../kit/sources.ts";
import { numberOf, shortText } from "../../kit/text.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, type ResultOf } from "../operation-command.ts";
import { noneText, withYes } from "../option-values.ts";
import { sheet } from "../table.ts";

const DEAD = { list: "dead", what: ["dead letter", "dead letters"], act: "retry" } as const;
const QUARANTINE = {
  list: "quarantine",
  what: ["quarantined invoice", "quarantined invoices"],
  act: "release",
} as const;

/** Confirmations and events that were given up. */
export const deadCommand = (context: CommandContext): Command =>
  new Command("dead")
    .description("dead letters: confirmations and events that were given up; list, show, retry, dismiss")
    .addCommand(list(context, "listDead", DEAD, "No dead letters: nothing was given up."))
    .addCommand(show(context, "showDead", DEAD))
    .addCommand(
      decide(context, "retryDead", DEAD, "retry", "due again; a running invoice-relay serve does the rest"),
    )
    .addCommand(decide(context, "dismissDead", DEAD, "dismiss", DISMISSED));

/** Paid invoices that were not published, because their collection is not in COLLECTION_IDS. */
export const quarantineCommand = (context: CommandContext): Command =>
  new Command("quarantine")
    .description("paid invoices of other collections, not published; list, show, release, dismiss")
    .addCommand(
      list(
        context,
        "listQuarantine",
        QUARANTINE,
        "The quarantine is empty: no paid invoice is waiting there.",
      ),
    )
    .addCommand(show(context, "showQuarantine", QUARANTINE))
    .addCommand(
      decide(
        context,
        "releaseQuarantine",
        QUARANTINE,
        "release",
        "released; a running invoice-relay serve asks the provider again and publishes them",
      ),
    )
    .addCommand(decide(context, "dismissQuarantine", QUARANTINE, "dismiss", DISMISSED));

const DISMISSED = "dismissed: kept, but no longer listed";

const list = (
  context: CommandContext,
  id: "listDead" | "listQuarantine",
  words: UndeliveredWords,
  none: string,
): Command =>
  operationCommand(context, id, {
    name: "list",
    without: words.list === "dead" ? [] : ["kind"],
    text: (found, given) =>
      found.total > 0
        ? renderUndelivered(found, words, context)
        : noneText(given, none, `No ${words.what[0]} matches these filters.`),
  });

const show = (context: CommandContext, id: "showDead" | "showQuarantine", words: UndeliveredWords): Command =>
  operationCommand(context, id, {
    name: "show",
    missing: (given) => notThere([String(given.id)], words),
    // What a terminal shows is copied into tickets.
    role: "read",
    text: ({ items }) =>
      items.map((item) => renderEvidence(item, currencyOf(context.settings()))).join("\n\n"),
  });

function decide(
  context: CommandContext,
  id: "retryDead" | "dismissDead" | "releaseQuarantine" | "dismissQuarantine",
  words: UndeliveredWords,
  name: string,
  done: string,
): Command {
  return operationCommand(context, id, {
    name,
    without: ["ids", "source", "filters"],
    extend(command) {
      if (words.list === "dead") command.option("--kind <kind>", "only confirmations, or only events");
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
      if (ids !== undefined && first.count === 0) throw notFoundError(notThere(ids as string[], words));
      if (ids !== undefined || dryRun === true || first.count === 0)
        return { ...first, dryRun: dryRun === true };
      const many = counted(first.count, words.what);
      await context.confirm(`${name[0]?.toUpperCase()}${name.slice(1)} ${many}?`, yes === true);
      return await call(given);
    },
    text: (result) => renderDecision(result, words, done, context),
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

function notThere(ids: readonly string[], { list, what }: UndeliveredWords): string {
  const none = ids.length === 1 ? `${ids[0]} is not a ${what[0]}` : `None of these ids is a ${what[0]}`;
  return `${none}. List them with: invoice-relay ${list} list`;
}

type UndeliveredItem = ResultOf<"listDead">["items"][number];
type CurrencyOf = ReturnType<typeof currencyOf>;
type Evidence = ResultOf<"showDead">["items"][number];

interface UndeliveredWords {
  list: "dead" | "quarantine";
  what: readonly [one: string, many: string];
  /** What brings an item back. */
  act: "retry" | "release";
}

const LONGEST_ERROR = 80;

function tableOf(items: readonly UndeliveredItem[], context: CommandContext): string {
  const currency = currencyOf(context.settings());
  return context.table(items, {
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

const counted = (count: number, [one, many]: UndeliveredWords["what"]) => numberOf(count, one, many);

function renderUndelivered(
  found: ResultOf<"listDead">,
  words: UndeliveredWords,
  context: CommandContext,
): string {
  const more = found.total - found.items.length;
  const lines = [
    `${counted(found.total, words.what)}${more > 0 ? `, the first ${found.items.length}` : ""}:`,
  ];
  lines.push(tableOf(found.items, context), "");
  lines.push(`See one with: invoice-relay ${words.list} show <id>`);
  lines.push(`Then: invoice-relay ${words.list} ${words.act} <id>, or dismiss <id>`);
  return lines.join("\n");
}

function renderDecision(
  result: ResultOf<"retryDead">,
  words: UndeliveredWords,
  done: string,
  context: CommandContext,
): string {
  if (result.count === 0) return `No ${words.what[0]} matches: nothing was changed.`;
  const heading = result.dryRun
    ? `${counted(result.count, words.what)} would be selected. This was a dry run: nothing was changed.`
    : `${counted(result.count, words.what)}: ${done}.`;
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
