import { gzipSync } from "node:zlib";
import { type InvoiceWritten, invoiceWritten } from "../../../collection-api/contract/index.ts";

/**
 * The shapes that callbacks take across comparable providers (interface, part C); `documented` is part B's.
 */
export const CALLBACK_VARIANTS = [
  "documented",
  "bare",
  "envelope",
  "form",
  "form-json",
  "redirect",
  "redirect-bare",
  "events",
  "array",
  "other-casing",
  "text-plain",
  "no-content-type",
  "gzip",
  "empty",
  "head",
  "ping",
  "strings",
  "unknown-event",
] as const;

export type CallbackVariant = (typeof CALLBACK_VARIANTS)[number];

interface CallbackSubject {
  readonly variant: CallbackVariant;
  readonly url: string;
  readonly webhookId: string;
  readonly notificationId: string;
  readonly collectionId: string;
  readonly queuedAt: Date;
  readonly invoice: InvoiceWritten;
}

export interface CallbackRequest {
  readonly method: "POST" | "GET" | "HEAD";
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

/** The request that tells the merchant of a payment: the documented one, or the variant asked for. */
export function callbackRequest(subject: CallbackSubject): CallbackRequest {
  const { variant, url, webhookId, invoice } = subject;
  const base = { "user-agent": "Tranzakt-Payment-Platform/1.0", "x-webhook-id": webhookId };
  const post = (contentType: string | null, body: string | Buffer): CallbackRequest => ({
    method: "POST",
    url,
    headers: contentType === null ? base : { ...base, "content-type": contentType },
    body: Buffer.from(body),
  });
  const json = (value: unknown) => post("application/json", JSON.stringify(value));
  const form = (fields: Record<string, string>) =>
    post("application/x-www-form-urlencoded", new URLSearchParams(fields).toString());
  const status = invoice.status;
  const notice = () => notification(subject);

  switch (variant) {
    case "documented":
      return json(notice());
    case "bare":
      return json({ id: invoice.id, status });
    case "envelope":
      return json({ status: "success", data: { id: invoice.id, invoiceStatus: status } });
    case "form":
      return form({ id: invoice.id });
    case "form-json":
      return form({ data: JSON.stringify(notice().data) });
    case "redirect":
      return {
        method: "GET",
        url: browserReturnUrl(url, invoice.id, status),
        headers: base,
        body: null,
      };
    case "redirect-bare":
      return { method: "GET", url, headers: base, body: null };
    case "events":
      return json({ events: [{ data: { id: invoice.id } }] });
    case "array":
      return json([notice()]);
    case "other-casing":
      return json({ Event: "payment.successful", Data: { Id: invoice.id.toUpperCase(), Status: status } });
    case "text-plain":
      return post("text/plain", JSON.stringify(notice()));
    case "no-content-type":
      return post(null, JSON.stringify(notice()));
    case "gzip": {
      const packed = post("application/json", gzipSync(JSON.stringify(notice())));
      return { ...packed, headers: { ...packed.headers, "content-encoding": "gzip" } };
    }
    case "empty":
      return post("application/json", "");
    case "head":
      return { method: "HEAD", url, headers: base, body: null };
    case "ping":
      return json({ event: "ping" });
    case "strings":
      return json({ ...notice(), data: asStrings(invoice, subject.collectionId) });
    case "unknown-event":
      return json({ ...notice(), event: "invoice.expired", data: { id: invoice.id } });
  }
}

/** The documented body (interface, part B): `id` is the notification's, `data.id` the invoice's. */
function notification({ notificationId, queuedAt, invoice, collectionId }: CallbackSubject) {
  return {
    id: notificationId,
    event: "payment.successful",
    createdAt: queuedAt.toISOString(),
    data: { ...invoiceWritten.parse(invoice), collectionId },
  };
}

function asStrings(invoice: InvoiceWritten, collectionId: string) {
  const withoutZone = (time: string) => time.replace(/Z$/, "");
  return {
    ...invoice,
    collectionId,
    paymentDate: "",
    dateCreated: withoutZone(invoice.dateCreated),
    dateModified: withoutZone(invoice.dateModified),
  };
}

/** Where a payer's browser is sent afterwards: the callback URL, with what is to be looked at. */
export function browserReturnUrl(callbackUrl: string, invoiceId: string, status: string): string {
  const url = new URL(callbackUrl);
  url.searchParams.set("invoiceId", invoiceId);
  url.searchParams.set("status", status);
  return url.href;
}
