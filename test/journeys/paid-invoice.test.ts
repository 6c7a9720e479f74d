import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { startHarness, startRelay } from "../support/relay.ts";

describe("a paid invoice", () => {
  it("becomes one invoice.paid event on SNS, built from the provider's answer alone (G3)", async () => {
    const harness = await startHarness();
    const id = harness.provider.paid();
    const relay = await startRelay(harness.environment());

    const answer = await relay.callback({
      id: randomUUID(),
      event: "payment.successful",
      data: { id, amount: 99_999, title: "Forged" },
    });

    expect(answer.status).toBe(200);
    const [message] = await vi.waitFor(() => {
      const messages = harness.sns.messages(harness.topicArn);
      expect(messages).toHaveLength(1);
      return messages;
    });
    const event = JSON.parse(message?.message ?? "");
    expect(event).toMatchObject({
      type: "invoice.paid",
      subject: id,
      data: {
        invoiceId: id,
        title: "School fees",
        amount: "1500.50",
        totalAmount: "1511.25",
        paidAt: "2026-11-01T09:00:00.000Z",
      },
    });
    // The acceptance is kept a moment after it.
    await eventually(
      () =>
        harness.query(
          `select event.state, p.message_id, c.verdict from ${EVENTS}
            join publication p on p.event_id = event.id
            join confirmation c on c.invoice_id = event.invoice_id`,
        ),
      toEqual([{ state: "published", message_id: message?.messageId, verdict: "paid" }]),
    );
  });
});
