import { randomUUID } from "node:crypto";
import { CreateTopicCommand, SNSClient } from "@aws-sdk/client-sns";
import { beforeEach, describe, expect, it } from "vitest";
import {
  kindOfError,
  type OutgoingEvent,
  SnsDestination,
} from "../../../src/pipeline/publish/sns-destination.ts";
import { type LocalSns, startLocalSns } from "../../../src/sandbox/sns/start-local-sns.ts";
import { startStubProvider } from "../../provider/collection-api/stub-provider.ts";
import { onceForAll, onTestFinished } from "../../support/own-test.ts";
import { testSigner } from "../../support/signer.ts";
import { batchOf, event, TOPIC } from "./outgoing-event.ts";

const BYTES_LIMIT = 262_144;
const region = "us-east-1";
const error = expect.stringMatching(/\S/);
type Fault = Parameters<LocalSns["addFault"]>[0];

process.env.AWS_ACCESS_KEY_ID = "local";
process.env.AWS_SECRET_ACCESS_KEY = "local";

function destinationAt(endpoint: string, timeoutMs = 30_000): SnsDestination {
  const destination = new SnsDestination({ region, endpoint, connections: 4, timeoutMs });
  onTestFinished(() => destination.close());
  return destination;
}

describe("SNS behind the port", () => {
  const own = onceForAll(async () => {
    const sns = await startLocalSns({ port: 0, signer: await testSigner() });
    onTestFinished(() => sns.close());
    const client = new SNSClient({ endpoint: sns.url, region });
    const topic = async (Name: string, Attributes: Record<string, string>) =>
      (await client.send(new CreateTopicCommand({ Name, Attributes }))).TopicArn as string;
    const topics = {
      plain: await topic("events", {}),
      ordered: await topic("events.fifo", { FifoTopic: "true" }),
    };
    client.destroy();
    return { sns, topics, destination: destinationAt(sns.url), hasty: destinationAt(sns.url, 200) };
  });
  beforeEach(() => {
    own().sns.clearFaults();
    own().sns.clear();
  });

  const meet = (fault: Omit<Fault, "times">) => own().sns.addFault({ ...fault, times: 1_000 } as Fault);
  const send = (batch: readonly OutgoingEvent[], replayId?: string, topic: "plain" | "ordered" = "plain") =>
    own().destination.send(own().topics[topic], batch, replayId);
  const taken = (topic: "plain" | "ordered" = "plain") => own().sns.messages(own().topics[topic]);
  /** Meets silence soon, where that is the trouble. */
  const meeting = (kind: string) => (kind === "hang" ? own().hasty : own().destination);

  it("sends payloads as they stand, and gives each event its own message id, in the order of the batch", async () => {
    const payload = JSON.stringify({ title: 'é "<&>" \u{1F600}\t', digits: "0.10" });
    const batch = [event({ payload }), ...batchOf(own().destination.batchSize - 1)];
    const outcome = await send(batch);
    const messageId = (payload: string) => taken().find(({ message }) => message === payload)?.messageId;
    expect(taken()).toHaveLength(batch.length);
    expect(outcome).toEqual({
      kind: "answered",
      entries: batch.map(({ payload }) => ({ kind: "accepted", messageId: messageId(payload) })),
    });
  });

  it.each([
    ["failed", { kind: "fail-entries", senderFault: false }],
    ["refused", { kind: "fail-entries", senderFault: true }],
    // Taken, and the answer does not say so.
    ["failed", { kind: "omit-entries" }],
  ] as const)("says of one event of a batch alone that it is %s: %j (G5)", async (expected, fault) => {
    const batch = batchOf(5);
    meet({ ...fault, matching: batch[2]?.id ?? "" } as Fault);
    expect(await send(batch)).toEqual({
      kind: "answered",
      entries: batch.map((_, index) =>
        index === 2 ? { kind: expected, error } : { kind: "accepted", messageId: expect.any(String) },
      ),
    });
  });

  it.each([
    ["throttle", "failed", { kind: "fault", away: false }],
    ["internal-error", "failed", { kind: "fault" }],
    ["hang", "failed", { kind: "fault", away: true }],
    ["drop", "failed", { kind: "fault", away: true }],
    ["refuse-credentials", "topic_refused", { kind: "fault", away: false }],
    ["topic-missing", "topic_refused", { kind: "fault", away: false }],
    ["not-allowed", "topic_refused", { kind: "not_allowed" }],
  ] as const)("meets trouble: %s", async (kind, expected, described) => {
    meet({ kind });
    expect(await meeting(kind).send(own().topics.plain, batchOf(2))).toEqual({ kind: expected, error });
    expect(await meeting(kind).describe(own().topics.plain)).toMatchObject({ ...described, error });
    own().sns.clearFaults();
    expect(await send(batchOf(2))).toMatchObject({ kind: "answered" });
  });

  it("describes a topic: who subscribes, and how it signs", async () => {
    expect(await own().destination.describe(own().topics.plain)).toEqual({
      ...{ kind: "there", subscriptions: 0, signatureVersion: expect.stringMatching(/^[12]$/) },
    });
  });

  const replayId = randomUUID();
  it.each<[string, Partial<OutgoingEvent>, string | undefined, object]>([
    ["in a replay", {}, replayId, { collection: "Term 1", replay: replayId }],
    ["of no replay, and of no collection", { collectionName: null }, undefined, {}],
    ["of a collection without a name", { collectionName: "" }, undefined, {}],
  ])("says of a message what filters need, and nothing personal: %s", async (_, changes, replay, more) => {
    const one = event(changes);
    expect(await send([one], replay)).toMatchObject({ entries: [{ kind: "accepted" }] });
    const attributes = Object.entries(taken()[0]?.messageAttributes ?? {}).map(([name, { Value }]) => [
      name,
      Value,
    ]);
    const source = "urn:invoice-relay:default";
    expect(Object.fromEntries(attributes)).toEqual({
      id: one.id,
      type: "invoice.paid",
      source,
      invoiceType: "Live",
      ...more,
    });
  });

  it("gives a topic that keeps order the invoice as group and the event as deduplication id, once in each replay", async () => {
    const [one, ...others] = batchOf(3) as [OutgoingEvent, ...OutgoingEvent[]];
    await send([one, ...others], undefined, "ordered");
    expect(taken("ordered")).toMatchObject(
      [one, ...others].map(({ id, invoiceId }) => ({
        messageGroupId: invoiceId,
        messageDeduplicationId: id,
      })),
    );
    for (const replay of [undefined, replayId, replayId, randomUUID()])
      expect(await send([one], replay, "ordered")).toMatchObject({ entries: [{ kind: "accepted" }] });
    expect(taken("ordered")).toHaveLength(5);
  });

  describe("how many events fit into a batch", () => {
    const sized = (bytes: number, changes: Partial<OutgoingEvent> = {}) =>
      event({ payload: "é".repeat(bytes / 2), ...changes });
    const half = BYTES_LIMIT / 2;

    it.each<[string, OutgoingEvent[], number]>([
      ["none of none", [], 0],
      ["all of a few", batchOf(9), 9],
      ["as many as a batch may hold", batchOf(15), 10],
      ["those whose bytes fit, not their characters", [sized(half), sized(half)], 1],
      ["with what stands beside the payload", [sized(half - 1_000), sized(half - 1_000), event()], 3],
      [
        "such as its collection",
        [sized(half - 1_000), sized(half - 1_000, { collectionName: "c".repeat(2_000) })],
        1,
      ],
      ["one that is too large for any", [sized(BYTES_LIMIT + 2), event()], 1],
    ])("%s", (_, events, count) => {
      expect(own().destination.fitting(events)).toBe(count);
    });

    it.each([30_000, 65_000, 100_000, 130_000])(
      "is what SNS takes, a replay's mark included: of %i bytes",
      async (bytes) => {
        const events = Array.from({ length: 10 }, () => sized(bytes, { collectionName: "ü".repeat(99) }));
        const batch = events.slice(0, own().destination.fitting(events));
        expect(await send(batch, randomUUID())).toMatchObject({ kind: "answered" });
      },
    );
  });
});

