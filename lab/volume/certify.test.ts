import { expect, it } from "vitest";
import { certify } from "../../src/pipeline/reconcile/certificate/certify.ts";
import type { PageRequest, Provider } from "../../src/provider/provider.ts";
import { books, DAY_MS, TOPIC } from "../../test/pipeline/reconcile/relay-books.ts";
import { fillPayments, idOf } from "./fill-payments.ts";
import { HeapWatch } from "./heap.ts";

/** CERTIFY_PAYMENTS=1000000 is the figure in docs/performance.md. */
const PAYMENTS = Number(process.env.CERTIFY_PAYMENTS ?? 30_000);
/** Of the payments of a day the ids are kept while they are read. */
const HEAP_LIMIT_MB = 10 + PAYMENTS / 10_000;
/** Collecting takes long: the heap is looked at once in so many pages. */
const LOOK_EVERY = 200;

const DAY = new Date(Math.floor(Date.now() / DAY_MS - 2) * DAY_MS);

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
      ...{ id: idOf(first + n + 1, PAYMENTS), title: null, amount: "10.01", status: "Paid", payerName: null },
      ...{ payerEmail: null, dateCreated: DAY.toISOString(), datePaid: DAY.toISOString() },
    }));
    const more = { hasNextPage: last < totalCount, hasPreviousPage: page > 1 };
    return { kind: "page", page: { items, page, pageSize, totalCount, ...more } };
  },
};

it("a certificate of very many payments holds no period in memory", async () => {
  const given = await books();
  await fillPayments(given.query, PAYMENTS, { from: DAY, topicArn: TOPIC });
  const watch = new HeapWatch(LOOK_EVERY);
  const provider = {
    ...PROVIDER,
    readPage(...given: Parameters<Provider["readPage"]>) {
      watch.look();
      return PROVIDER.readPage(...given);
    },
  };
  const certificate = await certify(given.context, {
    source: { ...given.source, provider, lookbackMs: DAY_MS },
    window: { from: DAY, to: new Date(DAY.getTime() + DAY_MS) },
    signal: new AbortController().signal,
  });
  expect(certificate).toMatchObject({ result: "equal", total: { published: { count: PAYMENTS } } });
  expect(watch.report(`certify: ${PAYMENTS} payments`)).toBeLessThan(HEAP_LIMIT_MB);
}, 3_600_000);
