import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/platform/values/time.ts";
import {
  at,
  type Changes,
  decided,
  document,
  eventAnswer,
  NOT_LISTED,
  NOT_STORED,
  paidAt,
  payload,
  saidOf,
  TERMS,
  UNDATED,
  WITHOUT_EVENT,
} from "./deciding-payments.ts";

const SEPTEMBER = new Date("2026-09-30T23:59:59.999Z");
const NOVEMBER = new Date("2026-11-01T00:00:00.000Z");
const FUTURE = new Date(TERMS.now.getTime() + DAY_MS + 1);
const ELSEWHERE = { ...paidAt(SEPTEMBER), createdAt: SEPTEMBER, listedPaidAt: at("10T12:00:00") };
const CORRECTED = {
  ...payload({ vat: "1", paidAt: SEPTEMBER.toISOString() }),
  ...eventAnswer({ vat: "1", paymentDate: SEPTEMBER.toISOString() }),
};
const AMOUNT = "1500.50";

describe("a confirmation that nothing dates", () => {
  const unknown = { ...NOT_LISTED, ...NOT_STORED, ...WITHOUT_EVENT };
  const dead: Changes = { ...unknown, askedCollection: "Term 1", confirmation: "dead" };

  it.each<[string, Date | null, string[] | null]>([
    ["it is not known when", null, ["difference dead"]],
    ["soon after", new Date("2026-11-01T23:00:00Z"), ["difference dead"]],
    ["long after", new Date("2026-11-02T00:00:00Z"), null],
  ])("belongs to the days before it was opened: %s", (_, openedAt, said) => {
    expect(saidOf({ ...dead, openedAt })).toEqual(said);
    expect(saidOf({ ...dead, openedAt, asked: "unknown", askedPaidAt: at("10T12:00:00") })).toContain(
      "difference status_unknown",
    );
  });
});

describe("a Test payment", () => {
  const TEST: Changes = { type: "Test", eventType: "Test", ...document({ type: "Test" }), accepted: false };

  it.each<[string, string[] | null, Changes]>([
    ["stands apart, and is only noted", ["note test"], {}],
    ["that is no payment is nothing", null, { ...NOT_LISTED, status: "Unpaid" }],
    ["that is stored, and no longer listed, is noted", ["note test"], NOT_LISTED],
  ])("%s", (_, said, changes) => {
    expect(saidOf({ ...TEST, ...changes })).toEqual(said);
    if (said !== null) expect(decided({ ...TEST, ...changes })).toMatchObject({ isLive: false });
  });

  const erased = { inDocument: null, documentIsWhole: null };
  it.each<[string, Changes]>([
    ["in any case", { type: " TEST ", ...document({ type: "test" }) }],
    ["it is not stored, and Get Invoice does", { ...NOT_STORED, asked: "paid", askedType: "Test" }],
  ])("is one where the provider says so: %s", (_, changes) => {
    expect(decided({ ...TEST, ...changes })).toMatchObject({ isLive: false });
  });

  it.each<[string, Changes]>([
    ["Get Invoice says Live", { askedType: "Live" }],
    ["the column says Live", { type: "Live" }],
    ["the document says Live", document({ type: "live" })],
    ["only a column says so: it is erased", erased],
    ["only a column and a changed document say so", { documentIsWhole: false }],
    ["only its event says so", NOT_STORED],
  ])("is Live, and so has to be published, where %s", (_, changes) => {
    const outcome = decided({ ...TEST, ...changes });
    expect(outcome).toMatchObject({ isLive: true });
    expect(outcome?.differences).toContainEqual(expect.objectContaining({ weight: "gap" }));
  });
});

