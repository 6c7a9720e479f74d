import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type {
  Answer,
  AskOptions,
  CollectionAnswer,
  PageAnswer,
  Provider,
} from "../../src/provider/provider.ts";

/** How the far side takes every request, from now on. */
export type Situation =
  | "works"
  | "knows nothing"
  | "bare 404"
  | "401"
  | "403"
  | "429"
  | "429 for 120 s"
  | "500"
  | "a web page"
  | "a redirect"
  | "broken JSON"
  | "half an answer"
  | "hangs up"
  | "silence"
  | "another id"
  | "no amount"
  | "an odd optional field";

/** An implementation of the port, and the far side that it asks. */
export interface ProviderWorld {
  provider: Provider;
  /** A secret that no answer may repeat, however often the far side does. */
  key: string;
  /** What is found while it works. */
  invoiceId: string;
  amount: string;
  collectionId: string;
  meets(situation: Situation): void | Promise<void>;
  /** Ends the far side. */
  close(): Promise<void>;
}

type Expected = Record<string, unknown>;

const error = expect.stringMatching(/\S/);
const fault = { kind: "fault", error };
const refused = { kind: "key_refused", error };

/** What each situation means, whatever was asked for. */
const REFUSALS: [Situation, Expected][] = [
  ["bare 404", { kind: "not_found", inOwnWords: false, error }],
  ["401", refused],
  ["403", refused],
  ["429", { kind: "rate_limited", retryAfterMs: null, error }],
  ["429 for 120 s", { kind: "rate_limited", retryAfterMs: 120_000, error }],
  ["500", fault],
  ["a web page", fault],
  ["a redirect", fault],
  ["broken JSON", fault],
  ["half an answer", fault],
  ["hangs up", fault],
  ["silence", fault],
];

/** A time-out that only silence meets, and one that nothing is to meet, in ms. */
const timeoutOf = (situation: Situation) => (situation === "silence" ? 200 : 20_000);

/**
 * What every implementation of the provider port owes to the stages.
 * @param situations those that the far side can be put into.
 */
