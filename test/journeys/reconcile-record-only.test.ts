import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { emptyMonth, sendAll, untilPublished } from "../reconcile/month.ts";
import { OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { startRelay } from "../support/relay.ts";

describe("a payment from before the relay's first serve", () => {
  it("is recorded by a back-fill and not published, until a callback names it", async () => {
    const month = await emptyMonth();
    const { harness, service, environment } = month;
    await harness.query("update source set first_served_at = now() - interval '1 hour'");
    const id = randomUUID();
    const paidAt = new Date(Date.now() - 2 * 86_400_000).toISOString();
    const invoices = [{ id, createdAt: paidAt, paidAt }];
    await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
    const relay = await startRelay(environment);
    const day = paidAt.slice(0, 10);
    expect((await runCli(["reconcile", "--from", day, "--to", day], environment)).code).toBe(0);

    await vi.waitFor(async () => {
      const rows = await harness.query("select verdict, record_only from confirmation where state = 'done'");
      expect(rows).toEqual([{ verdict: "paid", record_only: true }]);
    });
    expect(await harness.query("select id from invoice")).toEqual([{ id }]);
    expect(await harness.query("select id from event")).toEqual([]);

    await sendAll(relay, [id]);
    await untilPublished(month, 1);
    expect(harness.sns.messages(harness.topicArn)).toHaveLength(1);
  });
});
