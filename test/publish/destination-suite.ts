import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SnsDestination } from "../../src/publish/sns-destination.ts";
import type { OutgoingEvent } from "../../src/publish/sns-entry.ts";

/** What goes wrong at the far side, from now on. */
export type Trouble =
  | { kind: "none" }
  /** Messages that hold this text are refused as the sender's fault. */
  | { kind: "refuses"; matching: string }
  /** Messages that hold this text fail. */
  | { kind: "fails"; matching: string }
  /** Messages that hold this text are taken, and the answer does not say so. */
  | { kind: "says nothing of"; matching: string }
  | { kind: "throttles" }
  | { kind: "breaks down" }
  | { kind: "hangs" }
  | { kind: "cuts the connection" }
  | { kind: "credentials refused" }
  | { kind: "no such topic" }
  | { kind: "not allowed" };

/** A message as the far side took it. */
export interface Taken {
  messageId: string;
  payload: string;
  attributes: Record<string, string>;
  /** On a topic that keeps order. */
  group: string | undefined;
  deduplicationId: string | undefined;
}

/** An implementation of the port, with a time-out well under a second, and the far side that it sends to. */
export interface DestinationWorld {
  destination: SnsDestination;
  topicArn: string;
  /** A topic that keeps the order of each invoice's events. */
  orderedTopicArn: string;
  /** What subscribers of either topic get at the most, in bytes, attributes included. */
  mostBytes: number;
  meets(trouble: Trouble): void;
  /** What was taken since it was last asked. */
  taken(topicArn: string): Taken[];
  close(): Promise<void>;
}

const event = (changes: Partial<OutgoingEvent> = {}): OutgoingEvent => {
  const id = randomUUID();
  return {
    id,
    source: "default",
    invoiceId: randomUUID(),
    type: "invoice.paid",
    invoiceType: "Live",
    collectionName: "Term 1",
    payload: `{"id":"${id}"}`,
    ...changes,
  };
};

const batchOf = (count: number) => Array.from({ length: count }, () => event());

const error = expect.stringMatching(/\S/);

