import { randomUUID } from "node:crypto";
import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OutgoingEvent } from "../../src/publish/sns-destination.ts";
import { SnsDestination } from "../../src/publish/sns-destination.ts";
import { type LocalSns, startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import { testSigner } from "../support/signer.ts";
import { batchOf, event } from "./outgoing-event.ts";

const BYTES_LIMIT = 262_144;
const region = "us-east-1";
const error = expect.stringMatching(/\S/);
type Fault = Parameters<LocalSns["addFault"]>[0];

describe("SNS behind the port", () => {
  let sns: LocalSns;
  let destination: SnsDestination;
  /** Meets silence soon. */
  let withShortTimeout: SnsDestination;
  let topicArn: string;
  let orderedTopicArn: string;

  beforeAll(async () => {
    process.env.AWS_ACCESS_KEY_ID = "local";
    process.env.AWS_SECRET_ACCESS_KEY = "local";
    sns = await startLocalSns({ port: 0, signer: await testSigner() });
    const client = new SNSClient({ endpoint: sns.url, region });
    const topic = async (Name: string, Attributes: Record<string, string>) =>
      (await client.send(new CreateTopicCommand({ Name, Attributes }))).TopicArn as string;
    topicArn = await topic("events", {});
    orderedTopicArn = await topic("events.fifo", { FifoTopic: "true" });
    client.destroy();
    const options = { region, endpoint: sns.url, connections: 4 };
    destination = new SnsDestination({ ...options, timeoutMs: 30_000 });
    withShortTimeout = new SnsDestination({ ...options, timeoutMs: 200 });
  });
  afterAll(async () => {
    destination?.close();
    withShortTimeout?.close();
    await sns?.close();
  });
  beforeEach(() => {
    sns.clearFaults();
    sns.clear();
  });

  const meet = (fault: Omit<Fault, "times">) => sns.addFault({ ...fault, times: 1_000 } as Fault);
  const send = (batch: readonly OutgoingEvent[], replayId?: string) =>
    destination.send(topicArn, batch, replayId);
  const destinationFor = (kind: string) => (kind === "hang" ? withShortTimeout : destination);
  const attributesTaken = () =>
    Object.fromEntries(
      Object.entries(sns.messages(topicArn)[0]?.messageAttributes ?? {}).map(([name, { Value }]) => [
        name,
        Value,
      ]),
    );

  describe("sending a batch", () => {
    it("gives each event its own message id, in the order of the batch", async () => {
      const batch = batchOf(destination.batchSize);
      const outcome = await send(batch);
      const taken = sns.messages(topicArn);
      expect(taken).toHaveLength(batch.length);
      expect(outcome).toEqual({
        kind: "answered",
        entries: batch.map(({ payload }) => ({
          kind: "accepted",
          messageId: taken.find(({ message }) => message === payload)?.messageId,
        })),
      });
    });

    it.each([
      ["failed", { kind: "fail-entries", senderFault: false }],
      ["refused", { kind: "fail-entries", senderFault: true }],
      // Taken, and the answer does not say so.
      ["failed", { kind: "omit-entries" }],
    ] as const)("of which one event is %s says so of that one alone: %j", async (expected, fault) => {
      const batch = batchOf(5);
      meet({ ...fault, matching: batch[2]?.id ?? "" } as Fault);
      const outcome = await send(batch);
      expect(outcome).toEqual({
        kind: "answered",
        entries: batch.map((_, index) =>
          index === 2 ? { kind: expected, error } : { kind: "accepted", messageId: expect.any(String) },
        ),
      });
    });

    it.each([
      ["throttle", "failed"],
      ["internal-error", "failed"],
      ["hang", "failed"],
      ["drop", "failed"],
      ["refuse-credentials", "topic_refused"],
      ["topic-missing", "topic_refused"],
      ["not-allowed", "topic_refused"],
    ] as const)("to a far side with trouble: %s", async (kind, expected) => {
      meet({ kind });
      expect(await destinationFor(kind).send(topicArn, batchOf(2))).toEqual({ kind: expected, error });
      sns.clearFaults();
      expect(await send(batchOf(2))).toMatchObject({ kind: "answered" });
    });

    it("that is none is refused, and nothing is thrown", async () => {
      expect(await send([])).toEqual({ kind: "refused", error });
    });

    it("sends the payload as it stands", async () => {
      const payload = JSON.stringify({ title: 'é "<&>" \u{1F600}\t', digits: "0.10" });
      await send([event({ payload })]);
      expect(sns.messages(topicArn)).toMatchObject([{ message: payload }]);
    });
  });

  describe("what a message says of itself", () => {
    it("is what filters need: nothing personal, and at most six attributes", async () => {
      const one = event();
      const replayId = randomUUID();
      await send([one], replayId);
      expect(attributesTaken()).toEqual({
        id: one.id,
        type: "invoice.paid",
        source: "urn:invoice-relay:default",
        invoiceType: "Live",
        collection: "Term 1",
        replay: replayId,
      });
    });

    it.each([null, ""])(
      "is no replay where it is none, and no collection without a name: %j",
      async (name) => {
        expect(await send([event({ collectionName: name })])).toMatchObject({
          entries: [{ kind: "accepted" }],
        });
        expect(Object.keys(attributesTaken()).sort()).toEqual(["id", "invoiceType", "source", "type"]);
      },
    );
  });

  describe("a topic that keeps order", () => {
    it("gets the invoice as group and the event as deduplication id", async () => {
      const batch = batchOf(3);
      await destination.send(orderedTopicArn, batch);
      expect(sns.messages(orderedTopicArn)).toMatchObject(
        batch.map(({ id, invoiceId }) => ({ messageGroupId: invoiceId, messageDeduplicationId: id })),
      );
    });

    it("takes an event again in a replay, and once in each", async () => {
      const one = event();
      const replayId = randomUUID();
      for (const replay of [undefined, replayId, replayId, randomUUID()])
        expect(await destination.send(orderedTopicArn, [one], replay)).toMatchObject({
          entries: [{ kind: "accepted" }],
        });
      expect(sns.messages(orderedTopicArn)).toHaveLength(3);
    });
  });

  describe("how many events fit into a batch", () => {
    const sized = (bytes: number, changes: Partial<OutgoingEvent> = {}) =>
      event({ payload: "é".repeat(bytes / 2), ...changes });
    const fitting = (events: readonly OutgoingEvent[]) => destination.fitting(events);

    it("is as many as a batch may hold, and none of none", () => {
      const { batchSize } = destination;
      expect(fitting(batchOf(batchSize - 1))).toBe(batchSize - 1);
      expect(fitting(batchOf(batchSize + 5))).toBe(batchSize);
      expect(fitting([])).toBe(0);
    });

    it("counts bytes, not characters, and what stands beside the payload", () => {
      const half = BYTES_LIMIT / 2;
      expect(fitting([sized(half - 1_000), sized(half - 1_000), event()])).toBe(3);
      expect(fitting([sized(half), sized(half)])).toBe(1);
      expect(fitting([sized(half - 1_000), sized(half - 1_000, { collectionName: "c".repeat(2_000) })])).toBe(
        1,
      );
    });

    it("is one for an event that is too large for any batch", () => {
      expect(fitting([sized(BYTES_LIMIT + 2), event()])).toBe(1);
    });

    it("is what the far side takes, a replay's mark included", async () => {
      for (const bytes of [30_000, 65_000, 100_000, 130_000]) {
        const events = Array.from({ length: 10 }, () => sized(bytes, { collectionName: "ü".repeat(99) }));
        const batch = events.slice(0, fitting(events));
        expect(await send(batch, randomUUID())).toMatchObject({ kind: "answered" });
      }
      expect(await send([sized(BYTES_LIMIT + 2)])).toMatchObject({ kind: "refused" });
    });
  });

  describe("describing a topic", () => {
    it("says that it is there, who subscribes, and how it signs", async () => {
      expect(await destination.describe(topicArn)).toEqual({
        kind: "there",
        subscriptions: 0,
        signatureVersion: expect.stringMatching(/^[12]$/),
      });
    });

    it.each([
      ["not-allowed", { kind: "not_allowed", error }],
      ["topic-missing", { kind: "fault", error, away: false }],
      ["refuse-credentials", { kind: "fault", error, away: false }],
      ["throttle", { kind: "fault", error, away: false }],
      ["hang", { kind: "fault", error, away: true }],
    ] as const)("meets trouble: %s", async (kind, description) => {
      meet({ kind });
      expect(await destinationFor(kind).describe(topicArn)).toEqual(description);
    });
  });
});