export function describeProvider(
  name: string,
  start: () => Promise<ProviderWorld>,
  situations: ReadonlySet<Situation>,
): void {
  describe(name, () => {
    let world: ProviderWorld;
    beforeAll(async () => {
      world = await start();
    });
    afterAll(async () => {
      await world?.close();
      await world?.provider.close();
    });

    const among = <Row extends [Situation, ...unknown[]]>(rows: Row[]) =>
      rows.filter(([situation]) => situations.has(situation));
    const ask = (options: AskOptions & { onExchanged?: () => void } = {}) =>
      world.provider.askInvoice(world.invoiceId, { timeoutMs: 20_000, ...options });
    const read = (options: AskOptions = {}) =>
      world.provider.readPage(
        { collectionId: world.collectionId, page: 1, pageSize: 2, invoiceStatus: "Paid" },
        { timeoutMs: 20_000, ...options },
      );
    const get = (options: AskOptions = {}) =>
      world.provider.getCollection(world.collectionId, { timeoutMs: 20_000, ...options });
    const requests: [string, (options?: AskOptions) => Promise<Answer | PageAnswer | CollectionAnswer>][] = [
      ["asking for an invoice", ask],
      ["reading a page of the list", read],
      ["getting a collection", get],
    ];

    describe.each(requests)("%s", (_, ask) => {
      it.each(among(REFUSALS))("meets %s", async (situation, expected) => {
        await world.meets(situation);
        const answer = await ask({ timeoutMs: timeoutOf(situation) });
        expect(answer).toEqual(expected);
        expect(JSON.stringify(answer)).not.toContain(world.key);
      });

      it("is interrupted before it begins", async () => {
        await world.meets("works");
        expect(await ask({ signal: AbortSignal.abort() })).toEqual({ kind: "interrupted" });
      });

      it("is interrupted while the provider is silent", async () => {
        await world.meets("silence");
        const stop = new AbortController();
        const answer = ask({ signal: stop.signal });
        stop.abort();
        expect(await answer).toEqual({ kind: "interrupted" });
      });
    });

    describe("asking for an invoice", () => {
      it("finds it, with the document as it came", async () => {
        await world.meets("works");
        const before = new Date();
        const answer = await ask();
        expect(answer).toMatchObject({
          kind: "found",
          invoice: { id: world.invoiceId, amount: world.amount, status: "Paid" },
          document: { id: expect.anything(), amount: expect.anything() },
        });
        const { receivedAt } = answer as Extract<Answer, { kind: "found" }>;
        expect(receivedAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
      });

      it("hears in the provider's own words that there is none", async () => {
        await world.meets("knows nothing");
        expect(await ask()).toEqual({ kind: "not_found", inOwnWords: true, error });
      });

      it.each(among([["another id"], ["no amount"]]))(
        "keeps an answer with %s as evidence",
        async (situation) => {
          await world.meets(situation);
          const answer = await ask();
          expect(answer).toEqual({
            kind: "outside_contract",
            error,
            evidence: expect.stringContaining('"data"'),
          });
          expect(JSON.stringify(answer)).not.toContain(world.key);
        },
      );

      it.each(among([["an odd optional field"]]))("takes %s", async (situation) => {
        await world.meets(situation);
        expect(await ask()).toMatchObject({ kind: "found", invoice: { amount: world.amount } });
      });

      it("answers for an id that is none", async () => {
        await world.meets("works");
        expect(await world.provider.askInvoice("../admin", {})).toMatchObject({
          kind: expect.stringMatching(/^(outside_contract|not_found|fault)$/),
        });
      });

      it.each(among([["works"], ["401"], ["429"], ["500"], ["broken JSON"], ["hangs up"]]))(
        "says once that the exchange is over, before the answer is read: %s",
        async (situation) => {
          await world.meets(situation);
          const told: string[] = [];
          await ask({ onExchanged: () => told.push("exchanged") }).then(() => told.push("answered"));
          expect(told).toEqual(["exchanged", "answered"]);
        },
      );

      it("does not say so while the provider is silent", async () => {
        await world.meets("silence");
        const stop = new AbortController();
        const onExchanged = vi.fn();
        const answer = ask({ onExchanged, signal: stop.signal });
        await get({ timeoutMs: 200 });
        expect(onExchanged).not.toHaveBeenCalled();
        stop.abort();
        expect(await answer).toEqual({ kind: "interrupted" });
      });
    });

    describe("reading a page of the list", () => {
      it("gives its items, and whether there is more", async () => {
        await world.meets("works");
        expect(await read()).toMatchObject({
          kind: "page",
          page: { items: [{ id: world.invoiceId, status: "Paid" }], hasNextPage: false, totalCount: 1 },
        });
      });
    });

    describe("getting a collection", () => {
      it("gives its name", async () => {
        await world.meets("works");
        expect(await get()).toMatchObject({
          kind: "found",
          collection: { id: world.collectionId, collectionName: expect.stringMatching(/\S/) },
        });
      });
    });

    describe("proving the key", () => {
      const unclear = { kind: "unclear", error };
      it.each(
        among<[Situation, Expected]>([
          ["knows nothing", { kind: "taken" }],
          ["401", { kind: "refused", error }],
          ["403", { kind: "refused", error }],
          ["bare 404", unclear],
          ["429", unclear],
          ["500", unclear],
          ["a web page", unclear],
          ["silence", unclear],
        ]),
      )("with %s", async (situation, expected) => {
        await world.meets(situation);
        const proof = await world.provider.proveKey({ timeoutMs: timeoutOf(situation) });
        expect(proof).toEqual(expected);
        expect(JSON.stringify(proof)).not.toContain(world.key);
      });

      it("that is interrupted says so, and nothing of the key", async () => {
        await world.meets("works");
        expect(await world.provider.proveKey({ signal: AbortSignal.abort() })).toEqual({
          kind: "unclear",
          error: expect.not.stringContaining("made up"),
        });
      });
    });

    it("closed, lets what is under way finish", async () => {
      const own = await start();
      await own.meets("works");
      const answers = Array.from({ length: 20 }, () => own.provider.askInvoice(own.invoiceId, {}));
      const unknown = own.provider.askInvoice(randomUUID(), {});
      await own.provider.close();
      for (const answer of await Promise.all(answers)) expect(answer.kind).toBe("found");
      expect((await unknown).kind).toMatch(/found/);
      await own.close();
    });
  });
}
