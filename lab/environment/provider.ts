import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { startServer } from "../../test/support/own-server.ts";
import type { Random } from "../chaos/random.ts";
import type { Recorder } from "../checker/history.ts";

/** An invoice as the provider keeps it. */
export interface KeptInvoice {
  id: string;
  collectionId: string;
  /** The sources whose keys may see it. */
  sources: string[];
  type: "Live" | "Test";
  status: string;
  amount: number;
  createdAt: string;
  modifiedAt: string;
  paidAt: string | null;
}

/**
 * How the provider misbehaves: its answer to all requests, or to a share of them.
 * - `down`: 503
 * - `slow`: answers after `ms`
 * - `cut`: breaks off in the middle of its response
 * - `hang`: never answers
 * - `broken`: 200 with truncated JSON
 * - `other-id`: answers with an invoice of another id
 * - `limit`: 429, `retryAfterS` in Retry-After
 * - `refuse`: 401 for every operation, as for a key that was withdrawn
 * - `gateway`: a 404 page that does not follow the interface
 * - `forget`: the interface's own "does not exist" for an invoice that exists
 */
export interface Behaviour {
  kind: keyof typeof MISBEHAVIOURS;
  share?: number;
  ms?: number;
  retryAfterS?: number;
}

/** A response as it is sent. */
interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: { data?: unknown };
  /** Text to send instead of the JSON body. */
  text?: string;
  afterMs?: number;
  /** Breaks off after half of the text. */
  cut?: boolean;
  never?: boolean;
}

const refusal = (status: number, message: string, headers = {}): Answer => ({
  status,
  headers,
  body: { status, message, type: "Refused", errors: [] } as object,
});

const NOT_FOUND = refusal(404, "Invoice with the given Id does not exist");

/** Each changes a response. */
const MISBEHAVIOURS = {
  well: (answer: Answer): Answer => answer,
  down: () => refusal(503, "Service unavailable"),
  slow: (answer: Answer, { ms = 0 }) => ({ ...answer, afterMs: ms }),
  cut: (answer: Answer) => ({ ...answer, cut: true }),
  hang: (answer: Answer) => ({ ...answer, never: true }),
  broken: (answer: Answer) => ({ ...answer, text: JSON.stringify(answer.body).slice(0, -20) }),
  "other-id": (answer: Answer) => ({ ...answer, body: withOtherId(answer.body) }),
  limit: (_: Answer, { retryAfterS = 1 }) =>
    refusal(429, "Too many requests", { "retry-after": String(retryAfterS) }),
  refuse: () => refusal(401, "Invalid API key"),
  gateway: () => ({ ...refusal(404, "", { "content-type": "text/html" }), text: "<h1>Not found</h1>" }),
  forget: () => NOT_FOUND,
} satisfies Record<string, (answer: Answer, how: { ms?: number; retryAfterS?: number }) => Answer>;

function withOtherId({ data, ...envelope }: { data?: unknown }) {
  const { id, ...fields } = (data ?? {}) as Record<string, unknown>;
  if (typeof id !== "string") return { data, ...envelope };
  return { ...envelope, data: { ...fields, id: id.slice(0, -1) + (id.endsWith("0") ? "1" : "0") } };
}

const collectionName = (id: string) => `Collection ${id.slice(0, 8)}`;

const shownCollection = (id: string) => ({
  ...{ id, collectionName: collectionName(id), description: "Fees", invoiceExpirationPeriod: "OneDay" },
  ...{ paymentChannels: ["Card"], settlementFrequency: "Instant", serviceFeeBilling: "Payer", amount: null },
  ...{ dateCreated: "2026-01-01T00:00:00Z", status: "Active", collectionCategory: { id, name: "Schools" } },
  collectionAccounts: [],
});

/** As Get Invoice returns it; written by hand from the interface, part A. */
export function shownInvoice(kept: KeptInvoice): Record<string, unknown> {
  const { datePaid, ...listed } = listedInvoice(kept);
  return {
    ...listed,
    ...{ collectionName: collectionName(kept.collectionId), payerPhoneNumber: "+2348012345678" },
    ...{ billerName: "Hill School", billerAddress: "1 Hill Road", billerEmail: "bursar@example.com" },
    ...{ serviceCharge: 10, vat: 0.75, totalAmount: Math.round((kept.amount + 10.75) * 100) / 100 },
    ...{ settleableAmount: kept.amount, serviceFeePayer: "Payer", settlementFrequency: "Instant" },
    ...{ type: kept.type, paymentUrl: `https://pay.example.com/${kept.id}`, dateModified: kept.modifiedAt },
    ...{ billerMetaData: { class: "4b" }, paymentDate: datePaid, invoiceBeneficiaries: null },
    paymentMethod: datePaid === null ? null : "Card",
    callBackUrl: "https://relay.example.com/callbacks/0123456789012345678901",
  };
}

const listedInvoice = ({ id, amount, status, createdAt, paidAt }: KeptInvoice) => ({
  ...{ id, title: `Fees of ${id.slice(0, 8)}`, amount, status, payerName: "Ada Obi" },
  ...{ payerEmail: `ada.${id.slice(0, 8)}@example.com`, dateCreated: createdAt, datePaid: paidAt },
});

