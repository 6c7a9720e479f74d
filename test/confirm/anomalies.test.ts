import { describe, expect, it } from "vitest";
import type { Invoice } from "../../src/collection-api/index.ts";
import { type AnomalyFacts, anomaliesOf } from "../../src/confirm/anomalies.ts";
import { found, ID, known } from "./judging-fixture.ts";

const invoice = (changes: Record<string, unknown> = {}): Invoice =>
  (found(changes) as { invoice: Invoice }).invoice;

/** A paid answer, and nothing known before. */
const odd = (changes: Partial<AnomalyFacts>): string[] =>
  anomaliesOf({
    currency: "NGN",
    invoice: invoice(),
    document: {},
    now: "paid",
    known: null,
    before: null,
    paidBefore: false,
    hasEvent: false,
    isOld: false,
    confirmed: paidAhead(0),
    ...changes,
  });

const paidAhead = (days: number, changedAhead = 0) => {
  const askedAt = new Date("2026-11-01T10:00:00Z");
  const modifiedAt = new Date(askedAt.getTime() + changedAhead * 86_400_000);
  return { askedAt, modifiedAt, paidAt: new Date(askedAt.getTime() + days * 86_400_000) };
};

const WAS_PAID = { known: known({ status: "Paid" }), before: "paid", paidBefore: true } as const;
/** Its payment was taken back, and that was told. */
const TAKEN_BACK = { now: "unknown", known: known({ status: "Refunded" }), paidBefore: true } as const;

