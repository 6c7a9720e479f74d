import { describe, expect, it } from "vitest";
import { topicFixture } from "./sns-fixture.ts";

async function fifoFixture(attributes: Record<string, string> = {}) {
  let time = Date.UTC(2026, 0, 1);
  const fixture = await topicFixture({ now: () => time }, "events.fifo", attributes);
  return {
    ...fixture,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

const MINUTE = 60_000;

describe("FIFO topics", () => {
  it("swallow a deduplication id for five minutes, answering what the first got", async () => {
    const { sns, publish, pass } = await fifoFixture();
    const first = await publish({ Message: "a", MessageGroupId: "g", MessageDeduplicationId: "d" });
    pass(5 * MINUTE - 1);
    const again = await publish({ Message: "other", MessageGroupId: "h", MessageDeduplicationId: "d" });
    expect(again).toMatchObject({ MessageId: first.MessageId, SequenceNumber: first.SequenceNumber });
    expect(sns.messages()).toMatchObject([{ message: "a", deduplicated: 1 }]);
    pass(1);
    const later = await publish({ Message: "a", MessageGroupId: "g", MessageDeduplicationId: "d" });
    expect(later.MessageId).not.toBe(first.MessageId);
    expect(BigInt(later.SequenceNumber ?? 0)).toBeGreaterThan(BigInt(first.SequenceNumber ?? 0));
    expect(sns.messages()).toHaveLength(2);
  });

  it("tell messages apart by their content where the topic is made so", async () => {
    const { sns, publish } = await fifoFixture({ ContentBasedDeduplication: "true" });
    const first = await publish({ Message: "a", MessageGroupId: "g" });
    const again = await publish({ Message: "a", MessageGroupId: "g" });
    await publish({ Message: "b", MessageGroupId: "g" });
    expect(again.MessageId).toBe(first.MessageId);
    expect(sns.messages().map(({ message }) => message)).toEqual(["a", "b"]);
  });

  it("refuse a message without group or deduplication id, and a batch with it as a whole", async () => {
    const { sns, batch, publish } = await fifoFixture();
    const refused = { name: "InvalidParameterException" };
    for (const ids of [
      { MessageDeduplicationId: "d" },
      { MessageGroupId: "g" },
      { MessageGroupId: "a b", MessageDeduplicationId: "d" },
      { MessageGroupId: "g", MessageDeduplicationId: "d".repeat(129) },
    ]) {
      await expect(publish({ Message: "a", ...ids })).rejects.toMatchObject(refused);
      const fine = { Id: "1", Message: "fine", MessageGroupId: "g", MessageDeduplicationId: "fine" };
      await expect(batch([fine, { Id: "2", Message: "a", ...ids }])).rejects.toMatchObject(refused);
    }
    expect(sns.messages()).toEqual([]);
  });
});
