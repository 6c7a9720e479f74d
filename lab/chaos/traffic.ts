import { createHash, randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Environment, EnvironmentSource } from "../environment/environment.ts";
import type { Random } from "./random.ts";

/** The shapes of callbacks. */
const SHAPES = ["documented", "bare", "form", "redirect", "events"] as const;
type Shape = (typeof SHAPES)[number];

/** What happens to an invoice; common cases are listed more often; `of two sources`: every source sees it. */
const STORIES = [
  "paid",
  "paid",
  "paid",
  "called back several times",
  "called back too early",
  "never called back",
  "forged",
  "nobody's",
  "test",
  "invalid, then paid",
  "of two sources",
] as const;

const ANSWER_WITHIN_MS = 5_000;

/** Payments and their callbacks, until told to stop. The seed decides what happens, but not when it ends. */
export class Traffic {
  readonly #environment: Environment;
  readonly #random: Random;
  readonly #under = new Set<Promise<void>>();
  #stopping = false;

  constructor(environment: Environment, random: Random) {
    this.#environment = environment;
    this.#random = random;
  }

  /**
   * Starts invoices at this rate for this long; resolves when all their callbacks are sent. @throws the error
   * of an invoice.
   */
  async flow(perSecond: number, lengthMs: number): Promise<void> {
    for (const until = Date.now() + lengthMs; Date.now() < until && !this.#stopping; ) {
      const story = this.#tell();
      this.#under.add(story);
      story.then(
        () => this.#under.delete(story),
        () => this.stop(),
      );
      await delay(1_000 / perSecond);
    }
    await Promise.all(this.#under);
  }

  stop(): void {
    this.#stopping = true;
  }

  async #tell(): Promise<void> {
    const random = this.#random;
    const { provider, sources } = this.#environment;
    const story = random.one(STORIES);
    const id = random.uuid();
    const source = random.one(sources);
    const amount = random.between(1, 9_999_999) / 100;
    const pause = random.between(100, 1_500);
    const shape = random.one(SHAPES);
    const isShared = story === "of two sources";
    const callers = isShared ? sources : [source];
    const collectionId = isShared ? source.sharedCollectionId : source.collectionId;
    const keep = (status: string, type: "Live" | "Test" = "Live") =>
      provider.keep({ id, collectionId, sources: callers.map(({ name }) => name), amount, status, type });
    const call = (caller = source) => this.#call(caller, [id], shape);
    const changing = { "called back too early": "Unpaid", "invalid, then paid": "Invalidated" } as const;
    switch (story) {
      case "paid":
      case "of two sources":
      case "test":
        keep("Paid", story === "test" ? "Test" : "Live");
        for (const caller of callers) await call(caller);
        return;
      case "called back several times":
        keep("Paid");
        await Promise.all([call(), call(), call()]);
        return;
      case "called back too early":
      case "invalid, then paid":
        keep(changing[story]);
        await call();
        await delay(pause);
        keep("Paid");
        return await call();
      case "never called back":
        return keep("Paid");
      case "forged":
        keep("Unpaid");
        return await call();
      case "nobody's":
        return await call();
    }
  }

  /** Sends a callback, and while it is refused or unanswered again, up to three times. */
  async #call(source: EnvironmentSource, invoiceIds: string[], shape: Shape): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await sendCallback(this.#environment, source, invoiceIds, shape, this.#random.share())) return;
      await delay(300 * (attempt + 1));
    }
  }
}

/** @param share chooses the relay, by a share of those that run. @returns whether it got a 2xx. */
export async function sendCallback(
  { relays, recorder }: Environment,
  source: EnvironmentSource,
  invoiceIds: string[],
  shape: Shape,
  share = 0,
): Promise<boolean> {
  const running = relays.filter((relay) => relay.runs);
  const relay = running[Math.floor(share * running.length)];
  if (relay === undefined) return false;
  const id = randomUUID();
  const { method, query, body, contentType } = written(shape, invoiceIds);
  const digest = createHash("sha256").update(body).digest("hex");
  const sent = { source: source.name, method, query, body: digest, invoiceIds };
  recorder.record({ what: "sent", id, to: relay.name, ...sent });
  const headers = { "x-webhook-id": id, ...(contentType === null ? {} : { "content-type": contentType }) };
  const url = `${relay.callbackUrl}/callbacks/${source.token}${query === "" ? "" : `?${query}`}`;
  const answer = await send(url, { method, headers }, body);
  recorder.record({ what: "answered", id, ...answer });
  return answer.status !== null && answer.status < 300;
}

function written(shape: Shape, invoiceIds: string[]) {
  const post = (body: string, contentType = "application/json") => ({
    ...{ method: "POST", query: "", body, contentType },
  });
  const [id = ""] = invoiceIds;
  // A callback's other claims are always false, because none of them may be believed (G3).
  const lies = { status: "Paid", amount: 0.01, totalAmount: 0.01, payerEmail: "liar@example.com" };
  switch (shape) {
    case "documented":
      return post(JSON.stringify({ id: randomUUID(), event: "payment.successful", data: { id, ...lies } }));
    case "bare":
      return post(JSON.stringify({ id, ...lies }));
    case "events":
      return post(JSON.stringify({ events: invoiceIds.map((each) => ({ data: { id: each, ...lies } })) }));
    case "form":
      return post(`id=${id}`, "application/x-www-form-urlencoded");
    case "redirect":
      return { method: "GET", query: `invoiceId=${id}&status=Paid`, body: "", contentType: null };
  }
}

/** Uses its own connection; has a status only if the whole response arrived. */
function send(url: string, options: { method: string; headers: Record<string, string> }, body: string) {
  return new Promise<{ status: number | null; retryAfter: string | null }>((resolve) => {
    const lost = () => resolve({ status: null, retryAfter: null });
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const outgoing = request(url, { ...options, agent: false, signal });
    outgoing.on("error", lost);
    outgoing.on("response", (response) => {
      response.on("error", lost).on("aborted", lost).resume();
      const { statusCode: status = null, headers } = response;
      response.on("end", () => resolve({ status, retryAfter: headers["retry-after"] ?? null }));
    });
    outgoing.end(body);
  });
}
