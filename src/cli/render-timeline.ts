import type { OpenedBy } from "../confirm/queue/confirmation.ts";
import { shortText } from "../kit/text.ts";
import { spanText } from "../kit/time.ts";
import type { Entry, Timeline } from "../operate/timeline.ts";
import { meaningOf } from "../operate/timeline-meaning.ts";
import { plainText } from "./terminal-text.ts";

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

function wordsOf(entry: Entry): string {
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
