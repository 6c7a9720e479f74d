import { Pool } from "undici";
import { exchange } from "../../../src/collection-api/exchange.ts";
import { answerParent } from "../harness/answer-parent.ts";
import { PublishBatcher } from "../harness/publish-batcher.ts";

// The limit that no database can reach: the same GETs over the same undici pool, read with plain JSON.parse
// and not judged, and the same PublishBatches through the AWS SDK. Nothing is kept.
const CONCURRENCY = 64;

let get: (id: string) => Promise<string>;
let batcher: PublishBatcher;

async function publish(id: string, answer: string): Promise<void> {
  const { data } = JSON.parse(answer);
  const payload = JSON.stringify({
    specversion: "1.0",
    id,
    source: "urn:invoice-relay:default",
    type: "invoice.paid",
    subject: id,
    time: data.paymentDate,
    datacontenttype: "application/json",
    dataschema: "urn:invoice-relay:schema:invoice.paid:v1",
    data: { ...data, invoiceId: id, paymentUrl: undefined, callBackUrl: undefined },
  });
  const outcome = await batcher.publish({
    id,
    invoiceId: id,
    source: "default",
    type: "invoice.paid",
    invoiceType: data.type,
    collectionName: data.collectionName,
    payload,
  });
  if (outcome.kind !== "accepted") throw new Error(outcome.error);
}

const calls = {
  start: ({ providerUrl, snsUrl }: { providerUrl: string; snsUrl: string }) => {
    const pool = new Pool(providerUrl, { connections: CONCURRENCY, headersTimeout: 0, bodyTimeout: 0 });
    const headers = {
      accept: "application/json",
      "user-agent": "invoice-relay",
      "x-api-key": "bench-api-key",
    };
    get = async (id) => {
      const request = { method: "GET" as const, path: `/api/v1/invoices/${id}`, headers, body: null };
      const answer = await exchange(pool, request, { timeoutMs: 10_000, signal: undefined });
      if (!("status" in answer)) throw new Error(answer.detail);
      return answer.text;
    };
    batcher = new PublishBatcher({ snsUrl, lingerMs: 5 });
  },
  drain: async (ids: string[]) => {
    // An answer makes room for the next GET; publishing goes on beside it, as in the relay.
    const published: Promise<void>[] = [];
    let next = 0;
    const ask = async () => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++])
        published.push(publish(id, await get(id)));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, ask));
    await Promise.all(published);
  },
};

export type NoDatabaseCalls = typeof calls;
answerParent(calls);