/** One page of Get Collection Invoices; the dates of the filter select by creation. */
function shownPage(invoices: readonly KeptInvoice[], filter: URLSearchParams) {
  // Parameters and statuses are compared without case, as lenient providers do.
  const asked = new Map([...filter].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]));
  const page = Number(asked.get("page") ?? 1);
  const pageSize = Number(asked.get("pagesize") ?? 20);
  const fits = (name: string, value: string) =>
    (asked.get(name) ?? value.toLowerCase()) === value.toLowerCase();
  const fitting = invoices.filter(({ status, type, createdAt }) => {
    const day = createdAt.slice(0, 10);
    const isWithin = day >= (asked.get("startdate") ?? "") && day <= (asked.get("enddate") ?? "9999");
    return isWithin && fits("invoicestatus", status) && fits("invoicetype", type);
  });
  const from = (page - 1) * pageSize;
  const items = fitting.slice(from, from + pageSize).map(listedInvoice);
  const hasNextPage = from + pageSize < fitting.length;
  return { items, page, pageSize, totalCount: fitting.length, hasNextPage, hasPreviousPage: page > 1 };
}

/**
 * A provider of the interface: keeps invoices in memory, answers properly or according to its behaviour, and
 * records every change, request and answer.
 * @param keys the source that each API key belongs to.
 * @param random chooses whom a behaviour strikes that has a share.
 */
export async function startProvider(recorder: Recorder, keys: ReadonlyMap<string, string>, random: Random) {
  const invoices = new Map<string, KeptInvoice>();
  let behaviour: Behaviour = { kind: "well" };
  let asks = 0;

  function wellAnswer(source: string, [what, id = "", under]: string[], filter: URLSearchParams): Answer {
    if (what === "invoices") {
      const kept = invoices.get(id);
      if (kept === undefined || !kept.sources.includes(source)) return NOT_FOUND;
      return { status: 200, body: { data: shownInvoice(kept), ...{ status: 200, message: "Retrieved" } } };
    }
    const visible = [...invoices.values()].filter(
      ({ collectionId, sources }) => collectionId === id && sources.includes(source),
    );
    const data = under === "invoices" ? shownPage(visible, filter) : shownCollection(id);
    return { status: 200, body: { data, ...{ status: "success", message: "Retrieved" } } };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://provider");
    const source = keys.get(String(request.headers["x-api-key"])) ?? null;
    const path = url.pathname.toLowerCase().split("/").slice(3);
    const isGet = path[0] === "invoices" && path[1] !== undefined && request.method === "GET";
    asks += 1;
    const ask = String(asks);
    if (isGet) recorder.record({ what: "asked", ask, source: source ?? "", invoiceId: path[1] ?? "" });
    const now = behaviour;
    const strikes = now.share === undefined || random.share() < now.share;
    const whole =
      source === null ? refusal(401, "Invalid API key") : wellAnswer(source, path, url.searchParams);
    const answer = strikes ? MISBEHAVIOURS[now.kind](whole, now) : whole;
    const end = await send(answer, response);
    if (!isGet) return;
    const isSane = answer.text === undefined && answer.never !== true;
    const invoice = ((isSane ? answer.body.data : undefined) ?? null) as Record<string, unknown> | null;
    const wait = answer.headers?.["retry-after"];
    const retryAfterS = wait === undefined ? null : Number(wait);
    recorder.record({ what: "said", ask, status: answer.status, invoice, retryAfterS, end });
  }

  const { port, close } = await startServer((request, response) => void serve(request, response));
  return {
    port,
    close,
    /** Adds an invoice, or changes the one with this id. */
    keep(change: Partial<KeptInvoice> & { id: string }): void {
      const time = new Date().toISOString();
      const before = invoices.get(change.id);
      const kept: KeptInvoice = {
        ...{ collectionId: "", sources: [], type: "Live", status: "Unpaid", amount: 1500.5, createdAt: time },
        ...{ paidAt: null, ...before, modifiedAt: time },
        ...(change.status === "Paid" && before?.paidAt == null ? { paidAt: time } : {}),
        ...change,
      };
      invoices.set(kept.id, kept);
      const { id, status, type, sources } = kept;
      recorder.record({ what: "became", invoiceId: id, status, type, sources });
    },
    behave(as: Behaviour): void {
      behaviour = as;
    },
  };
}

/** Resolves when the caller has the response, the provider broke off, or the caller disconnected. */
async function send(answer: Answer, response: ServerResponse): Promise<"whole" | "cut" | "closed"> {
  const gone = new Promise<"closed">((resolve) => response.once("close", () => resolve("closed")));
  if (answer.never === true) return await gone;
  if (answer.afterMs !== undefined) await Promise.race([delay(answer.afterMs), gone]);
  if (response.destroyed) return "closed";
  const text = answer.text ?? JSON.stringify(answer.body);
  const headers = { "content-type": "application/json", ...answer.headers };
  response.writeHead(answer.status, { ...headers, "content-length": Buffer.byteLength(text) });
  if (answer.cut === true) {
    response.write(text.slice(0, text.length >> 1), () => response.destroy());
    await gone;
    return "cut";
  }
  const sent = new Promise<"whole">((resolve) => response.once("finish", () => resolve("whole")));
  response.end(text);
  return await Promise.race([sent, gone]);
}
