import { shortText } from "../kit/text.ts";
import type { ResultOf } from "./operation-command.ts";
import { table } from "./table.ts";
import { plainText } from "./terminal-text.ts";

type UndeliveredItem = ResultOf<"listDead">["items"][number];
type Evidence = ResultOf<"showDead">["items"][number];

/** The words of one list of undelivered items. */
export interface UndeliveredWords {
  list: "dead" | "quarantine";
  what: readonly [one: string, many: string];
  /** What brings an item back. */
  act: "retry" | "release";
}

const LONGEST_ERROR = 80;

function tableOf(items: readonly UndeliveredItem[]): string {
  return table(
    ["kind", "invoice", "event", "amount", "reference", "collection", "source", "since", "attempts", "error"],
    items.map((item) => [
      item.kind,
      item.invoiceId,
      item.eventId,
      item.amount,
      item.reference,
      item.collection,
      item.source,
      item.since,
      item.attempts,
      shortText(item.error, LONGEST_ERROR),
    ]),
  );
}

const counted = (count: number, [one, many]: UndeliveredWords["what"]) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

export function renderUndelivered(found: ResultOf<"listDead">, words: UndeliveredWords): string {
  const more = found.total - found.items.length;
  const lines = [
    `${counted(found.total, words.what)}${more > 0 ? `, the first ${found.items.length}` : ""}:`,
  ];
  lines.push(tableOf(found.items), "");
  lines.push(`See one with: invoice-relay ${words.list} show <id>`);
  lines.push(`Then: invoice-relay ${words.list} ${words.act} <id>, or dismiss <id>`);
  return lines.join("\n");
}

export function renderDecision(result: ResultOf<"retryDead">, words: UndeliveredWords, done: string): string {
  if (result.count === 0) return `No ${words.what[0]} matches: nothing was changed.`;
  const heading = result.dryRun
    ? `${counted(result.count, words.what)} would be selected. This was a dry run: nothing was changed.`
    : `${counted(result.count, words.what)}: ${done}.`;
  return `${heading}\n${tableOf(result.items)}`;
}

/** One item, with everything that helps to decide what to do with it. */
export function renderEvidence(item: Evidence): string {
  const { confirmation, event, invoice, callbacks } = item;
  const lines: [string, unknown][] = [
    ["invoice", item.invoiceId],
    ["event", item.eventId],
    ["source", item.source],
    ["collection", item.collection],
    ["reference", item.reference],
    ["amount", item.amount],
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
      invoice === null ? null : `${shortText(invoice.status)}, total ${invoice.totalAmount ?? "unknown"}`,
    ],
    ["confirmed", invoice?.confirmedAt],
    ["payload", event?.payload],
    ...callbacks.map((callback, index): [string, unknown] => [
      index === 0 ? "callbacks" : "",
      `${callback.receivedAt.toISOString()}  ${callback.id}`,
    ]),
  ];
  const given = lines.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const title = item.kind === "event" ? "Event, not sent" : "Confirmation, not completed";
  return [title, ...given.map(([name, value]) => `  ${name.padEnd(14)}${textOf(value)}`)].join("\n");
}

const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : plainText(String(value));
