import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { kindOfError, SnsDestination } from "../../src/publish/sns-destination.ts";
import { startStubProvider } from "../collection-api/stub-provider.ts";
import { batchOf, event } from "./outgoing-event.ts";

const TOPIC = "arn:aws:sns:us-east-1:000000000000:events";
const error = expect.stringMatching(/\S/);
process.env.AWS_ACCESS_KEY_ID = "local";
process.env.AWS_SECRET_ACCESS_KEY = "local";

/** An SNS of a few lines, for answers that no other one gives. */
async function startSns(status: number, body: string) {
  const far = await startStubProvider(() => ({ status, body }));
  onTestFinished(() => far[Symbol.asyncDispose]());
  const destination = new SnsDestination({
    region: "us-east-1",
    endpoint: far.url,
    connections: 1,
    timeoutMs: 5_000,
  });
  onTestFinished(() => destination.close());
  return destination;
}

describe("what SNS says", () => {
  it("of a batch is taken entry by entry, whatever is missing, said twice or about no entry of it (G5)", async () => {
    const batch = batchOf(7);
    const [twice = "", both = "", empty = "", throttled = "", wrong = "", again = ""] = batch.map(
      ({ id }) => id,
    );
    const accepted = (id: string, message: string) =>
      `<member><Id>${id}</Id><MessageId>${message}</MessageId></member>`;
    const failed = (id: string, code: string) =>
      `<member><Id>${id}</Id><Code>${code}</Code><SenderFault>true</SenderFault></member>`;
    const taken = [
      accepted(twice, "m1"),
      accepted(randomUUID(), "m2"),
      accepted(both, "m3"),
      accepted(empty, ""),
    ];
    const refused = [
      failed(both, "InvalidParameter"),
      failed(throttled, "Throttled"),
      failed(wrong, "InvalidParameter"),
    ];
    const sns = await startSns(
      200,
      `<PublishBatchResponse><PublishBatchResult>
        <Successful>${taken.join("")}${accepted(twice, "m1")}</Successful>
        <Failed>${refused.join("")}${failed(again, "InternalError")}<member><Code>NoId</Code></member></Failed>
      </PublishBatchResult></PublishBatchResponse>`,
    );
    expect(await sns.send(TOPIC, batch)).toEqual({
      kind: "answered",
      entries: [
        { kind: "accepted", messageId: "m1" },
        { kind: "accepted", messageId: "m3" },
        { kind: "failed", error },
        { kind: "failed", error: expect.stringContaining("Throttled") },
        { kind: "refused", error: expect.stringContaining("InvalidParameter") },
        { kind: "failed", error },
        { kind: "failed", error },
      ],
    });
  });

  it.each(["", "<html><body>Sign in</body></html>", "<PublishBatchResponse/>"])(
    "without a word about any entry is a failure of the topic: %j",
    async (body) => {
      const sns = await startSns(200, body);
      expect(await sns.send(TOPIC, batchOf(2))).toEqual({
        kind: "failed",
        error,
      });
    },
  );

  it("is kept without what is secret in it, and no longer than a person reads", async () => {
    const message = `The Canonical String should have been 'POST x-amz-security-token:FwoGZXIv3//hush' for ada@example.com ${"x".repeat(9_000)}`;
    const sns = await startSns(
      403,
      `<ErrorResponse><Error><Type>Sender</Type><Code>SignatureDoesNotMatch</Code><Message>${message}</Message></Error></ErrorResponse>`,
    );
    const outcomes = [await sns.send(TOPIC, [event()]), await sns.describe(TOPIC)];
    for (const outcome of outcomes) {
      const { error } = outcome as Extract<typeof outcome, { error: string }>;
      expect(error).toMatch(/^SignatureDoesNotMatch/);
      expect(error).not.toMatch(/hush|ada@/);
      expect(error.length).toBeLessThanOrEqual(500);
    }
  });
});

describe("an error of the SDK", () => {
  it.each([
    ["NotFound", "topic_refused"],
    ["NotFoundException", "topic_refused"],
    ["CredentialsProviderError", "topic_refused"],
    ["KMSDisabled", "topic_refused"],
    ["BatchRequestTooLong", "refused"],
    ["InvalidParameterException", "refused"],
    ["ThrottledException", "failed"],
    ["NeverHeardOf", "failed"],
  ])("%s is %s, with and without its ending", (name, expected) => {
    expect(kindOfError(Object.assign(new Error("no"), { name }))).toBe(expected);
  });
});
