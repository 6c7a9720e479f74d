import { describe, expect, it } from "vitest";
import type { PaymentFacts } from "../../src/reconcile/certificate/payment-facts.ts";
import { AMOUNTS, document, eventAnswer, judged, payload } from "./judging-payments.ts";

type Changes = Partial<PaymentFacts>;

const MONEY = { paid: "1500.50", stored: "1500.50", published: "1500.50" };

describe("a payment that is the same in all three places", () => {
  it("counts in each, on the day it was paid, and nothing is said of it (G10)", () => {
    expect(judged({})).toEqual({
      day: "2026-10-10",
      isLive: true,
      isForeign: false,
      ...MONEY,
      differences: [],
    });
  });

  it.each<[string, Changes]>([
    ["with a status written otherwise", { status: " PAID ", ...document({ status: "paid" }) }],
    ["with another of PAID_STATUSES", { status: "Settled", ...document({ status: "Settled" }) }],
    ["with a type written otherwise", { type: "live ", ...document({ type: "LIVE" }) }],
    ["with amounts written otherwise", { listedAmount: "+1500.500", ...document({ amount: " 15005e-1 " }) }],
    [
      "whose answers were erased",
      { inDocument: null, documentIsWhole: null, ...eventAnswer({ isErased: true, vat: null }) },
    ],
    [
      "by an answer without a zone, read by another PROVIDER_TIME_ZONE",
      {
        ...document({ paymentDate: "2026-10-10 13:00:00" }),
        ...eventAnswer({ paymentDate: "2026-10-10T08:00" }),
      },
    ],
    [
      "with a charge that no amount can be read from",
      {
        amounts: { ...AMOUNTS, vat: null },
        ...document({ vat: "n/a" }),
        ...payload({ vat: null }),
        ...eventAnswer({ vat: "n/a" }),
      },
    ],
    [
      "of an earlier version, whose answers are all that are stored",
      {
        eventAnswers: [
          ...eventAnswer({ vat: "1" }).eventAnswers,
          ...eventAnswer({ isNewest: false }).eventAnswers,
        ],
      },
    ],
    ["whose event's answer is gone, as long as the newest says the same", { eventAnswers: null }],
    ["whose event was made again after one acceptance that fits", { digestDiffers: true }],
    ["of which SNS kept another digest too", { digestMatches: true, digestDiffers: null }],
    ["that was asked about", { asked: "paid", askedAmount: "1500.50", askedType: "Live" }],
    ["of a list that hides what it was asked for", { label: null, asked: "paid" }],
    ["of a list that hides it, not asked about", { label: null }],
    ["of another name of this list", { collectionName: "Other" }],
  ])("%s is still the same", (_, changes) => {
    expect(judged(changes)).toMatchObject({ ...MONEY, differences: [] });
  });
});
