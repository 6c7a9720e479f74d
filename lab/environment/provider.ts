import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type OwnServer, startServer } from "../../test/support/own-server.ts";
import type { Random } from "../chaos/random.ts";
import type { Recorder } from "../history/recorder.ts";
import { type Answer, type Behaviour, misbehave } from "./provider-behaviour.ts";
import { type KeptInvoice, shownInvoice, shownPage } from "./provider-books.ts";

const NOT_FOUND: Answer = {
  status: 404,
  body: { status: 404, message: "Invoice with the given Id does not exist", type: "NotFound", errors: [] },
};

/**
 * A provider of the interface: keeps invoices in memory, answers properly or according to its behaviour, and
 * records every change, request and answer.
 */
export class Provider {
  readonly #recorder: Recorder;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #random: Random;
  readonly #invoices = new Map<string, KeptInvoice>();
  #behaviour: Behaviour = { kind: "well" };
  #asks = 0;
  #server: OwnServer | undefined;

  private constructor(recorder: Recorder, keys: ReadonlyMap<string, string>, random: Random) {
    this.#recorder = recorder;
    this.#keys = keys;
    this.#random = random;
  }

  /**
   * @param keys the source that each API key belongs to.
   * @param random chooses whom a behaviour strikes that has a share.
   */
  static async start(
    recorder: Recorder,
    keys: ReadonlyMap<string, string>,
    random: Random,
  ): Promise<Provider> {
    const provider = new Provider(recorder, keys, random);
    provider.#server = await startServer((request, response) => void provider.#serve(request, response));
    return provider;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  /** Adds an invoice, or changes the one with this id. */
  keep(change: Partial<KeptInvoice> & { id: string }): void {
    const time = new Date().toISOString();
    const before = this.#invoices.get(change.id);
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
    this.#invoices.set(kept.id, kept);
    const { id, status, type, sources } = kept;
    this.#recorder.record({ what: "became", invoiceId: id, status, type, sources });
  }

  feel(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://provider");
    const source = this.#keys.get(String(request.headers["x-api-key"])) ?? null;
    const [what = "", id = "", under = ""] = url.pathname.toLowerCase().split("/").slice(3);
    const isGet = what === "invoices" && id !== "" && request.method === "GET";
    this.#asks += 1;
    const ask = String(this.#asks);
    if (isGet) this.#recorder.record({ what: "asked", ask, source: source ?? "", invoiceId: id });
    const behaviour = this.#behaviour;
    const strikes = !("share" in behaviour) || this.#random.share() < (behaviour.share ?? 1);
    const whole =
      source === null
        ? misbehave({ kind: "refuse" }, NOT_FOUND)
        : this.#wellAnswer(source, what, id, under, url.searchParams);
    const answer = strikes ? misbehave(behaviour, whole) : whole;
    const end = await send(answer, response);
    if (!isGet) return;
    const sane = answer.text === undefined && answer.never !== true;
    const data = sane ? (answer.body as { data?: Record<string, unknown> }).data : undefined;
    const wait = answer.headers?.["retry-after"];
    const retryAfterS = wait === undefined ? null : Number(wait);
    const said = { ask, status: answer.status, invoice: data ?? null, retryAfterS, end };
    this.#recorder.record({ what: "said", ...said });
  }

  #wellAnswer(source: string, what: string, id: string, under: string, filter: URLSearchParams): Answer {
    if (what === "invoices") {
      const kept = this.#invoices.get(id);
      if (kept === undefined || !kept.sources.includes(source)) return NOT_FOUND;
      const data = shownInvoice(kept, collectionName(kept.collectionId));
      return { status: 200, body: { status: 200, message: "Invoice retrieved", data } };
    }
    const visible = [...this.#invoices.values()].filter(
      ({ collectionId, sources }) => collectionId === id && sources.includes(source),
    );
    const data = under === "invoices" ? shownPage(visible, filter) : shownCollection(id);
    return { status: 200, body: { status: "success", message: "Retrieved", data } };
  }
}

const collectionName = (id: string) => `Collection ${id.slice(0, 8)}`;

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
