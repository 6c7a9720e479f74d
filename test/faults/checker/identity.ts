import { createHash } from "node:crypto";
import type { Evidence } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";
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
export function checkIdentity({ begun, accepted }: Evidence, books: Books): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G4", what, about });
  for (const { event, topicArn, messageId } of accepted) {
    const invoiceId = event.data?.invoiceId ?? "";
    const source = event.source?.replace("urn:invoice-relay:", "") ?? "";
    const topics = begun.sources[source];
    if (event.id !== identityOf(invoiceId)) find(`published with the id ${event.id}`, invoiceId);
    if (topics === undefined) find(`published for the unknown source "${source}"`, messageId);
    else if (topicArn !== (event.data?.type === "Live" ? topics.topicArn : topics.testTopicArn))
      find(`published on ${topicArn}`, invoiceId);
  }
  const byInvoice = groupBy(books.events, (event) => `${event.source} ${event.invoice_id} ${event.type}`);
  for (const [key, { length }] of byInvoice) if (length > 1) find(`${length} events`, key);
  for (const { id, invoice_id } of books.events)
    if (id !== identityOf(invoice_id)) find(`an event with the id ${id}`, invoice_id);
  return findings;
}
