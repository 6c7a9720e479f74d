import { createHash } from "node:crypto";
import { type Evidence, type Findings, troubleWithin } from "./evidence.ts";
import type { Books } from "./read-books.ts";

// Part of the contract with consumers: it never changes.
const NAMESPACE = Buffer.from("6f0f6a4e2f5b5d0e9c530d7c2f6f1c11", "hex");

/** UUIDv5 of `<invoice id in lower case>/invoice.paid` (RFC 9562, 5.5). */
export function identityOf(invoiceId: string): string {
  const name = Buffer.from(`${invoiceId.toLowerCase()}/invoice.paid`);
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * G4: every event of an invoice has the same id, however often it was published, and goes to its source's own
 * topic.
 */
export function* checkIdentity({ begun, accepted }: Evidence, books: Books): Findings {
  for (const { event, topicArn, messageId } of accepted) {
    const invoiceId = event.data?.invoiceId ?? "";
    const source = event.source?.replace("urn:invoice-relay:", "") ?? "";
    const topics = begun.sources[source];
    if (event.id !== identityOf(invoiceId)) yield [`published with the id ${event.id}`, invoiceId];
    if (topics === undefined) yield [`published for the unknown source "${source}"`, messageId];
    else if (topicArn !== (event.data?.type === "Live" ? topics.topicArn : topics.testTopicArn))
      yield [`published on ${topicArn}`, invoiceId];
  }
  const byInvoice = Map.groupBy(books.events, (event) => `${event.source} ${event.invoice_id} ${event.type}`);
  for (const [key, { length }] of byInvoice) if (length > 1) yield [`${length} events`, key];
  for (const { id, invoice_id } of books.events)
    if (id !== identityOf(invoice_id)) yield [`an event with the id ${id}`, invoice_id];
}

/** A request affected by a fault may have started this long before it, in ms. */
const SLACK_MS = 3_000;

/**
 * G5: what is marked as published was accepted, with that MessageId and exactly that payload; what was
 * accepted is marked, unless a fault kept the relay from knowing; and nothing is sent twice without such a
 * reason.
 */
export function* checkPublished(evidence: Evidence, books: Books): Findings {
  const accepted = new Map(evidence.accepted.map((line) => [`${line.topicArn} ${line.messageId}`, line]));
  const marks = Map.groupBy(books.publications, (row) => `${row.source} ${row.event_id}`);
  const waiting = Map.groupBy(books.outbox, (row) => `${row.source} ${row.event_id}`);
  const events = new Map(books.events.map((event) => [`${event.source} ${event.id}`, event]));

  for (const row of books.publications) {
    const line = accepted.get(`${row.topic_arn} ${row.message_id}`);
    const event = events.get(`${row.source} ${row.event_id}`);
    if (line === undefined) yield ["marked as published, but SNS never accepted it", row.event_id];
    else if (event === undefined) yield ["marked as published, but the event does not exist", row.event_id];
    else if (line.message !== event.payload && !event.erased)
      yield ["published with another payload than is stored", row.event_id];
  }
  for (const [key, event] of events) {
    const isOpen = waiting.get(key) ?? [];
    if (isOpen.some(({ state }) => state === "due" || state === "claimed"))
      yield ["still to be sent at the end", event.id];
    if (isOpen.length === 0 && !marks.has(key)) yield ["neither published nor to be sent", event.id];
  }

  const marked = new Set(books.publications.map((row) => `${row.topic_arn} ${row.message_id}`));
  for (const line of evidence.accepted) {
    if (marked.has(`${line.topicArn} ${line.messageId}`)) continue;
    if (troubleWithin(evidence, line.at, line.at, SLACK_MS) === undefined)
      yield ["accepted by SNS but not marked, without a fault at the time", String(line.event.id)];
  }
  const copies = Map.groupBy(
    evidence.accepted.filter((line) => line.replay === null),
    (line) => `${line.topicArn} ${line.event.id}`,
  );
  for (const lines of copies.values())
    for (const [index, line] of lines.entries()) {
      const before = lines[index - 1];
      if (before !== undefined && troubleWithin(evidence, before.at, line.at, SLACK_MS) === undefined)
        yield ["sent again, without a fault since it was accepted", String(line.event.id)];
    }
}

/** G10: with reconciliation, every payment at the provider was published for every source that sees it. */
export function* checkAllFound({ begun, became, accepted }: Evidence): Findings {
  const published = new Set(accepted.map(({ topicArn, event }) => `${topicArn} ${event.data?.invoiceId}`));
  for (const [invoiceId, changes] of Map.groupBy(became, (change) => change.invoiceId)) {
    const last = changes.at(-1);
    if (last?.status !== "Paid") continue;
    for (const source of last.sources) {
      const topics = begun.sources[source];
      const topicArn = last.type === "Live" ? topics?.topicArn : topics?.testTopicArn;
      if (!published.has(`${topicArn} ${invoiceId}`))
        yield ["paid at the provider, but never published", `${source} ${invoiceId}`];
    }
  }
}
