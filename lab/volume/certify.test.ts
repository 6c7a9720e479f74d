import { expect, it } from "vitest";
import type { PageRequest, Provider } from "../../src/provider/provider.ts";
import { certify } from "../../src/reconcile/certificate/certify.ts";
import { type Books, books, DAY_MS, TOPIC } from "../../test/reconcile/relay-books.ts";
import { HeapWatch } from "./heap.ts";

/** CERTIFY_PAYMENTS=1000000 is the figure in docs/performance.md. */
const PAYMENTS = Number(process.env.CERTIFY_PAYMENTS ?? 30_000);
const HEAP_LIMIT_MB = 10;
/** Collecting takes long: the heap is looked at once in so many reports of progress. */
const LOOK_EVERY = 200;

const DAY = new Date(Math.floor(Date.now() / DAY_MS - 2) * DAY_MS);

const SLICE = 50_000;

/** The id of the n-th payment, from 1. */
const idOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

/** Payments of one day, 10.01 each, asked, stored and published. */
async function fillBooks({ query }: Books, day: Date, payments: number): Promise<void> {
  const ids = `generate_series($1::int, $2::int) as n,
    lateral (select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
      ('00000000-0000-5000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as event_id) as ids`;
  const iso = day.toISOString();
  const payload = `'{"id":"' || event_id || '","subject":"' || id || '","data":{"type":"Live","amount":"10.01","paidAt":"${iso}"}}'`;
  const document = `'{"id":"' || id || '","amount":10.01,"status":"Paid","type":"Live","paymentDate":"${iso}"}'`;
  for (const rows of [
    `confirmation (invoice_id, source, opened_at, requested_at, due_at, opened_by, state, verdict)
       select id, 'default', '${iso}', now(), now(), 'reconcile', 'done', 'paid' from ${ids}`,
    `invoice (id, source, status, type, paid_at, amount, asked_at, confirmed_at, document, digest)
       select id, 'default', 'Paid', 'Live', '${iso}', 10.01, now(), now(), (${document})::json,
         translate(rtrim(encode(sha256(convert_to(${document}, 'UTF8')), 'base64'), '='), '+/', '-_')
       from ${ids}`,
    `event (id, invoice_id, type, source, invoice_type, payload, created_at)
       select event_id, id, 'invoice.paid', 'default', 'Live', ${payload}, '${iso}' from ${ids}`,
    `publication (source, event_id, topic_arn, message_id, digest, published_at)
       select 'default', event_id, '${TOPIC}', 'm', sha256(convert_to(${payload}, 'UTF8')), '${iso}'
       from ${ids}`,
  ])
    for (let first = 1; first <= payments; first += SLICE)
      await query(`insert into ${rows}`, [first, Math.min(payments, first + SLICE - 1)]);
  await query("analyze");
}

const PROVIDER: Provider = {
  askInvoice: async () => ({
    kind: "not_found",
    inOwnWords: true,
    error: "Invoice with the given Id does not exist",
  }),
  getCollection: async (id) => ({ kind: "found", collection: { id, collectionName: "Term 1" } as never }),
  proveKey: async () => ({ kind: "taken" }),
  close: async () => undefined,
  /** A list of as many payments of one day as are asked for, none of them kept. */
  async readPage({ page, pageSize, startDate = "", endDate = "9", invoiceType, invoiceStatus }: PageRequest) {
    const day = DAY.toISOString().slice(0, 10);
    const matches =
      startDate <= day && day <= endDate && invoiceType !== "Test" && (invoiceStatus ?? "Paid") === "Paid";
    const totalCount = matches ? PAYMENTS : 0;
    const [first, last] = [(page - 1) * pageSize, Math.min(page * pageSize, totalCount)];
    const items = Array.from({ length: Math.max(0, last - first) }, (_, n) => ({
      ...{ id: idOf(first + n + 1), title: null, amount: "10.01", status: "Paid", payerName: null },
      ...{ payerEmail: null, dateCreated: DAY.toISOString(), datePaid: DAY.toISOString() },
    }));
    const more = { hasNextPage: last < totalCount, hasPreviousPage: page > 1 };
    return { kind: "page", page: { items, page, pageSize, totalCount, ...more } };
  },
};

it("a certificate of very many payments holds no period in memory, and tells how far it is", async () => {
  const given = await books();
  await fillBooks(given, DAY, PAYMENTS);
  const watch = new HeapWatch(LOOK_EVERY);
  const steps = new Set<string>();
  const [certificate] = await certify(given.context, {
    source: { ...given.source, provider: PROVIDER, lookbackMs: DAY_MS },
    window: { from: DAY, to: new Date(DAY.getTime() + DAY_MS) },
    collectionId: null,
    signal: new AbortController().signal,
    onProgress: ({ step }) => {
      steps.add(step);
      watch.look();
    },
  });
  expect(certificate).toMatchObject({ result: "equal", total: { published: { count: PAYMENTS } } });
  expect(steps).toEqual(new Set(["lists", "invoices", "books"]));
  expect(watch.report(`certify: ${PAYMENTS} payments`)).toBeLessThan(HEAP_LIMIT_MB);
}, 3_600_000);
