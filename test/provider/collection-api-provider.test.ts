import { randomUUID } from "node:crypto";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import {
  invoiceAnswer,
  NOT_FOUND,
  type Script,
  startScriptedProvider,
} from "../support/scripted-provider.ts";
import { describeProvider, type ProviderWorld, type Situation } from "./provider-suite.ts";

const KEY = "a-key-that-nobody-may-see";
const AMOUNT = "1500.50";

const page = { page: 1, pageSize: 2, totalCount: 1, hasNextPage: false, hasPreviousPage: false };

const refusal = (status: number, headers: Record<string, string> = {}): Script => ({
  status,
  body: { status, message: `No, ${KEY}`, type: "Refused", errors: [`key: ${KEY}`] },
  headers,
});

const webPage = (status: number): Script => ({
  status,
  body: `<html><title>${KEY}</title></html>`,
  headers: { "content-type": "text/html" },
});

/** What is answered, whatever was asked for. */
const ANSWERS: Record<Exclude<Situation, "works">, Script> = {
  "knows nothing": NOT_FOUND,
  "bare 404": webPage(404),
  "401": refusal(401),
  "403": refusal(403),
  "429": refusal(429),
  "429 for 120 s": refusal(429, { "retry-after": "120" }),
  "500": refusal(500),
  "a web page": webPage(200),
  "a redirect": { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } },
  "broken JSON": { status: 200, body: `{"status":200,"data":{"id":"${KEY}` },
  "half an answer": (_request, response) => {
    response.writeHead(200, { "content-length": "1000" }).write('{"status":');
    setImmediate(() => response.destroy());
  },
  "hangs up": (request) => void request.socket.destroy(),
  silence: () => undefined,
  "another id": invoiceAnswer(randomUUID(), { title: KEY }),
  "no amount": (request, response) => {
    const id = request.url?.split("/").at(-1);
    response.end(JSON.stringify({ status: 200, message: "ok", data: { id, status: "Paid", title: KEY } }));
  },
  "an odd optional field": (request, response) =>
    send(
      response,
      invoiceAnswer(request.url?.split("/").at(-1) ?? "", {
        totalAmount: "1511.25",
        dateModified: "yesterday",
        paymentDate: "",
        payerName: 17,
        billerMetaData: { tags: ["a"] },
        invoiceBeneficiaries: undefined,
        neverSeenBefore: { deep: [1] },
      }),
    ),
};

/** The parts of the contract that the suite asks for. */
function works({ invoiceId, collectionId }: { invoiceId: string; collectionId: string }): Script {
  const collection = { id: collectionId, collectionName: "Term 1" };
  const items = [{ id: invoiceId, amount: 1500.5, status: "Paid" }];
  return ({ url = "" }, response) => {
    if (url === `/api/v1/invoices/${invoiceId}`) return send(response, invoiceAnswer(invoiceId));
    const data = url.includes("/invoices?") ? { ...page, items } : collection;
    const known = url.includes(collectionId);
    send(response, known ? { status: 200, body: { status: "success", message: "ok", data } } : NOT_FOUND);
  };
}

function send(response: Parameters<Extract<Script, (...given: never[]) => void>>[1], script: Script): void {
  if (typeof script !== "object") throw new Error("only an answer that is known can be sent");
  response.writeHead(script.status, { "content-type": "application/json" }).end(JSON.stringify(script.body));
}

async function world(): Promise<ProviderWorld> {
  const far = await startScriptedProvider();
  const ids = { invoiceId: randomUUID(), collectionId: randomUUID() };
  const provider = collectionApiProvider({ baseUrl: far.url, apiKey: KEY });
  return {
    ...ids,
    provider,
    key: KEY,
    amount: AMOUNT,
    meets: (situation) => far.otherwise(situation === "works" ? works(ids) : ANSWERS[situation]),
    close: () => far.close(),
  };
}

describeProvider(
  "the Collection API's adapter, by script",
  world,
  new Set<Situation>(["works", ...(Object.keys(ANSWERS) as Situation[])]),
);
