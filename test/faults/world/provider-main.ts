/**
 * A provider of the interface in a process of its own: keeps invoices in memory, answers properly or
 * according to its mood, and records every request and response. Arguments: the folder of the history, and
 * the sources as JSON (`{"<API key>": "<source>"}`). Prints its port on stdout.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { Recorder } from "../history/recorder.ts";
import { type KeptInvoice, shownInvoice, shownPage } from "./provider-books.ts";
import { type Answer, type Mood, moody } from "./provider-mood.ts";

const [folder = ".", keysText = "{}"] = process.argv.slice(2);
const keys = new Map(Object.entries(JSON.parse(keysText) as Record<string, string>));
const recorder = new Recorder(folder, "provider");
const invoices = new Map<string, KeptInvoice>();
let mood: Mood = { kind: "well" };
let asks = 0;

const notFound: Answer = {
  status: 404,
  body: { status: 404, message: "Invoice with the given Id does not exist", type: "NotFound", errors: [] },
};
const collectionName = (id: string) => `Collection ${id.slice(0, 8)}`;

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://provider");
  const parts = url.pathname.split("/").filter((part) => part !== "");
  if (parts[0] === "_control") void control(parts, request, response);
  else void answerApi(url, parts.slice(2), request, response);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));

/** `PUT /_control/mood`; `PUT /_control/invoices` with a list of changes, each with the id. */
async function control(
  [, what]: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const given = await json(request);
  if (what === "mood") mood = given as Mood;
  else for (const change of given as (Partial<KeptInvoice> & { id: string })[]) keep(change);
  response.writeHead(204).end();
}

function keep(change: Partial<KeptInvoice> & { id: string }): void {
  const time = new Date().toISOString();
  const before = invoices.get(change.id);
  const kept: KeptInvoice = {
    collectionId: "",
    sources: [],
    type: "Live",
    status: "Unpaid",
    amount: 1500.5,
    createdAt: time,
    paidAt: change.status === "Paid" ? time : null,
    ...before,
    modifiedAt: time,
    ...(change.status === "Paid" && before?.paidAt == null ? { paidAt: time } : {}),
    ...change,
  };
  invoices.set(kept.id, kept);
  const { id, status, type, sources } = kept;
  recorder.record({ what: "became", invoiceId: id, status, type, sources });
}

async function answerApi(
  url: URL,
  parts: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const source = keys.get(String(request.headers["x-api-key"])) ?? null;
  const [what = "", id = "", under = ""] = parts.map((part) => part.toLowerCase());
  const isGet = what === "invoices" && id !== "" && request.method === "GET";
  asks += 1;
  const ask = String(asks);
  if (isGet) recorder.record({ what: "asked", ask, source: source ?? "", invoiceId: id });
  const whole =
    source === null ? moody({ kind: "refuse" }, notFound) : wellAnswer(source, what, id, under, url);
  const answer = strikes() ? moody(mood, whole) : whole;
  const end = await send(answer, response);
  if (!isGet) return;
  const sane = answer.text === undefined && answer.never !== true;
  const data = sane ? (answer.body as { data?: Record<string, unknown> }).data : undefined;
  const wait = answer.headers?.["retry-after"];
  const retryAfterS = wait === undefined ? null : Number(wait);
  recorder.record({ what: "said", ask, status: answer.status, invoice: data ?? null, retryAfterS, end });
}

function strikes(): boolean {
  return !("share" in mood) || Math.random() < (mood.share ?? 1);
}

function wellAnswer(source: string, what: string, id: string, under: string, url: URL): Answer {
  if (what === "invoices") {
    const kept = invoices.get(id);
    if (kept === undefined || !kept.sources.includes(source)) return notFound;
    const data = shownInvoice(kept, collectionName(kept.collectionId));
    return { status: 200, body: { status: 200, message: "Invoice retrieved", data } };
  }
  const visible = [...invoices.values()].filter(
    ({ collectionId, sources }) => collectionId === id && sources.includes(source),
  );
  const data = under === "invoices" ? shownPage(visible, url.searchParams) : shownCollection(id);
  return { status: 200, body: { status: "success", message: "Retrieved", data } };
}

const shownCollection = (id: string) => ({
  id,
  collectionName: collectionName(id),
  description: "Fees",
  invoiceExpirationPeriod: "OneDay",
  paymentChannels: ["Card"],
  settlementFrequency: "Instant",
  serviceFeeBilling: "Payer",
  amount: null,
  dateCreated: "2026-01-01T00:00:00Z",
  status: "Active",
  collectionCategory: { id, name: "Schools" },
  collectionAccounts: [],
});

/** Resolves when the caller has the response, the provider broke off, or the caller disconnected. */
async function send(answer: Answer, response: ServerResponse): Promise<"whole" | "cut" | "closed"> {
  const gone = new Promise<"closed">((resolve) => response.once("close", () => resolve("closed")));
  if (answer.never === true) return await gone;
  if (answer.afterMs !== undefined) await Promise.race([delay(answer.afterMs), gone]);
  if (response.destroyed) return "closed";
  const text = answer.text ?? JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...answer.headers,
  });
  if (answer.cut === true) {
    response.write(text.slice(0, text.length >> 1), () => response.destroy());
    await gone;
    return "cut";
  }
  const sent = new Promise<"whole">((resolve) => response.once("finish", () => resolve("whole")));
  response.end(text);
  return await Promise.race([sent, gone]);
}
