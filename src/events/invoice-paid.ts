import { hash } from "node:crypto";
import { z } from "zod";

const money = z
  .string()
  .regex(/^-?\d+\.\d{2,}$/)
  .meta({
    description:
      "A decimal string with at least two decimals, in the merchant account's currency. No field names it.",
    examples: ["1500.50"],
  });
const utc = z.iso.datetime().describe("UTC, ISO 8601.");

/** The event, version 1, a CloudEvents 1.0 document. JSON Schema, types and documents are made from this definition. */
export const invoicePaidSchema = z
  .object({
    specversion: z.literal("1.0"),
    id: z
      .uuid()
      .describe("UUIDv5 of `<invoice id>/invoice.paid`: the idempotency key. The same for every copy."),
    source: z.string().meta({ examples: ["urn:invoice-relay:default"] }),
    type: z.literal("invoice.paid"),
    subject: z.guid().describe("The invoice's id."),
    time: utc.describe("When it was paid, or when that was confirmed if the provider names no time."),
    datacontenttype: z.literal("application/json"),
    dataschema: z.literal("urn:invoice-relay:schema:invoice.paid:v1"),
    traceparent: z
      .string()
      .optional()
      .meta({
        description:
          "The W3C trace context that the event came to be in (CloudEvents' distributed tracing " +
          "extension). Only while the relay traces.",
        examples: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
      }),
    data: z.object({
      invoiceId: z.guid(),
      reference: z.string().nullable().describe("The merchant's own, from the end of the callback URL."),
      collectionName: z.string().nullable(),
      title: z.string().nullable(),
      type: z.string().describe("`Live` or `Test`."),
      amount: money,
      serviceCharge: money.nullable(),
      vat: money.nullable(),
      totalAmount: money.nullable(),
      settleableAmount: money.nullable(),
      paymentMethod: z.string().nullable(),
      paidAt: utc.nullable().describe("null when the provider names no time."),
      confirmedAt: utc.describe("When the provider's answer was received."),
      payer: z
        .object({
          name: z.string().nullable(),
          email: z.string().nullable(),
          phoneNumber: z.string().nullable(),
        })
        .nullable(),
      biller: z
        .object({ name: z.string().nullable(), address: z.string().nullable(), email: z.string().nullable() })
        .nullable(),
      metadata: z.record(z.string(), z.string()).describe("The invoice's billerMetaData."),
      beneficiaries: z.array(z.object({ linkedAccountId: z.string(), amount: money })).nullable(),
      truncated: z
        .literal(true)
        .optional()
        .describe(
          "Present when metadata and beneficiaries were left out: too large for SNS, or nested too deep.",
        ),
    }),
  })
  .meta({
    title: "invoice.paid",
    description:
      "An invoice was paid, as the provider's API confirmed. In its texts U+FFFD stands for what many " +
      "systems refuse: control characters other than tabs and line ends, and halves of surrogate pairs.",
  });

export type InvoicePaid = z.output<typeof invoicePaidSchema>;
export type InvoicePaidData = InvoicePaid["data"];

/** The fixed namespace of event ids (G4). Changing it would publish every invoice again as new. */
const NAMESPACE = Buffer.from("6f0f6a4e2f5b5d0e9c530d7c2f6f1c11", "hex");

/**
 * The id of an invoice's event, the same for every finder (one identity, G4): a UUIDv5 (RFC 9562, 5.5).
 * Computed here because the uuid package, which goes through a hash object, takes five times as long for each
 * payment.
 */
export function invoicePaidId(invoiceId: string): string {
  const name = Buffer.from(`${invoiceId.toLowerCase()}/invoice.paid`);
  const bytes = hash("sha1", Buffer.concat([NAMESPACE, name]), "buffer");
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Why something that was received gives no event. */
export type InvoicePaidErrorKind =
  /** Nothing that the called function can read. */
  | "unreadable"
  /** An SNS message about the subscription, not a notification: `confirmSubscription` takes it. */
  | "not_a_notification"
  /** It comes from a topic that was not named. */
  | "untrusted_topic"
  /** It was signed too long ago, or in the future. */
  | "stale"
  /** It was signed with SHA-1: the topic's attribute SignatureVersion is not 2. */
  | "weak_signature"
  /** The certificate stands where SNS keeps none, or it is not valid now. */
  | "untrusted_certificate"
  /** The signature does not fit: it was not sent by SNS, or was changed on its way. */
  | "forged"
  /** The certificate, or the subscription's address, could not be fetched, or may not be just now. */
  | "unreachable"
  /** An event of another type or version than this one. */
  | "another_event"
  /** It says that it is an `invoice.paid`, and does not look like one. */
  | "invalid_event";

/** A received message that is no event for a handler. The error's message quotes only names from it. */
export class InvoicePaidError extends Error {
  readonly kind: InvoicePaidErrorKind;
  /** Whether the same input may be good another time: then let it be delivered again. */
  readonly retry: boolean;

  constructor(kind: InvoicePaidErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "InvoicePaidError";
    this.kind = kind;
    // A topic that was set up wrongly should lose no event until that is put right.
    this.retry = kind === "unreachable" || kind === "weak_signature";
  }
}