/** What every implementation of the destination port owes to the stages. */
export function describeDestination(name: string, start: () => Promise<DestinationWorld>): void {
  describe(name, () => {
    let world: DestinationWorld;
    beforeAll(async () => {
      world = await start();
    });
    afterAll(async () => {
      world?.destination.close();
      await world?.close();
    });
    const send = (batch: readonly OutgoingEvent[], replayId?: string) =>
      world.destination.send(world.topicArn, batch, replayId);

    describe("sending a batch", () => {
      it("gives each event its own message id, in the order of the batch", async () => {
        world.meets({ kind: "none" });
        const batch = batchOf(world.destination.batchSize);
        const outcome = await send(batch);
        const taken = world.taken(world.topicArn);
        const idOf = ({ payload }: OutgoingEvent) =>
          taken.find((message) => message.payload === payload)?.messageId;
        expect(taken).toHaveLength(batch.length);
        expect(outcome).toEqual({
          kind: "answered",
          entries: batch.map((one) => ({ kind: "accepted", messageId: idOf(one) })),
        });
      });

      it.each([
        ["fails", "failed"],
        ["refuses", "refused"],
        ["says nothing of", "failed"],
      ] as const)("that %s one event says so of that one alone", async (kind, expected) => {
        const batch = batchOf(5);
        world.meets({ kind, matching: batch[2]?.id ?? "" });
        const outcome = await send(batch);
        expect(outcome).toMatchObject({ kind: "answered", entries: { length: 5 } });
        if (outcome.kind !== "answered") return;
        expect(outcome.entries.map((entry) => entry.kind)).toEqual(
          batch.map((_, index) => (index === 2 ? expected : "accepted")),
        );
        expect(outcome.entries[2]).toEqual({ kind: expected, error });
        world.taken(world.topicArn);
      });

      it.each([
        ["throttles", "failed"],
        ["breaks down", "failed"],
        ["hangs", "failed"],
        ["cuts the connection", "failed"],
        ["credentials refused", "topic_refused"],
        ["no such topic", "topic_refused"],
        ["not allowed", "topic_refused"],
      ] as const)("to a far side with trouble: %s", async (kind, expected) => {
        world.meets({ kind });
        expect(await send(batchOf(2))).toEqual({ kind: expected, error });
        world.meets({ kind: "none" });
        expect(await send(batchOf(2))).toMatchObject({ kind: "answered" });
        world.taken(world.topicArn);
      });

      it("that is none is refused, and nothing is thrown", async () => {
        world.meets({ kind: "none" });
        expect(await send([])).toEqual({ kind: "refused", error });
      });

      it("sends the payload as it stands", async () => {
        world.meets({ kind: "none" });
        const payload = JSON.stringify({ title: 'é "<&>" \u{1F600}\t', digits: "0.10" });
        await send([event({ payload })]);
        expect(world.taken(world.topicArn)).toMatchObject([{ payload }]);
      });
    });

    describe("what a message says of itself", () => {
      it("is what filters need: nothing personal, and at most six attributes", async () => {
        world.meets({ kind: "none" });
        const one = event();
        const replayId = randomUUID();
        await send([one], replayId);
        const [taken] = world.taken(world.topicArn);
        expect(taken?.attributes).toEqual({
          id: one.id,
          type: "invoice.paid",
          source: "urn:invoice-relay:default",
          invoiceType: "Live",
          collection: "Term 1",
          replay: replayId,
        });
      });

      it("marks a replay, and nothing else, as one", async () => {
        await send([event()]);
        const [taken] = world.taken(world.topicArn);
        expect(taken?.attributes).not.toHaveProperty("replay");
      });

      it.each([null, ""])("leaves out a collection without a name: %j", async (collectionName) => {
        expect(await send([event({ collectionName })])).toMatchObject({ entries: [{ kind: "accepted" }] });
        const [taken] = world.taken(world.topicArn);
        expect(taken?.attributes).not.toHaveProperty("collection");
      });
    });

    describe("a topic that keeps order", () => {
      it("gets the invoice as group and the event as deduplication id", async () => {
        world.meets({ kind: "none" });
        const batch = batchOf(3);
        await world.destination.send(world.orderedTopicArn, batch);
        expect(world.taken(world.orderedTopicArn)).toMatchObject(
          batch.map(({ id, invoiceId }) => ({ group: invoiceId, deduplicationId: id })),
        );
      });

      it("takes an event again in a replay, and once in each", async () => {
        const one = event();
        const replayId = randomUUID();
        for (const replay of [undefined, replayId, replayId, randomUUID()])
          expect(await world.destination.send(world.orderedTopicArn, [one], replay)).toMatchObject({
            entries: [{ kind: "accepted" }],
          });
        expect(world.taken(world.orderedTopicArn)).toHaveLength(3);
      });
    });

    describe("how many events fit into a batch", () => {
      const sized = (bytes: number, changes: Partial<OutgoingEvent> = {}) =>
        event({ payload: "é".repeat(bytes / 2), ...changes });
      const fitting = (events: readonly OutgoingEvent[]) => world.destination.fitting(events);

      it("is as many as a batch may hold", () => {
        const { batchSize } = world.destination;
        expect(fitting(batchOf(batchSize - 1))).toBe(batchSize - 1);
        expect(fitting(batchOf(batchSize + 5))).toBe(batchSize);
      });

      it("counts bytes, not characters, and what stands beside the payload", () => {
        const half = world.mostBytes / 2;
        expect(fitting([sized(half - 1_000), sized(half - 1_000), event()])).toBe(3);
        expect(fitting([sized(half), sized(half)])).toBe(1);
        expect(
          fitting([sized(half - 1_000), sized(half - 1_000, { collectionName: "c".repeat(2_000) })]),
        ).toBe(1);
      });

      it("is one for an event that is too large for any batch", () => {
        expect(fitting([sized(world.mostBytes + 2), event()])).toBe(1);
      });

      it("is none of none", () => {
        expect(fitting([])).toBe(0);
      });

      it("is what the far side takes, a replay's mark included", async () => {
        world.meets({ kind: "none" });
        for (const bytes of [30_000, 65_000, 100_000, 130_000]) {
          const events = Array.from({ length: 10 }, () => sized(bytes, { collectionName: "ü".repeat(99) }));
          const batch = events.slice(0, fitting(events));
          expect(await send(batch, randomUUID())).toMatchObject({ kind: "answered" });
        }
        expect(await send([sized(world.mostBytes + 2)])).toMatchObject({ kind: "refused" });
        world.taken(world.topicArn);
      });
    });

    describe("describing a topic", () => {
      const describeIt = () => world.destination.describe(world.topicArn);

      it("says that it is there, who subscribes, and how it signs", async () => {
        world.meets({ kind: "none" });
        expect(await describeIt()).toEqual({
          kind: "there",
          subscriptions: 0,
          signatureVersion: expect.stringMatching(/^[12]$/),
        });
      });

      it.each([
        ["not allowed", { kind: "not_allowed", error }],
        ["no such topic", { kind: "fault", error, away: false }],
        ["credentials refused", { kind: "fault", error, away: false }],
        ["throttles", { kind: "fault", error, away: false }],
        ["hangs", { kind: "fault", error, away: true }],
      ] as const)("meets trouble: %s", async (kind, told) => {
        world.meets({ kind });
        expect(await describeIt()).toEqual(told);
      });
    });
  });
}
