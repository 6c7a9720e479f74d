import { describe, expect, it } from "vitest";
import { judge } from "../../src/confirm/judge.ts";
import type { Answer } from "../../src/provider/provider.ts";
import { confirmation, EVEN, found, rules, unpaid } from "./judging-fixture.ts";

describe("judging: a paid invoice", () => {
  it("is done, paid, and has the one event of its invoice (G4)", () => {
    const outcome = judge(confirmation(), found(), rules, EVEN);
    expect(outcome).toMatchObject({
      state: "done",
      verdict: "paid",
      priority: "known",
      attempt: 0,
      event: { type: "invoice.paid", state: "due", invoiceType: "Live" },
    });
    expect(outcome.raises).toEqual([]);
  });

  it.each([["paid"], [" PAID "]])("is recognised without regard to case: %j", (status) => {
    expect(judge(confirmation(), found({ status }), rules, EVEN).verdict).toBe("paid");
  });

  it.each([
    ["Test", false, "held", "Test"],
    ["Test", true, "due", "Test"],
    ["test", false, "held", "Test"],
    ["LIVE", false, "due", "Live"],
  ])(
    "of type %j with a test topic: %j gives an event that is %s for the %s topic",
    (type, hasTestTopic, state, invoiceType) => {
      expect(judge(confirmation(), found({ type }), { ...rules, hasTestTopic }, EVEN).event).toMatchObject({
        state,
        invoiceType,
      });
    },
  );

  it("of a foreign collection is published once it was released", () => {
    const outcome = judge(
      confirmation({ released: true }),
      found(),
      { ...rules, collectionNames: new Set(["Other"]) },
      EVEN,
    );
    expect(outcome).toMatchObject({ verdict: "paid", event: { state: "due" } });
  });

  describe("while a collection of ours cannot be read", () => {
    const unread = { ...rules, collectionNames: new Set(["Other"]), collectionsUnread: "HTTP 503" };

    it("waits as after a fault if it may be of that one, with nothing stored, and says so the fifth time", () => {
      const early = judge(confirmation(), found(), unread, EVEN);
      expect(early).toMatchObject({
        state: "due",
        attempt: 0,
        faults: 1,
        invoice: null,
        event: null,
        raises: [],
      });
      expect(early.lastError).toContain('its collection "Term 1" is in COLLECTION_IDS cannot be told');
      const late = judge(confirmation({ faults: 4 }), found(), unread, EVEN);
      expect(late.raises).toMatchObject([
        { name: "invoice_anomaly", detail: expect.stringContaining("HTTP 503") },
      ]);
      const told = judge(confirmation({ faults: 5 }), found(), rules, EVEN);
      expect(told).toMatchObject({
        verdict: "paid",
        clears: ["provider_answer_outside_contract", "invoice_anomaly"],
      });
    });

    it.each([
      ["of another of ours", confirmation(), found({ collectionName: "Other" }), "paid"],
      ["released", confirmation({ released: true }), found(), "paid"],
      ["published before", confirmation({ hasEvent: true }), found(), "paid"],
      ["of none", confirmation(), found({ collectionName: null }), "quarantined"],
    ])("is judged as ever if it is %s", (_which, asked, answer, verdict) => {
      expect(judge(asked, answer, unread, EVEN).verdict).toBe(verdict);
    });

    it("and not paid is no matter of whose it is", () => {
      expect(judge(confirmation(), unpaid(), unread, EVEN)).toMatchObject({ attempt: 1, faults: 0 });
    });
  });

  it("too large for SNS goes without metadata and beneficiaries, and says so", () => {
    const outcome = judge(
      confirmation(),
      found({ billerMetaData: { note: "x".repeat(300_000) } }),
      rules,
      EVEN,
    );
    expect(JSON.parse(outcome.event?.payload ?? "").data).toMatchObject({
      metadata: {},
      beneficiaries: null,
      truncated: true,
    });
    expect(outcome.raises).toMatchObject([{ name: "event_truncated" }]);
  });

  it("of fields too intricate to be read goes without them, and says so", () => {
    const outcome = judge(confirmation(), { ...found(), leftOut: true } as Answer, rules, EVEN);
    expect(JSON.parse(outcome.event?.payload ?? "").data).toMatchObject({
      ...{ metadata: {}, beneficiaries: null, truncated: true },
    });
    expect(outcome.raises).toMatchObject([{ name: "event_truncated" }]);
  });
});

describe("judging: what is stored and published", () => {
  it("reads the reference from the confirmed invoice's callback URL, and keeps its token out", () => {
    const token = "0123456789012345678901";
    const outcome = judge(
      confirmation(),
      found({ callBackUrl: `https://relay.example.com/callbacks/${token}/order%2017` }),
      rules,
      EVEN,
    );
    expect(outcome.invoice?.reference).toBe("order 17");
    expect(outcome.invoice?.document).toContain("/callbacks/***/order%2017");
    expect(JSON.stringify(outcome)).not.toContain(token);
  });

  it("keeps every digit of the provider's amounts", () => {
    const outcome = judge(
      confirmation(),
      found({ amount: "9007199254740993.25", totalAmount: "9007199254741004.00" }),
      rules,
      EVEN,
    );
    expect(JSON.parse(outcome.event?.payload ?? "").data.amount).toBe("9007199254740993.25");
  });

  it("without a time of payment, the event's time is the confirmation's and paidAt is null", () => {
    const event = JSON.parse(
      judge(confirmation(), found({ paymentDate: "" }), rules, EVEN).event?.payload ?? "",
    );
    expect(event).toMatchObject({
      time: "2026-11-01T10:00:01.000Z",
      data: { paidAt: null, confirmedAt: "2026-11-01T10:00:01.000Z" },
    });
  });

  it("reads times without a zone in the provider's zone", () => {
    const outcome = judge(
      confirmation(),
      found({ paymentDate: "2026-11-01T09:00:00" }),
      { ...rules, timeZone: "Africa/Lagos" },
      EVEN,
    );
    expect(outcome.invoice?.paidAt).toEqual(new Date("2026-11-01T08:00:00Z"));
  });
});
