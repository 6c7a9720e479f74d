import { expect, it } from "vitest";
import { type AnomalyFacts, anomaliesOf } from "../../../src/pipeline/confirm/anomalies.ts";
import { expectGolden } from "../../support/golden.ts";
import { found, known } from "./deciding-fixture.ts";

const invoice = (changes: Record<string, unknown> = {}) => found(changes).invoice;

/** Dates so many days after the answer. */
const dated = (paidDays: number, changedDays = 0) => {
  const askedAt = new Date("2026-11-01T10:00:00Z");
  const after = (days: number) => new Date(askedAt.getTime() + days * 86_400_000);
  return { askedAt, modifiedAt: after(changedDays), paidAt: after(paidDays) };
};

/** Of a paid answer, where nothing was known before. */
const odd = (changes: Partial<AnomalyFacts>): string[] =>
  anomaliesOf({
    ...{ currency: "NGN", invoice: invoice(), document: {}, now: "paid", known: null, before: null },
    ...{ paidBefore: false, hasEvent: false, isOld: false, confirmed: dated(0) },
    ...changes,
  });

const WAS_PAID = { known: known({ status: "Paid" }), before: "paid", paidBefore: true } as const;
/** Its payment was taken back, and that was told. */
const TAKEN_BACK = { now: "unknown", known: known({ status: "Refunded" }), paidBefore: true } as const;
const UNPAID = { invoice: invoice({ status: "Unpaid" }), now: "unpaid" } as const;
const saying = (changes: Record<string, unknown>, more: Partial<AnomalyFacts> = {}) => ({
  ...more,
  invoice: invoice(changes),
});

it.each<[string, Partial<AnomalyFacts>]>([
  ["a paid invoice", {}],
  ["one that stays paid", WAS_PAID],
  ["an old answer to a paid one", { before: "paid", paidBefore: true, isOld: true }],
  ["an old unpaid answer", { ...UNPAID, isOld: true }],
  ["one whose type is written otherwise", saying({ type: "LIVE " }, { ...WAS_PAID, hasEvent: true })],
  [
    "one whose type nobody said before",
    { known: known({ type: "Sandbox" }), before: "paid", hasEvent: true },
  ],
  [
    "the type of one that is no longer paid, which is told in itself",
    saying({ status: "Refunded", type: "Test" }, { ...TAKEN_BACK, hasEvent: true }),
  ],
  ["one whose payment was taken back, and that was told", saying({ status: "Refunded" }, TAKEN_BACK)],
  ["an amount that nobody said before", { ...WAS_PAID, known: known({ amount: null, totalAmount: null }) }],
  ["a payment of tomorrow: a clock or a zone is ahead", { confirmed: dated(2) }],
  ["a change of tomorrow", { confirmed: dated(0, 2) }],
  [
    "the years that platforms write for no date",
    saying(
      { paymentDate: "0001-01-01T00:00:00", dateModified: "1970-01-01T00:00:00Z" },
      { confirmed: { ...dated(0), paidAt: null, modifiedAt: null } },
    ),
  ],
  [
    "a broken date of one that is not paid",
    saying({ dateModified: "soon" }, { now: "unpaid", confirmed: { ...dated(0), modifiedAt: null } }),
  ],
  ["a total that is no longer said", saying({ totalAmount: null }, WAS_PAID)],
  [
    "no amount of one that is not paid",
    saying({ totalAmount: 0, amount: 0, vat: 0, serviceCharge: 0 }, { now: "unpaid" }),
  ],
  ["a total that is a cent more", saying({ totalAmount: 1511.26 })],
  ["a total whose fee the payer does not bear", saying({ totalAmount: 1, serviceFeePayer: "Merchant" })],
  ["a total whose fee nobody is said to bear", saying({ totalAmount: 1, serviceFeePayer: null })],
  ["a total without a fee", saying({ totalAmount: 1, serviceCharge: null })],
  ["a total without a tax", saying({ totalAmount: 1, vat: null })],
])("nothing is odd about %s", (_, changes) => {
  expect(odd(changes)).toEqual([]);
});

const noDate = (name: string, column: string): [string, Partial<AnomalyFacts>] => [
  `${name} is no date`,
  saying({ [name]: "2026-02-30T10:00:00Z" }, { confirmed: { ...dated(0), [column]: null } }),
];
const ODD: [string, Partial<AnomalyFacts>][] = [
  ["the total is nothing", saying({ totalAmount: 0, amount: 0, serviceCharge: 0, vat: 0 })],
  ["the amount is, no total said", saying({ totalAmount: null, amount: -1 })],
  ["it was paid by the stored answer, and is not", { ...WAS_PAID, ...UNPAID }],
  ["it was paid by its event, and is not", { ...UNPAID, paidBefore: true }],
  ["it was changed in days to come", { confirmed: dated(0, 3) }],
  ["it was paid in days to come", { confirmed: dated(3) }],
  noDate("paymentDate", "paidAt"),
  noDate("dateModified", "modifiedAt"),
  ["it was invalid", { known: known({ status: "Expired" }), before: "invalid" }],
  ["an older answer says Paid", { before: "unpaid", isOld: true }],
  ["its total changed", { ...WAS_PAID, known: known({ totalAmount: "1000.00" }) }],
  ["its amount changed", { ...WAS_PAID, known: known({ amount: "1000.00", totalAmount: null }) }],
  ["the total is two cents more", saying({ totalAmount: 1511.27, serviceFeePayer: "PAYER" })],
  ...["1,511.25", "NGN 5", [], true].map((said): [string, Partial<AnomalyFacts>] => [
    `the total is ${JSON.stringify(said)}`,
    saying({ totalAmount: said }, { document: { totalAmount: said, vat: 0.75 } }),
  ]),
  [
    "of several amounts two cannot be read",
    saying(
      { vat: "-", totalAmount: "", invoiceBeneficiaries: [{ amount: "1,500" }] },
      { document: { vat: "-", totalAmount: " ", settleableAmount: null, invoiceBeneficiaries: [{}] } },
    ),
  ],
  ["its type was Test", { ...WAS_PAID, known: known({ status: "Paid", type: "test" }), hasEvent: true }],
  ["its type is none", saying({ type: "Sandbox" }, { ...WAS_PAID, hasEvent: true })],
];

it("tells once what is odd, and what to do", () =>
  expectGolden("anomalies", ODD.map(([what, of]) => [`${what}:`, ...odd(of)].join("\n  ")).join("\n")));