describe("the day that a payment counts on", () => {
  const december = { openedAt: new Date("2026-12-01T00:00:00Z") };
  const uncreated = { ...UNDATED, createdAt: null };
  const unlisted = { ...uncreated, listedCreatedAt: null };
  it.each<[string, Changes, string]>([
    ["as Get Invoice says now", { paidAt: at("12T00:00:00"), askedPaidAt: at("13T00:00:00") }, "2026-10-13"],
    ["else the confirmed answer's", { paidAt: at("12T00:00:00") }, "2026-10-12"],
    ["else the list's", { paidAt: null }, "2026-10-10"],
    ["else the event's", { paidAt: null, listedPaidAt: null }, "2026-10-10"],
    ["its first moment included", { ...paidAt(at("01T00:00:00")), createdAt: SEPTEMBER }, "2026-10-01"],
    ["else the day of its creation", UNDATED, "2026-10-09"],
    ["as Get Invoice says", { ...uncreated, askedCreatedAt: at("07T00:00:00") }, "2026-10-07"],
    ["as the list says", { ...uncreated, listedCreatedAt: at("08T00:00:00") }, "2026-10-08"],
    ["created at the first moment", { ...UNDATED, createdAt: at("01T00:00:00") }, "2026-10-01"],
    ["else the day it was heard of", unlisted, "2026-10-10"],
    ["... the last one at most", { ...unlisted, ...december }, "2026-10-31"],
    ["... also if only listed", { ...unlisted, ...NOT_STORED, ...WITHOUT_EVENT, ...december }, "2026-10-31"],
    ["else the first day", { ...unlisted, openedAt: null }, "2026-10-01"],
    ["... when it was heard of before", { ...unlisted, openedAt: SEPTEMBER }, "2026-10-01"],
    ["what is no date is as good as none", { ...UNDATED, ...payload({ paidAt: "soon" }) }, "2026-10-09"],
    ["... nor is what is to come", { ...paidAt(at("10T12:00:00")), paidAt: FUTURE }, "2026-10-10"],
  ])("%s", (_, changes, day) => {
    expect(decided(changes)).toMatchObject({ day, paid: "1500.50" });
  });

  it.each<[string, Changes]>([
    ["not_at_provider", { ...WITHOUT_EVENT, ...december }],
    ["event_without_payment", { ...NOT_STORED, ...december }],
  ])("is the last one where it is unlisted, and heard of later: %s", (reason, changes) => {
    const [said] = decided({ ...uncreated, ...NOT_LISTED, ...changes })?.differences ?? [];
    expect(said).toMatchObject({ reason, day: "2026-10-31" });
  });

  const asked = { asked: "paid", askedPaidAt: at("11T12:00:00") } as const;
  it.each<[string | null, string[]]>([
    ["2026-10-10T12:00:00Z", ["11", "10"]],
    ["2026-10-11T00:00:00Z", ["11"]],
    ["2026-10-01T00:00:00Z", ["11", "01"]],
    ["2026-09-30T23:59:59Z", ["11"]],
    ["2026-11-01T00:00:00Z", ["11"]],
    [null, ["11"]],
  ])("is also that of its event, at %s, where that is corrected", (paidAt, days) => {
    const changes = { ...asked, ...payload({ paidAt }), ...eventAnswer({ paymentDate: paidAt }) };
    const said = decided({ ...changes, verdict: "not_paid" })?.differences;
    expect(said?.map(({ reason, day }) => `${reason} ${day}`)).toEqual([
      ...days.map((day) => `corrected 2026-10-${day}`),
      "verdict_differs 2026-10-11",
    ]);
  });

  it.each<[string, Changes]>([
    ["paid before it", { ...paidAt(SEPTEMBER), createdAt: SEPTEMBER }],
    ["paid after it", paidAt(NOVEMBER)],
    ["undated, created after it", { ...UNDATED, createdAt: NOVEMBER }],
    ["paid by a clock up to a day ahead", paidAt(new Date(TERMS.now.getTime() + DAY_MS))],
  ])("is none of this period: %s", (_, changes) => {
    expect(decided(changes)).toBeNull();
  });

  const before = { createdAt: SEPTEMBER };
  const impossible = paidAt(new Date("2026-08-01T00:00:00Z"));
  it.each<[string, Changes, string, string[] | null]>([
    ["where only others date it here", ELSEWHERE, "2026-10-10", null],
    ["where they do, corrected", { ...ELSEWHERE, ...CORRECTED }, "2026-10-10", ["note corrected"]],
    ["where nothing dates it", { ...UNDATED, ...before, hasCallback: false }, "2026-10-01", ["note undated"]],
    ["where its dates can all be none", { ...impossible, ...before }, "2026-10-01", ["note undated"]],
    ["where it is to come", { ...paidAt(FUTURE), ...before }, "2026-10-01", ["note future"]],
  ])(
    "%s, is another period's: it counts, and is named, only if anything is wrong",
    (_, changes, day, said) => {
      expect(saidOf(changes)).toEqual(said);
      const uncounted = { day, paid: null, stored: null, published: null };
      if (said !== null) expect(decided(changes)).toMatchObject(uncounted);
      expect(decided({ ...changes, verdict: "not_paid" })).toMatchObject({ day, paid: AMOUNT });
    },
  );

  it("is that of its creation where it says that it is paid more than a day ahead, which is named", () => {
    expect(decided(paidAt(FUTURE))).toMatchObject({ day: "2026-10-09", differences: [{ reason: "future" }] });
    const window = { from: TERMS.window.from, to: new Date("2026-12-01T00:00:00Z") };
    expect(decided(paidAt(TERMS.now), { window })).toMatchObject({ day: "2026-11-02", differences: [] });
  });

  it.each(["2199-01-01T00:00:00Z", "1975-01-01T00:00:00Z", "2026-10-02T00:00:00Z"])(
    "is the one that others say, where anybody dates it %s, which cannot be",
    (date) => {
      const no = new Date(date);
      expect(decided({ paidAt: NOVEMBER, listedPaidAt: no, ...payload({ paidAt: null }) })).toBeNull();
      const everywhere = { askedPaidAt: no, paidAt: no, listedPaidAt: no, ...payload({ paidAt: date }) };
      expect(decided(everywhere)).toMatchObject({ day: "2026-10-09", paid: "1500.50" });
    },
  );

  it("is today of what was created in the future by hours, which else has no date of creation", () => {
    const later = (hours: number) => new Date(TERMS.now.getTime() + hours * 3_600_000);
    const window = { from: TERMS.window.from, to: later(2) };
    expect(decided({ ...UNDATED, createdAt: later(1) }, { window })).toMatchObject({ day: "2026-11-02" });
    expect(decided({ ...UNDATED, createdAt: later(1) })).toBeNull();
    expect(decided({ ...UNDATED, createdAt: new Date("2199-01-01T00:00:00Z") })).not.toBeNull();
  });
});

it.each<[string, Changes, object]>([
  [
    "what is not accepted is not published",
    { accepted: false },
    { paid: AMOUNT, stored: AMOUNT, published: null },
  ],
  ["what is not stored counts as paid", NOT_STORED, { paid: AMOUNT, stored: null }],
  ["what is not listed is not", NOT_LISTED, { paid: null, stored: AMOUNT, published: AMOUNT }],
])("%s", (_, changes, columns) => {
  expect(decided(changes)).toMatchObject(columns);
});
