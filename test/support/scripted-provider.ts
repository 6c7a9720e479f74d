import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { startServer } from "./own-server.ts";

/** One answer of the provider: a status and a body, or anything a test wants to do with the response. */
export type Script =
  | { status: number; body: unknown; headers?: Record<string, string> }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** The interface's words, typed by hand from it (part A), not taken from our schema. */
export const NOT_FOUND: Script = {
  status: 404,
  body: { status: 404, message: "Invoice with the given Id does not exist", type: "NotFound", errors: [] },
};

/** An invoice as the interface shows it, wrapped as Get Invoice answers it. */
export function invoiceAnswer(id: string, changes: Record<string, unknown> = {}): Script {
  return {
    status: 200,
    body: {
      status: 200,
      message: "Invoice retrieved",
      data: {
        ...{ id, title: "School fees", collectionName: "Term 1", status: "Paid", type: "Live" },
        ...{ payerName: "Ada Obi", payerEmail: "ada@example.com", payerPhoneNumber: "+2348012345678" },
        ...{ billerName: "Hill School", billerAddress: "1 Hill Road", billerEmail: "bursar@example.com" },
        ...{ amount: 1500.5, serviceCharge: 10, vat: 0.75, totalAmount: 1511.25, settleableAmount: 1500.5 },
        ...{ serviceFeePayer: "Payer", settlementFrequency: "Instant", paymentMethod: "Card" },
        ...{ dateCreated: "2026-11-01T08:00:00Z", dateModified: "2026-11-01T09:00:00Z" },
        ...{
          paymentDate: "2026-11-01T09:00:00Z",
          billerMetaData: { class: "4b" },
          invoiceBeneficiaries: null,
        },
        paymentUrl: `https://pay.example.com/${id}`,
        callBackUrl: "https://relay.example.com/callbacks/0123456789012345678901",
        ...changes,
      },
    },
  };
}

/** The same invoice before it was paid. */
export const unpaidAnswer = (id: string, changes: Record<string, unknown> = {}): Script =>
  invoiceAnswer(id, {
    ...{ status: "Unpaid", paymentDate: null, paymentMethod: null, dateModified: "2026-11-01T08:00:00Z" },
    ...changes,
  });

/** A collection of that name, whichever is asked for, and no invoice in its list. */
export const emptyCollection =
  (collectionName: string): Script =>
  (request, response) => {
    const page = {
      ...{ items: [], page: 1, pageSize: 50, totalCount: 0 },
      ...{ hasNextPage: false, hasPreviousPage: false },
    };
    const id = request.url?.match(/[0-9a-f-]{36}/)?.[0];
    const data = request.url?.includes("/invoices?") ? page : { id, collectionName };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ status: "success", message: "ok", data }));
  };

/** A provider that answers what the test says, over real HTTP. */
export async function startScriptedProvider() {
  const scripts = new Map<string, Script[]>();
  const requests: string[] = [];
  let fallback: Script = NOT_FOUND;
  const { url, close } = await startServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const queue = scripts.get(path) ?? [];
    const script = (queue.length > 1 ? queue.shift() : queue[0]) ?? fallback;
    if (typeof script === "function") return script(request, response);
    const text = typeof script.body === "string" ? script.body : JSON.stringify(script.body);
    response.writeHead(script.status, { "content-type": "application/json", ...script.headers }).end(text);
  });
  /** The answers to Get Invoice for one id: used up one by one, the last one stays. */
  const invoice = (id: string, ...given: Script[]) => void scripts.set(`/api/v1/invoices/${id}`, given);
  return {
    url,
    /** Every request's path, in order. */
    requests,
    invoice,
    /** Holds the answer that an invoice is paid until it is released. */
    held(id: string) {
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const answer = invoiceAnswer(id);
      const hold: Script = async (_request, response) => {
        asked.resolve();
        await released.promise;
        if (typeof answer !== "function") response.writeHead(answer.status).end(JSON.stringify(answer.body));
      };
      invoice(id, hold, answer);
      return { asked: asked.promise, release: () => released.resolve() };
    },
    /** Knows one more invoice, which is paid. @returns its id */
    paid(changes?: Record<string, unknown>): string {
      const id = randomUUID();
      invoice(id, invoiceAnswer(id, changes));
      return id;
    },
    collection: (id: string, ...given: Script[]) => void scripts.set(`/api/v1/collections/${id}`, given),
    /** What is answered for anything that has no script. */
    otherwise: (script: Script) => {
      fallback = script;
    },
    close,
  };
}