describe("nothing is odd", () => {
  it.each<[string, Partial<AnomalyFacts>]>([
    ["about a paid invoice", {}],
    ["about one that was unpaid", { known: known(), before: "unpaid" }],
    ["about one that stays paid", WAS_PAID],
    ["about an old answer to a paid one", { before: "paid", paidBefore: true, isOld: true }],
    ["about an old unpaid answer", { invoice: invoice({ status: "Unpaid" }), now: "unpaid", isOld: true }],
    ["about one that is invalid still", { known: known(), before: "invalid", now: "invalid" }],
    ["about an unpaid one without a type", { invoice: invoice({ type: null }), now: "unpaid" }],
    ["about a Test one", { invoice: invoice({ type: " TEST " }) }],
    ["about one of no type: it waits, and the confirmation says so", { invoice: invoice({ type: null }) }],
    [
      "about one whose event was made before and whose type is written otherwise",
      { ...WAS_PAID, invoice: invoice({ type: "LIVE " }), paidBefore: false, hasEvent: true },
    ],
    [
      "about one that has a type now, and no event yet",
      { known: known({ status: "Paid", type: null }), before: "paid", paidBefore: true },
    ],
    [
      "about one whose event was made and whose type nobody said before",
      { known: known({ status: "Paid", type: "Sandbox" }), before: "paid", hasEvent: true },
    ],
    [
      "about the type of one that is no longer paid, which is told in itself",
      { ...TAKEN_BACK, invoice: invoice({ status: "Refunded", type: "Test" }), hasEvent: true },
    ],
    [
      "about one whose payment was taken back, and that was told",
      { ...TAKEN_BACK, invoice: invoice({ status: "Refunded" }) },
    ],
    [
      "where nobody said an amount before",
      { ...WAS_PAID, known: known({ status: "Paid", amount: null, totalAmount: null } as never) },
    ],
    ["where a clock or a zone is ahead", { confirmed: paidAhead(2) }],
    ["about the date of one that is not paid", { now: "unpaid", confirmed: paidAhead(3) }],
    ["where a clock or a zone is ahead of a change", { confirmed: paidAhead(0, 2) }],
    [
      "where no date is said but the years that platforms write for none",
      {
        invoice: invoice({ paymentDate: "0001-01-01T00:00:00", dateModified: "1970-01-01T00:00:00Z" }),
        confirmed: { ...paidAhead(0), paidAt: null, modifiedAt: null },
      },
    ],
    [
      "about the dates of one that is not paid",
      {
        ...{ invoice: invoice({ status: "Unpaid", dateModified: "soon" }), now: "unpaid" },
        confirmed: { ...paidAhead(0), modifiedAt: null },
      },
    ],
    ["where the total is no longer said", { ...WAS_PAID, invoice: invoice({ totalAmount: null }) }],
  ])("%s", (_, changes) => {
    expect(odd(changes)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a cent more", { totalAmount: 1511.26 }],
    ["a cent less", { totalAmount: 1511.24 }],
    ["the payer bears no fee", { totalAmount: 1, serviceFeePayer: "Merchant" }],
    ["nobody says who bears it", { totalAmount: 1, serviceFeePayer: null }],
    ["no fee is said", { totalAmount: 1, serviceCharge: null }],
    ["no tax is said", { totalAmount: 1, vat: null }],
    ["no total is said", { totalAmount: null }],
  ])("about a total where %s", (_, changes) => {
    expect(odd({ invoice: invoice(changes) })).toEqual([]);
  });
});

describe("it is odd, and told", () => {
  it.each([
    [{ totalAmount: 0, amount: 0, serviceCharge: 0, vat: 0 }, "NGN 0.00"],
    [{ totalAmount: -1511.25, amount: -1511.25, serviceCharge: 0, vat: 0 }, "NGN -1,511.25"],
    [{ totalAmount: null, amount: -1 }, "NGN -1.00"],
  ])("of a paid one that its total is no amount: %j", (changes, total) => {
    expect(odd({ invoice: invoice(changes) })).toEqual([
      `It is Paid with a total of ${total}. It is published; ask the provider why.`,
    ]);
    expect(odd({ invoice: invoice(changes), now: "unpaid" })).toEqual([]);
  });

  it.each<[string, Partial<AnomalyFacts>]>([
    [
      "It was Paid and is now Unpaid. It stays paid here; ask the provider why.",
      { ...WAS_PAID, invoice: invoice({ status: "Unpaid" }), now: "unpaid" },
    ],
    [
      "It was Paid and is now Unpaid. It stays paid here; ask the provider why.",
      { invoice: invoice({ status: "Unpaid" }), now: "unpaid", paidBefore: true },
    ],
    [
      "It was last changed on 2026-11-04, the provider says, which is yet to come. It is published; ask the provider why.",
      { confirmed: paidAhead(0, 3) },
    ],
    ...["paymentDate", "dateModified"].map((name): [string, Partial<AnomalyFacts>] => [
      `Its ${name} is "2026-02-30T10:00:00Z", which is no date. It is published as if it had none; ask the provider why.`,
      {
        invoice: invoice({ [name]: "2026-02-30T10:00:00Z" }),
        confirmed: { ...paidAhead(0), [name === "paymentDate" ? "paidAt" : "modifiedAt"]: null },
      },
    ]),
    [
      "It was Expired and is now Paid. It is published; ask the provider why.",
      { known: known({ status: "Expired" }), before: "invalid" },
    ],
    [
      "It is Paid by an answer that is dated before the one that was not. It counts as paid.",
      { before: "unpaid", isOld: true },
    ],
    [
      "Its amount changed after payment: from NGN 1,000.00 to NGN 1,511.25. The event keeps the first.",
      { ...WAS_PAID, known: known({ status: "Paid", totalAmount: "1000.00" as never }) },
    ],
    [
      "Its amount changed after payment: from NGN 1,000.00 to NGN 1,511.25. The event keeps the first.",
      { ...WAS_PAID, known: known({ status: "Paid", amount: "1000.00" as never, totalAmount: null }) },
    ],
    [
      "It was paid on 2026-11-04, the provider says, which is yet to come. It is published, and reports count it on that day; ask the provider why.",
      { confirmed: paidAhead(3) },
    ],
    [
      "Its amounts do not add up: 1,500.50 + 10.00 + 0.75 is not NGN 1,511.27.",
      { invoice: invoice({ totalAmount: 1511.27, serviceFeePayer: "PAYER" }) },
    ],
    [
      "Its amounts do not add up: 1,500.50 + 10.00 + 0.75 is not NGN 1,511.23.",
      { invoice: invoice({ totalAmount: 1511.23 }) },
    ],
    ...["1,511.25", "NGN 5", [], true].map((said): [string, Partial<AnomalyFacts>] => [
      "No amount can be read in its totalAmount. It is published without; ask the provider why.",
      { invoice: invoice({ totalAmount: said }), document: { totalAmount: said, vat: 0.75 } },
    ]),
    [
      "No amount can be read in its vat, invoiceBeneficiaries. It is published without; ask the provider why.",
      {
        invoice: invoice({ vat: "-", totalAmount: "", invoiceBeneficiaries: [{ amount: "1,500" }] }),
        document: { vat: "-", totalAmount: " ", settleableAmount: null, invoiceBeneficiaries: [{}] },
      },
    ],
    [
      "Its type changed after payment: from Test to Live. The event keeps the first, and its topic; ask the provider why. " +
        `If it is Live, send its event to the live topic as well: invoice-relay replay events --invoice ${ID} ` +
        "--topic <live topic's ARN>",
      { ...WAS_PAID, known: known({ status: "Paid", type: "test" }), hasEvent: true },
    ],
    [
      "Its type changed after payment: from Live to neither Live nor Test. The event keeps the first, and its topic; ask the provider why.",
      { ...WAS_PAID, invoice: invoice({ type: "Sandbox" }), hasEvent: true },
    ],
  ])("%s", (text, changes) => {
    expect(odd(changes)).toEqual([text]);
  });
});
