import { type InvoiceWritten, invoiceWritten } from "../../provider/index.ts";

interface CallbackSubject {
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

/** The parts of a request that a variant sets; a POST unless it says otherwise. */
type Shape = Partial<CallbackRequest>;

const post = (contentType: string, body: string | Buffer): Shape => ({
  headers: { "content-type": contentType },
  body: Buffer.from(body),
});
const json = (value: unknown) => post("application/json", JSON.stringify(value));
const form = (fields: Record<string, string>) =>
  post("application/x-www-form-urlencoded", new URLSearchParams(fields).toString());

/** The shapes that callbacks take across comparable providers (interface, part C); `documented` is part B's. */
const SHAPES = {
  documented: (subject) => json(notification(subject)),
  bare: ({ invoice: { id, status } }) => json({ id, status }),
  envelope: ({ invoice: { id, status } }) => json({ status: "success", data: { id, invoiceStatus: status } }),
  form: ({ invoice: { id } }) => form({ id }),
  "form-json": (subject) => form({ data: JSON.stringify(notification(subject).data) }),
  redirect: ({ url, invoice: { id, status } }) => ({ method: "GET", url: browserReturnUrl(url, id, status) }),
  "redirect-bare": () => ({ method: "GET" }),
  events: ({ invoice: { id } }) => json({ events: [{ data: { id } }] }),
  array: (subject) => json([notification(subject)]),
  "other-casing": ({ invoice: { id, status } }) =>
    json({ Event: "payment.successful", Data: { Id: id.toUpperCase(), Status: status } }),
  "text-plain": (subject) => post("text/plain", JSON.stringify(notification(subject))),
  "no-content-type": (subject) => ({ body: Buffer.from(JSON.stringify(notification(subject))) }),
  empty: () => post("application/json", ""),
  head: () => ({ method: "HEAD" }),
  ping: () => json({ event: "ping" }),
  strings: (subject) => json({ ...notification(subject), data: asStrings(subject) }),
  "unknown-event": (subject) =>
    json({ ...notification(subject), event: "invoice.expired", data: { id: subject.invoice.id } }),
} as const satisfies Record<string, (subject: CallbackSubject) => Shape>;

export type CallbackVariant = keyof typeof SHAPES;

export const CALLBACK_VARIANTS = Object.keys(SHAPES) as [CallbackVariant, ...CallbackVariant[]];

/** The request that notifies the merchant of a payment: the documented one, or the selected variant. */
export function callbackRequest({
  variant,
  ...subject
}: CallbackSubject & { variant: CallbackVariant }): CallbackRequest {
  const { headers, ...shape }: Shape = SHAPES[variant](subject);
  const base = { "user-agent": "Tranzakt-Payment-Platform/1.0", "x-webhook-id": subject.webhookId };
  return { method: "POST", url: subject.url, body: null, ...shape, headers: { ...base, ...headers } };
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

function asStrings({ invoice, collectionId }: CallbackSubject) {
  const withoutZone = (time: string) => time.replace(/Z$/, "");
  return {
    ...invoice,
    collectionId,
    paymentDate: "",
    dateCreated: withoutZone(invoice.dateCreated),
    dateModified: withoutZone(invoice.dateModified),
  };
}

/** The address of a payer's browser afterwards: the callback URL, with the invoice's id and status. */
function browserReturnUrl(callbackUrl: string, invoiceId: string, status: string): string {
  const url = new URL(callbackUrl);
  url.searchParams.set("invoiceId", invoiceId);
  url.searchParams.set("status", status);
  return url.href;
}
