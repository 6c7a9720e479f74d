import { describe, expect, it } from "vitest";
import { detailOf, type Reason } from "../../src/reconcile/certificate/detail-of.ts";
import type { PaymentFacts } from "../../src/reconcile/certificate/payment-facts.ts";
import { COMPLETE, payload } from "./judging-payments.ts";

const words = (reason: Reason, changes: Partial<PaymentFacts> = {}): string =>
  detailOf(reason, { ...COMPLETE, ...changes });

describe("a certificate's reason in plain words", () => {
  it.each<[Reason, Partial<PaymentFacts>, string]>([
    ["not_confirmed", { lastError: "a time-out" }, "the provider has not confirmed it yet: a time-out"],
    ["unpublished", { outboxError: "throttled" }, "its event is waiting to be published: throttled"],
    [
      "wrong_topic",
      { acceptedElsewhere: "arn:x" },
      "its event was accepted on arn:x, which is not its topic today",
    ],
    ["verdict_differs", { verdict: null }, "published, but its confirmation's verdict is missing"],
    [
      "dead",
      { lastError: "odd", dismissedBy: "ada" },
      "its confirmation is a dead letter: odd; dismissed by ada",
    ],
    [
      "type_changed",
      { type: null, eventType: "Test" },
      "the provider has named another type since: it is none now, and its event was accepted on the live topic as Test",
    ],
    [
      "books_differ",
      { eventAnswers: null },
      "the answer that its event was made from is gone, and the event differs from the newest one",
    ],
    [
      "corrected",
      { ...payload({ vat: "1.00", paidAt: null }) },
      "the provider has changed it since its event was made: vat was 1.00 and is 0.75, paidAt was missing and is 2026-10-10T12:00:00.000Z",
    ],
    ["quarantined", { lastError: "foreign", dismissedBy: "ada" }, "quarantined: foreign; dismissed by ada"],
    ["event_dead", { outboxError: "no", dismissedBy: "ada" }, "SNS refused its event: no; dismissed by ada"],
  ])("%s with %j", (reason, changes, text) => {
    expect(words(reason, changes)).toBe(text);
  });

  it.each<[PaymentFacts["verdict"], string]>([
    ["not_paid", "unpaid at every check"],
    ["invalidated", "invalid"],
    ["unknown_invoice", "that it does not exist"],
    ["pending", "something else"],
    [null, "something else"],
  ])("not_paid with the verdict %s", (verdict, said) => {
    expect(words("not_paid", { verdict })).toBe(`the list says paid, but Get Invoice said ${said}`);
  });

  it.each<[PaymentFacts["asked"], string | null, string]>([
    ["not_found", null, "the provider says that it does not exist"],
    ["not_paid", "Refunded", "Get Invoice says Refunded"],
    ["not_paid", null, "Get Invoice says something else"],
    ["unclear", "Refunded", "the provider's list does not show it"],
  ])("not_at_provider, where Get Invoice said %s %s", (asked, askedStatus, said) => {
    expect(words("not_at_provider", { asked, askedStatus })).toBe(`stored as paid, but ${said}`);
  });

  it("amount_differs names every amount, and what is missing", () => {
    expect(words("amount_differs", { askedAmount: "2" })).toBe(
      "the list says 1500.5, Get Invoice 2, stored is 1500.50, in the event 1500.50",
    );
    expect(words("amount_differs", payload({ totalAmount: "1.00" }))).toBe(
      "the list says 1500.5, Get Invoice was not asked, stored is 1500.50, in the event 1500.50; the stored total is 1511.25, in the event 1.00",
    );
    expect(words("amount_differs", { listedAmount: null, amounts: null, inPayload: null })).toBe(
      "the list says nothing, Get Invoice was not asked, stored is nothing, in the event nothing",
    );
  });
});
