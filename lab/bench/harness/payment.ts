import { newId } from "../../../src/platform/values/ids.ts";

const HOUR = new Date().toISOString().slice(0, 13);
const CALLBACK_URL = "https://relay.example.com/callbacks/0123456789012345678901/order-10023";

/** The answer to Get Invoice for a paid invoice, as the interface shows it (part A, Invoice). */
export const invoiceAnswer = (id: string): string =>
  JSON.stringify({
    ...{ status: 200, message: "Invoice retrieved" },
    data: {
      ...{ id, title: "School fees, second term", collectionName: "Term 2", payerName: "Ada Obi" },
      ...{ payerEmail: "ada.obi@example.com", payerPhoneNumber: "+2348012345678" },
      ...{ billerName: "Hill School", billerAddress: "1 Hill Road, Lagos" },
      ...{ billerEmail: "bursar@hill-school.example.com", amount: 1500.5, serviceCharge: 10, vat: 0.75 },
      ...{ totalAmount: 1511.25, settleableAmount: 1500.5, status: "Paid", serviceFeePayer: "Payer" },
      ...{ settlementFrequency: "Instant", type: "Live", paymentUrl: `https://pay.example.com/${id}` },
      ...{ dateCreated: `${HOUR}:00:00Z`, dateModified: `${HOUR}:00:00Z` },
      ...{ billerMetaData: { class: "4b", pupil: "10023" }, paymentDate: `${HOUR}:00:00Z` },
      ...{ paymentMethod: "Card", invoiceBeneficiaries: null, callBackUrl: CALLBACK_URL },
    },
  });

/** The callback that the provider sends for it (interface, part B, Callback). */
export const callbackBody = (notificationId: string, invoiceId: string): string =>
  JSON.stringify({
    ...{ id: notificationId, event: "payment.successful", createdAt: `${HOUR}:00:01Z` },
    data: {
      ...{ id: invoiceId, collectionId: COLLECTION_ID, title: "School fees, second term" },
      ...{ payerName: "Ada Obi", payerEmail: "ada.obi@example.com", amount: 1500.5, serviceCharge: 10 },
      ...{ vat: 0.75, totalAmount: 1511.25, type: "Live", status: "Paid", paymentDate: `${HOUR}:00:00Z` },
      ...{
        paymentMethod: "Card",
        billerMetaData: { class: "4b", pupil: "10023" },
        callBackUrl: CALLBACK_URL,
      },
    },
  });

export const COLLECTION_ID = "7b0f6a4e-2f5b-4d0e-9c53-0d7c2f6f1c11";

const TOKEN = "bench-token-0123456789abcdef";

export const CALLBACK_PATH = `/callbacks/${TOKEN}/order-10023`;

export const TOPIC_ARN = "arn:aws:sns:us-east-1:000000000000:invoice-events";

export interface Addresses {
  databaseUrl: string;
  providerUrl: string;
  snsUrl: string;
}

/** Settings of the relay, all others as they are by default. */
export const relayEnvironment = (
  { databaseUrl, providerUrl, snsUrl }: Addresses,
  collectionIds = "none",
) => ({
  ...{ PORT: "0", PUBLIC_URL: "https://relay.example.com", DATABASE_URL: databaseUrl },
  ...{ COLLECTION_API_URL: providerUrl, COLLECTION_API_KEY: "bench-api-key", COLLECTION_IDS: collectionIds },
  ...{ CALLBACK_TOKENS: TOKEN, SNS_TOPIC_ARN: TOPIC_ARN, AWS_REGION: "us-east-1" },
  AWS_ENDPOINT_URL_SNS: snsUrl,
});

const APPEND = `
  with logged as (
    insert into callback
      (id, received_at, source, method, path, query, reference, remote_address, found_by, invoice_ids,
       headers, body)
    values ($1, $2, 'default', 'POST', '/callbacks/***/order-10023', '', 'order-10023', '127.0.0.1', 'data.id',
      array[$3::uuid], $4, $5))
  insert into confirmation as known
    (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at)
  values ($3, 'default', 'unknown', 'callback', clock_timestamp(), clock_timestamp(), clock_timestamp())
  on conflict (invoice_id, source) do update set
    requests = known.requests + 1, attempt = 0, requested_at = clock_timestamp(), due_at = clock_timestamp(),
    state = 'due'`;

/** One prepared statement, one commit: the rows that the relay writes for one callback. */
export const appendCallback = (invoiceId: string, headers: readonly string[], body: Buffer) => ({
  name: "append",
  text: APPEND,
  values: [newId(), new Date(), invoiceId, JSON.stringify(headers), body],
});