describe("answers that no other SNS gives", () => {
  const startSns = async (status: number, body: string) => {
    const far = await startStubProvider(() => ({ status, body }));
    onTestFinished(() => far[Symbol.asyncDispose]());
    return destinationAt(far.url, 5_000);
  };

  it("are taken entry by entry, whatever is missing, said twice or about no entry of the batch (G5)", async () => {
    const taken = (id: string, message: string) =>
      `<member><Id>${id}</Id><MessageId>${message}</MessageId></member>`;
    const failed = (id: string, code: string) =>
      `<member><Id>${id}</Id><Code>${code}</Code><SenderFault>true</SenderFault></member>`;
    const said: [successful: (id: string) => string, failed: (id: string) => string, entry: object][] = [
      [(id) => taken(id, "m1") + taken(id, "m1"), () => "", { kind: "accepted", messageId: "m1" }],
      [
        (id) => taken(id, "m2"),
        (id) => failed(id, "InvalidParameter"),
        { kind: "accepted", messageId: "m2" },
      ],
      [(id) => taken(id, ""), () => "", { kind: "failed", error }],
      [() => taken(randomUUID(), "m3"), (id) => failed(id, "Throttled"), { kind: "failed", error }],
      [() => "", (id) => failed(id, "InvalidParameter"), { kind: "refused", error }],
      [() => "", (id) => failed(id, "InternalError"), { kind: "failed", error }],
      [() => "", () => "<member><Code>NoId</Code></member>", { kind: "failed", error }],
    ];
    const batch = batchOf(said.length);
    const members = (which: 0 | 1) => said.map((one, index) => one[which](batch[index]?.id ?? "")).join("");
    const sns = await startSns(
      200,
      `<PublishBatchResponse><PublishBatchResult><Successful>${members(0)}</Successful><Failed>${members(1)}</Failed>
      </PublishBatchResult></PublishBatchResponse>`,
    );
    expect(await sns.send(TOPIC, batch)).toEqual({
      kind: "answered",
      entries: said.map(([, , entry]) => entry),
    });
  });

  it.each(["", "<html><body>Sign in</body></html>", "<PublishBatchResponse/>"])(
    "without a word about any entry are a failure of the topic: %j",
    async (body) => {
      expect(await (await startSns(200, body)).send(TOPIC, batchOf(2))).toEqual({ kind: "failed", error });
    },
  );

  it("are kept without what is secret in them, and no longer than a person reads", async () => {
    const message = `should have been 'POST x-amz-security-token:FwoGZXIv3//hush' for ada@example.com ${"x".repeat(9_000)}`;
    const fault = `<Type>Sender</Type><Code>SignatureDoesNotMatch</Code><Message>${message}</Message>`;
    const sns = await startSns(403, `<ErrorResponse><Error>${fault}</Error></ErrorResponse>`);
    for (const outcome of [await sns.send(TOPIC, [event()]), await sns.describe(TOPIC)])
      expect(outcome).toMatchObject({
        error: expect.stringMatching(/^SignatureDoesNotMatch(?!.*(hush|ada@)).{1,480}$/),
      });
  });

  it.each([
    ["topic_refused", ["NotFound", "NotFoundException", "CredentialsProviderError", "KMSDisabled"]],
    ["refused", ["BatchRequestTooLong", "InvalidParameterException"]],
    ["failed", ["ThrottledException", "NeverHeardOf"]],
  ])("as errors of the SDK are %s: %j", (kind, names) => {
    for (const name of names) expect(kindOfError(Object.assign(new Error("no"), { name })), name).toBe(kind);
  });
});
