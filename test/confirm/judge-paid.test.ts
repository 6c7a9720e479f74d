import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/confirm/answer.ts";
import { judge } from "../../src/confirm/judge.ts";
import { alarmsOf, EVEN, found, known, question, rules, unpaid } from "./judging-fixture.ts";

describe("judging: a paid invoice", () => {
  it("is done, paid, and has the one event of its invoice (G4)", () => {
    const { settlement, alarms } = judge(question(), found(), rules, EVEN);
    expect(settlement).toMatchObject({
      state: "done",
      verdict: "paid",
      lane: "known",
      attempt: 0,
      event: { type: "invoice.paid", state: "due", invoiceType: "Live" },
    });
    expect(alarms).toEqual([]);
  });

  it.each([["paid"], [" PAID "]])("is recognised without regard to case: %j", (status) => {
    expect(judge(question(), found({ status }), rules, EVEN).settlement.verdict).toBe("paid");
  });

  it.each([
    ["Test", false, "held", "Test"],
    ["Test", true, "due", "Test"],
    ["test", false, "held", "Test"],
    ["Sandbox", false, "held", "Test"],
    [null, false, "held", "Test"],
    ["LIVE", false, "due", "Live"],
  ])(
    "of type %j with a test topic: %j gives an event that is %s for the %s topic",
    (type, hasTestTopic, state, invoiceType) => {
      expect(
        judge(question(), found({ type }), { ...rules, hasTestTopic }, EVEN).settlement.event,
      ).toMatchObject({ state, invoiceType });
    },
  );

  it("of a foreign collection is quarantined without an event, and says how to release it", () => {
    const { settlement, alarms } = judge(
      question(),
      found(),
      { ...rules, collectionNames: new Set(["Other"]) },
      EVEN,
    );
    expect(settlement).toMatchObject({ state: "done", verdict: "quarantined", event: null });
    expect(alarms).toMatchObject([
      { name: "invoice_quarantined", detail: expect.stringContaining("quarantine release") },
    ]);
  });

  it("of a foreign collection is published once it was released", () => {
    const { settlement } = judge(
      question({ released: true }),
      found(),
      { ...rules, collectionNames: new Set(["Other"]) },
      EVEN,
    );
    expect(settlement).toMatchObject({ verdict: "paid", event: { state: "due" } });
  });

  it("with totals that miss by more than 0.01 is published all the same, with an anomaly", () => {
    const { settlement, alarms } = judge(question(), found({ totalAmount: 1511.27 }), rules, EVEN);
    expect(settlement.event).not.toBeNull();
    expect(alarms).toMatchObject([
      { name: "invoice_anomaly", detail: expect.stringContaining("do not add up") },
    ]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ totalAmount: 1511.26 }, "within 0.01"],
    [{ totalAmount: 9, serviceFeePayer: "Merchant" }, "another serviceFeePayer"],
    [{ totalAmount: null }, "no total"],
  ])("has no anomaly of totals for %j (%s)", (changes) => {
    expect(alarmsOf(found(changes), question())).toEqual([]);
  });

  it("after it was invalid is published, with an anomaly", () => {
    const { settlement, alarms } = judge(
      question({ known: known({ status: "Invalidated" }), verdict: "invalidated" }),
      found(),
      rules,
      EVEN,
    );
    expect(settlement).toMatchObject({ verdict: "paid", event: { state: "due" } });
    expect(alarms).toMatchObject([
      { name: "invoice_anomaly", detail: expect.stringContaining("was Invalidated and is now Paid") },
    ]);
  });

  it("whose amount changed after payment raises an anomaly with both amounts", () => {
    const asked = question({ known: known({ status: "Paid", totalAmount: "1400.00" }), verdict: "paid" });
    expect(alarmsOf(found(), asked)).toMatchObject([
      { name: "invoice_anomaly", detail: expect.stringContaining("from 1400.00 to 1511.25") },
    ]);
  });

  it("too large for SNS goes without metadata and beneficiaries, and says so", () => {
    const { settlement, alarms } = judge(
      question(),
      found({ billerMetaData: { note: "x".repeat(300_000) } }),
      rules,
      EVEN,
    );
    expect(JSON.parse(settlement.event?.payload ?? "").data).toMatchObject({
      metadata: {},
      beneficiaries: null,
      truncated: true,
    });
    expect(alarms).toMatchObject([{ name: "event_truncated" }]);
  });

  it("carries no personal data in its event when the setting says none", () => {
    const payload =
      judge(question(), found(), { ...rules, personalData: "none" }, EVEN).settlement.event?.payload ?? "";
    expect(JSON.parse(payload).data).toMatchObject({ payer: null, biller: null });
    expect(payload).not.toContain("Ada");
  });
});

