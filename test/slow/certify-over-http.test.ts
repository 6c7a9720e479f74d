import { describe, expect, it, onTestFinished } from "vitest";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import { certify } from "../../src/reconcile/certificate/certify.ts";
import { books, DAY_MS } from "../reconcile/relay-books.ts";
import { startCli } from "../support/cli-process.ts";
import { createEmptyTestDatabase } from "../support/database.ts";
import { fillBooks, idOf } from "./fill-books.ts";
import { heapAfterCollection } from "./heap-after-collection.ts";

const PAYMENTS = Number(process.env.CERTIFY_HTTP_PAYMENTS ?? 10_000);
const AT_ONCE = 10_000;
const MOST_HEAP_MB = 30;
const LOOK_EVERY = 50;

const DAY = new Date(Math.floor(Date.now() / DAY_MS - 2) * DAY_MS);
const COLLECTION = "c0113c70-0000-4000-8000-000000000001";
const KEY = "live_local_4f1c0d7e9a2b48d3b6e5";

/** The collection service as a process of its own, which lists so many payments of one day. */
async function serviceWithPayments(): Promise<string> {
  const database = await createEmptyTestDatabase();
  onTestFinished(() => database.drop());
  const service = startCli(["collection-service", "--port", "0", "--json"], { DATABASE_URL: database.url });
  await service.says('"settings"');
  const { url } = JSON.parse(service.output.stdout.trim().split("\n")[0] ?? "{}") as { url: string };
  const moment = DAY.toISOString();
  for (let first = 1; first <= PAYMENTS; first += AT_ONCE) {
    const invoices = Array.from({ length: Math.min(AT_ONCE, PAYMENTS - first + 1) }, (_, n) => ({
      id: idOf(first + n),
      createdAt: moment,
      paidAt: moment,
      amount: "10.01",
    }));
    const made = await fetch(`${url}/_control/invoices`, {
      method: "POST",
      body: JSON.stringify({ collectionId: COLLECTION, invoices }),
    });
    expect(made.status).toBe(201);
  }
  return url;
}

describe("a certificate of very many payments that a provider in a process of its own lists", () => {
  it("is read page by page over HTTP, holds no period in memory, and tells how far it is", async () => {
    const given = await books();
    const baseUrl = await serviceWithPayments();
    const provider = collectionApiProvider({ baseUrl, apiKey: KEY });
    onTestFinished(() => provider.close());
    await fillBooks(given, DAY, PAYMENTS);

    const before = heapAfterCollection();
    const startedAt = performance.now();
    let [most, reports] = [0, 0];
    const told: string[] = [];
    const [certificate] = await certify(given.context, {
      source: { ...given.source, provider, collectionIds: [COLLECTION], lookbackMs: DAY_MS },
      window: { from: DAY, to: new Date(DAY.getTime() + DAY_MS) },
      collectionId: null,
      signal: new AbortController().signal,
      onProgress: ({ step, done }) => {
        told.push(`${step} ${done}`);
        if (reports++ % LOOK_EVERY === 0) most = Math.max(most, heapAfterCollection() - before);
      },
    });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(
      `certify over HTTP: ${PAYMENTS} payments, ${certificate?.basis.pages} pages in ${seconds} s, heap after collection at most ${Math.round(most / 1e6)} MB more than before\n`,
    );
    expect(certificate).toMatchObject({ result: "equal", total: { published: { count: PAYMENTS } } });
    expect(new Set(told.map((line) => line.split(" ")[0]))).toEqual(new Set(["lists", "invoices", "books"]));
    expect(most / 1e6).toBeLessThan(MOST_HEAP_MB);
  }, 3_600_000);
});
