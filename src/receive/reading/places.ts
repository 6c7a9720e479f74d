/**
 * Where an invoice id sits in a callback, in order: the first place that holds a UUID wins, and all UUIDs of
 * that place are taken (interface, parts B and C). Keys match without regard to case, `_` and `-`, so
 * `invoiceId` also stands for `InvoiceID` and `invoice_id`. The same list reads JSON, form fields
 * (`data[id]=…` is `data.id`) and the query.
 *
 * - `a.b` holds the id itself, or an array of ids.
 * - `a.*` is a callback inside the callback, and every element of an array is one of its own: this list is
 *   read again for each, so that a mixed batch loses nobody.
 * - `id` is skipped where there is some `a.*`: an `id` beside one is the notification's.
 */
export const PLACES: readonly string[] = [
  // A name that says "invoice" beats an `id` beside it, which is then a payment's or an attempt's.
  "data.invoiceId",
  "data.invoiceIds",
  "data.invoice.id",
  // A whole callback sent as the form field `data`.
  "data.data.id",
  // The documented callback, and the envelope of the API. Before the top-level `id`, which is the
  // notification's.
  "data.id",
  "invoiceId",
  "invoiceIds",
  "invoice.id",
  "invoice",
  "data.*",
  "events.*",
  "notifications.*",
  "invoices.*",
  "event.*",
  "payload.*",
  "body.*",
  "message.*",
  "notification.*",
  "resource.*",
  "object.*",
  "content.*",
  // A bare invoice, and what Mollie sends as a form.
  "id",
  // After `id`: on a bare invoice these are its lines.
  "items.*",
];

/** How many `a.*` and arrays may lie within each other before a body is left to the scan. */
export const PLACES_DEPTH = 4;

/**
 * Keys below which a UUID is never the invoice's: the scan passes them over (interface, part A for the
 * resources, part B for the notification's). `callBackUrl` and `billerMetaData` are the merchant's own,
 * written before the invoice had an id, and the URL holds a token. In doubt a key is not listed: a wrong id
 * costs one request, a missed one costs a payment's event until the next sweep.
 */
export const UNRELATED_KEYS: readonly string[] = [
  "collectionId",
  "collection",
  "collectionCategory",
  "collectionAccounts",
  "linkedAccount",
  "linkedAccountId",
  "invoiceBeneficiaries",
  "bank",
  "bankId",
  "callBackUrl",
  "billerMetaData",
  "biller",
  "billerId",
  "payer",
  "payerId",
  "customer",
  "customerId",
  "merchantId",
  "businessId",
  "accountId",
  "tenantId",
  "organizationId",
  "userId",
  "webhookId",
  "eventId",
  "notificationId",
  "deliveryId",
  "messageId",
  "requestId",
  "correlationId",
  "traceId",
  "idempotencyKey",
  "apiKey",
  "token",
  "signature",
  "nonce",
];

/** One spelling for `invoiceId`, `InvoiceID`, `invoice_id` and `invoice-id`. */
export function plainName(key: string): string {
  // A pattern takes five times as long, and nearly no key has either sign.
  const plain = key.includes("_") || key.includes("-") ? key.replaceAll(/[_-]/g, "") : key;
  return plain.toLowerCase();
}
