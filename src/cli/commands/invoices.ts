import { Command } from "commander";
import { findByReference } from "../../confirm/invoices/read-invoices.ts";
import type { OpenedBy } from "../../confirm/queue/confirmation.ts";
import type { Database } from "../../database/connect.ts";
import { RelayError } from "../../kit/errors.ts";
import { isUuid } from "../../kit/ids.ts";
import { shortText } from "../../kit/text.ts";
import { spanText } from "../../kit/time.ts";
import type { Timeline, TimelineEntry } from "../../operate/timeline.ts";
import { meaningOf } from "../../operate/timeline-meaning.ts";
import { readTimeline } from "../../operate/timeline-reading.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { countValue } from "../option-values.ts";
import { plainText, table } from "../terminal-text.ts";

type ListedInvoice = ResultOf<"listInvoices">["items"][number];

/** The most of one page. */
const PAGE = 200;

export const invoicesCommand = (context: CommandContext): Command =>
  operationCommand(context, "listInvoices", {
    name: "invoices",
    without: ["limit"],
    options: {
      reference: "reference <text>",
      from: "from <day>",
      to: "to <day>",
      confirmedFrom: "confirmed-from <day>",
      confirmedTo: "confirmed-to <day>",
    },
    extend: (command) => command.option("--limit <number>", "the most to list", countValue, 50),
    async run(call, { limit: most, ...terms }) {
      const [limit, items]: [number, ListedInvoice[]] = [Number(most), []];
      for (let cursor: string | null | undefined; ; ) {
        const page = await call({ ...terms, cursor, limit: Math.min(PAGE, limit - items.length) });
        items.push(...page.items);
        cursor = page.next;
        if (cursor === null || items.length >= limit) return { ...page, items };
      }
    },
    json: ({ items }) => ({ invoices: items }),
    text: ({ items }) => render(items),
  });

function render(invoices: readonly ListedInvoice[]): string {
  if (invoices.length === 0)
    return "No confirmed invoice matches. To look for an unconfirmed one: invoice-relay invoice <id>";
  const width = Math.max(...invoices.map(({ totalAmount }) => totalAmount?.length ?? 0));
  const rows = invoices.map((invoice) => [
    invoice.invoiceId,
    invoice.reference,
    invoice.totalAmount?.padStart(width),
    invoice.status === null ? null : shortText(invoice.status),
    invoice.verdict,
    invoice.event,
    invoice.paidAt,
    invoice.collection,
    invoice.source,
  ]);
  const header = [
    "invoice",
    "reference",
    "total",
    "status",
    "verdict",
    "event",
    "paid",
    "collection",
    "source",
  ];
  return `${table(header, rows)}\n\nAll that happened to one: invoice-relay invoice <id or reference>`;
}

/** The most invoices of one reference to list. */
const MOST_OF_REFERENCE = 20;

export function invoiceCommand(context: CommandContext): Command {
  return new Command("invoice")
    .description("show everything that happened to one invoice, and what happens next")
    .argument("<id>", "the invoice's id (UUID), or the merchant's reference")
    .action(async (given: string) => {
      const timeline = await context.withDatabase(async (db) => {
        const id = isUuid(given) ? given.toLowerCase() : await idOfReference(db, given);
        const found = await readTimeline(db, id);
        if (found !== null) return found;
        throw notFound(
          `Nothing is known about invoice ${id}: no callback named it, and the provider was never asked ` +
            "about it. If it is paid at the provider, reconcile will find it.",
        );
      });
      const now = new Date();
      context.show({ ...timeline, meaning: meaningOf(timeline, now) }, () => renderTimeline(timeline, now));
    });
}

async function idOfReference(db: Database, reference: string): Promise<string> {
  const ids = await findByReference(db, reference, MOST_OF_REFERENCE);
  const [id] = ids;
  if (id === undefined)
    throw notFound(
      `No confirmed invoice has the reference "${reference}", and an id is a UUID such as ` +
        "3f1c6a52-…. An invoice that was never confirmed can only be found by its id.",
    );
  if (ids.length > 1)
    throw new RelayError(
      `Several invoices have the reference "${reference}". Name one of ` +
        `them:\n${ids.map((one) => `  ${one}`).join("\n")}`,
      { code: "usage" },
    );
  return id;
}

