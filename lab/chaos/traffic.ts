import { createHash, randomUUID } from "node:crypto";
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Environment, EnvironmentSource } from "../environment/environment.ts";
import type { Random } from "./random.ts";

/** The shapes of callbacks. */
const SHAPES = ["documented", "bare", "form", "redirect", "events"] as const;
type Shape = (typeof SHAPES)[number];

/** What happens to an invoice; common cases are listed more often. */
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
] as const;

/** Where several accounts may see one invoice. */
const STORIES_OF_SEVERAL = [...STORIES, "of two sources"] as const;

const ANSWER_WITHIN_MS = 5_000;

/** Payments and their callbacks, until told to stop. The seed decides what happens, but not when it ends. */
export class Traffic {
  readonly #environment: Environment;
  readonly #random: Random;
  readonly #under = new Set<Promise<void>>();
  readonly #shared: boolean;
  #stopping = false;

  /** @param shared whether some invoices are seen by every source. */
  constructor(environment: Environment, random: Random, shared: boolean) {
    this.#environment = environment;
    this.#random = random;
    this.#shared = shared;
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
    const story = random.one(this.#shared ? STORIES_OF_SEVERAL : STORIES);
    const id = random.uuid();
    const source = random.one(this.#environment.sources);
    const amount = random.between(1, 9_999_999) / 100;
    const pause = random.between(100, 1_500);
    const shape = random.one(SHAPES);
    const { provider } = this.#environment;
    const sources =
      story === "of two sources" ? this.#environment.sources.map(({ name }) => name) : [source.name];
    const collectionId = story === "of two sources" ? source.sharedCollectionId : source.collectionId;
    const invoice = { id, collectionId, sources, amount };
    switch (story) {
      case "paid":
        provider.keep({ ...invoice, status: "Paid" });
        return await this.#call(source, [id], shape);
      case "of two sources":
        provider.keep({ ...invoice, status: "Paid" });
        for (const each of this.#environment.sources) await this.#call(each, [id], shape);
        return;
      case "called back several times":
        provider.keep({ ...invoice, status: "Paid" });
        await Promise.all([1, 2, 3].map(() => this.#call(source, [id], shape)));
        return;
      case "called back too early":
        provider.keep({ ...invoice, status: "Unpaid" });
        await this.#call(source, [id], shape);
        await delay(pause);
        provider.keep({ id, status: "Paid" });
        return await this.#call(source, [id], shape);
      case "never called back":
        return provider.keep({ ...invoice, status: "Paid" });
      case "forged":
        provider.keep({ ...invoice, status: "Unpaid" });
        return await this.#call(source, [id], shape);
      case "nobody's":
        return await this.#call(source, [id], shape);
      case "test":
        provider.keep({ ...invoice, type: "Test", status: "Paid" });
        return await this.#call(source, [id], shape);
      case "invalid, then paid":
        provider.keep({ ...invoice, status: "Invalidated" });
        await this.#call(source, [id], shape);
        await delay(pause);
        provider.keep({ id, status: "Paid" });
        return await this.#call(source, [id], shape);
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

/** @returns whether it got a 2xx. */
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
  recorder.record({
    what: "sent",
    id,
    to: relay.name,
    source: source.name,
    method,
    query,
    body: digest,
    invoiceIds,
  });
  const answer = await send(
    `${relay.callbackUrl}/callbacks/${source.token}${query === "" ? "" : `?${query}`}`,
    {
      method,
      body,
      headers: { "x-webhook-id": id, ...(contentType === null ? {} : { "content-type": contentType }) },
    },
  );
  recorder.record({ what: "answered", id, ...answer });
  return answer.status !== null && answer.status < 300;
}

function written(shape: Shape, invoiceIds: string[]) {
  const json = (value: unknown) => ({
    method: "POST",
    query: "",
    body: JSON.stringify(value),
    contentType: "application/json",
  });
  const [id = ""] = invoiceIds;
  // What a callback claims besides the id is always false, because none of it may be believed (G3).
  const lies = { status: "Paid", amount: 0.01, totalAmount: 0.01, payerEmail: "liar@example.com" };
  switch (shape) {
    case "documented":
      return json({ id: randomUUID(), event: "payment.successful", data: { id, ...lies } });
    case "bare":
      return json({ id, ...lies });
    case "events":
      return json({ events: invoiceIds.map((each) => ({ data: { id: each, ...lies } })) });
    case "form":
      return {
        method: "POST",
        query: "",
        body: `id=${id}`,
        contentType: "application/x-www-form-urlencoded",
      };
    case "redirect":
      return { method: "GET", query: `invoiceId=${id}&status=Paid`, body: "", contentType: null };
  }
}

interface Outgoing {
  method: string;
  body: string;
  headers: Record<string, string>;
}

/** Uses its own connection; has a status only if the whole response arrived. */
function send(url: string, { method, body, headers }: Outgoing) {
  return new Promise<{ status: number | null; retryAfter: string | null }>((resolve) => {
    const lost = () => resolve({ status: null, retryAfter: null });
    const outgoing = request(url, {
      method,
      headers,
      agent: false,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    outgoing.on("error", lost);
    outgoing.on("response", (response) => {
      response.on("error", lost).on("aborted", lost).resume();
      response.on("end", () => {
        const status = response.statusCode ?? null;
        resolve({ status, retryAfter: response.headers["retry-after"] ?? null });
      });
    });
    outgoing.end(body);
  });
}