describe("judging: Paid never silently turns into something else (G6)", () => {
  const paidBefore = question({
    known: known({ status: "Paid", modifiedAt: new Date("2026-11-01T08:30:00Z") }),
    verdict: "paid",
  });

  it.each([
    ["Unpaid", unpaid()],
    ["Invalidated", unpaid({ status: "Invalidated" })],
    ["an unknown status", unpaid({ status: "Refunded" })],
    ["not found", { kind: "not_found" } satisfies Answer],
  ])("%s after Paid stays paid and raises an anomaly", (_, answer) => {
    const { settlement, alarms } = judge(paidBefore, answer, rules, EVEN);
    expect(settlement).toMatchObject({ state: "done", verdict: "paid", event: null });
    expect(alarms).toContainEqual({
      name: "invoice_anomaly",
      detail: expect.stringContaining("It was Paid"),
    });
  });

  it("an older answer is kept as a snapshot and does not become the invoice", () => {
    const asked = question({
      known: known({ status: "Paid", modifiedAt: new Date("2026-11-01T12:00:00Z") }),
      verdict: "paid",
    });
    expect(judge(asked, found({ title: "Before" }), rules, EVEN).settlement.invoice).toMatchObject({
      newest: false,
      differs: true,
    });
  });

  it.each([
    ["equal", "2026-11-01T09:00:00Z"],
    ["missing", null],
  ])("a dateModified that is %s leaves it to the GET begun later", (_, dateModified) => {
    const asked = question({ known: known({ modifiedAt: new Date("2026-11-01T09:00:00Z") }) });
    expect(judge(asked, found({ dateModified }), rules, EVEN).settlement.invoice).toMatchObject({
      newest: true,
    });
  });
});

describe("judging: what is stored and published", () => {
  it("reads the reference from the confirmed invoice's callback URL, and keeps its token out", () => {
    const token = "0123456789012345678901";
    const { settlement } = judge(
      question(),
      found({ callBackUrl: `https://relay.example.com/callbacks/${token}/order%2017` }),
      rules,
      EVEN,
    );
    expect(settlement.invoice?.reference).toBe("order 17");
    expect(settlement.invoice?.document).toContain("/callbacks/***/order%2017");
    expect(JSON.stringify(settlement)).not.toContain(token);
  });

  it("keeps every digit of the provider's amounts", () => {
    const { settlement } = judge(
      question(),
      found({ amount: "9007199254740993.25", totalAmount: "9007199254741004.00" }),
      rules,
      EVEN,
    );
    expect(JSON.parse(settlement.event?.payload ?? "").data.amount).toBe("9007199254740993.25");
  });

  it("takes NUL and lone surrogates out of every text", () => {
    const { settlement } = judge(
      question(),
      found({ title: "a\0b\ud800c", billerMetaData: { "k\0": "v\0" } }),
      rules,
      EVEN,
    );
    expect(settlement.invoice?.title).toBe("a\uFFFDb\uFFFDc");
    expect(settlement.event?.payload).not.toContain("\\u0000");
  });

  it("without a time of payment, the event's time is the confirmation's and paidAt is null", () => {
    const event = JSON.parse(
      judge(question(), found({ paymentDate: "" }), rules, EVEN).settlement.event?.payload ?? "",
    );
    expect(event).toMatchObject({
      time: "2026-11-01T10:00:01.000Z",
      data: { paidAt: null, confirmedAt: "2026-11-01T10:00:01.000Z" },
    });
  });

  it("reads times without a zone in the provider's zone", () => {
    const { settlement } = judge(
      question(),
      found({ paymentDate: "2026-11-01T09:00:00" }),
      { ...rules, timeZone: "Africa/Lagos" },
      EVEN,
    );
    expect(settlement.invoice?.paidAt).toEqual(new Date("2026-11-01T08:00:00Z"));
  });
});