const notFound = (message: string): RelayError => new RelayError(message, { code: "not_found" });

/** A timeline as text: the invoice, what happened when, and what it means. */
export function renderTimeline(timeline: Timeline, now: Date): string {
  const { entries, furtherCallbacks } = timeline;
  const lines = [`Invoice ${timeline.invoiceId}`, `  ${headline(timeline)}`, ""];
  let before: Date | null = null;
  for (const entry of entries) {
    const wait = before === null ? "" : `+${spanText(+entry.at - +before)}`;
    lines.push(`  ${time(entry.at)}  ${wait.padStart(9)}  ${plainText(wordsOf(entry))}`);
    before = entry.at;
  }
  if (furtherCallbacks > 0) lines.push(`  … and ${furtherCallbacks.toLocaleString("en-US")} later callbacks`);
  lines.push("", ...meaningOf(timeline, now).map((line) => plainText(line)));
  return lines.join("\n");
}

function headline({ invoices, confirmations }: Timeline): string {
  const [invoice] = invoices;
  if (invoice === undefined)
    return `source ${confirmations[0]?.source ?? "unknown"}; the provider has confirmed nothing yet`;
  const parts = [
    shortText(invoice.status),
    invoice.type,
    invoice.totalAmount === null ? null : `${invoice.totalAmount} in total`,
    invoice.collectionName === null ? null : `collection "${invoice.collectionName}"`,
    invoice.paidAt === null ? null : `paid at ${time(invoice.paidAt)}`,
    invoice.reference === null ? null : `reference ${invoice.reference}`,
    invoice.erasedAt === null ? null : "personal data erased",
    `source ${invoices.map(({ source }) => source).join(" and ")}`,
  ];
  return plainText(parts.filter((part) => part !== null).join(", "));
}

function wordsOf(entry: TimelineEntry): string {
  switch (entry.kind) {
    case "callback": {
      const from = entry.remoteAddress === null ? "" : ` from ${entry.remoteAddress}`;
      const found = entry.foundBy === null ? "" : `, id found in ${entry.foundBy}`;
      const bytes = entry.bytes === null ? "erased" : `${entry.bytes.toLocaleString("en-US")} bytes`;
      const verdict = entry.verdict === null ? "" : `, ${entry.verdict}`;
      return `callback recorded: ${entry.method}${from}, ${bytes}${found}${verdict}`;
    }
    case "paid":
      return "paid, according to the provider";
    case "confirmation":
      return `confirmation opened by ${OPENED_BY[entry.openedBy] ?? entry.openedBy}`;
    case "answer":
      return (
        `provider asked; it said ${shortText(entry.status)}; ` +
        `stored ${spanText(+entry.storedAt - +entry.at)} later`
      );
    case "verdict":
      return entry.state === "dead" ? "given up: now a dead letter" : `verdict: ${entry.verdict ?? "none"}`;
    case "ask_failed":
      return `asking the provider failed: ${entry.error}`;
    case "send_failed":
      return `sending to SNS failed: ${entry.error}`;
    case "action": {
      const what = /^(pause|resume|replay)\./.test(entry.action)
        ? `${entry.action} of ${entry.subject}`
        : entry.action;
      return `${what} by ${entry.actor}${entry.reason === null ? "" : `: ${entry.reason}`}`;
    }
    case "event":
      return `${entry.type} written to the outbox, event id ${entry.id}`;
    case "publication": {
      const by = entry.replayedBy === null ? "" : ` by ${entry.replayedBy}`;
      const replay = entry.replayId === null ? "" : ` (replay ${entry.replayId}${by})`;
      return `SNS accepted it${replay}: message ${entry.messageId} on ${entry.topicArn}`;
    }
    case "alarm":
      return `alarm ${entry.name}${entry.times > 1 ? ` (${entry.times} times)` : ""}: ${entry.detail}`;
    case "alarm_cleared":
      return `alarm ${entry.name} cleared`;
  }
}

const OPENED_BY: Partial<Record<OpenedBy, string>> = { callback: "a callback", operator: "an operator" };

const time = (at: Date): string => at.toISOString().replace("T", " ");
