import type { OpenedBy } from "../confirm/queue/confirmation.ts";
import { moneyIn, shortText } from "../kit/text.ts";
import type { Timeline, TimelineEntry } from "./timeline.ts";

/** One invoice in one line, as the provider last described it. Pure. */
export function headlineOf(
  { invoices, confirmations }: Timeline,
  currencyOf: (source: string) => string | undefined,
): string {
  const [invoice] = invoices;
  if (invoice === undefined)
    return `source ${confirmations[0]?.source ?? "unknown"}; the provider has confirmed nothing yet`;
  const parts = [
    shortText(invoice.status),
    invoice.type,
    invoice.totalAmount === null
      ? null
      : `${moneyIn(currencyOf(invoice.source), invoice.totalAmount)} in total`,
    invoice.collectionName === null ? null : `collection "${invoice.collectionName}"`,
    invoice.paidAt === null ? null : `paid at ${clockText(invoice.paidAt)}`,
    invoice.reference === null ? null : `reference ${invoice.reference}`,
    invoice.erasedAt === null ? null : "personal data erased",
    `source ${invoices.map(({ source }) => source).join(" and ")}`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

export function wordsOf(entry: TimelineEntry): string {
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
      return `provider asked; it said ${shortText(entry.status)}`;
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

/** A time of a timeline, to the millisecond. */
export const clockText = (at: Date): string => at.toISOString().replace("T", " ");
