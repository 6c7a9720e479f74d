import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/provider/provider.ts";
import { expectGolden } from "../support/golden.ts";
import {
  type Asked,
  FOREIGN,
  fault,
  found,
  judged,
  known,
  notFound,
  outside,
  unpaid,
} from "./judging-fixture.ts";

const EVIDENCE = "provider_answer_outside_contract";
const DECIDED = ["confirmation_dead", "invoice_quarantined"];
const ANOMALY = "invoice_anomaly";
const TYPELESS = found({ type: null });
const ON_HOLD = unpaid({ status: "OnHold" });
const UNREAD = { ...FOREIGN, collectionsUnread: "HTTP 503" };

const again = { requests: 2 };
const wasPaid = { ...again, verdict: "paid", known: known({ status: "Paid" }) } as const;
const wasOnHold = known({ status: "OnHold" });
const wasTypeless = known({ status: "Paid", type: null });

describe("the alarms that an outcome ends (G13)", () => {
  it.each<[string, Asked, Answer, string[]]>([
    ["asked for the first time: none can be open", {}, found(), []],
    ["paid", again, found(), [EVIDENCE, ...DECIDED, ANOMALY]],
    ["no longer paid: that is odd", wasPaid, unpaid(), [EVIDENCE, ...DECIDED]],
    ["no longer there: that is odd", wasPaid, notFound, [EVIDENCE, ...DECIDED]],
    ["not paid in the end", { ...again, attempt: 8 }, unpaid(), [EVIDENCE, ...DECIDED, ANOMALY]],
    ["unknown in the end", { ...again, attempt: 5 }, notFound, [EVIDENCE, ...DECIDED]],
    ["unknown in the end, asked by one callback", { attempt: 5 }, notFound, [EVIDENCE]],
    ["paid, and odd", again, found({ totalAmount: 1 }), [EVIDENCE, ...DECIDED]],
    ["paid, of no type", again, TYPELESS, [EVIDENCE]],
    ["odd on an earlier step", { attempt: 1 }, found(), [EVIDENCE, ANOMALY]],
    ["unanswered for long", { faults: 20 }, unpaid(), ["invoice_unanswered", EVIDENCE]],
    ["unpaid as yet", again, unpaid(), [EVIDENCE]],
    ["not found as yet", again, notFound, []],
    ["outside the contract once more", { ...again, attempt: 1 }, outside, []],
  ])("%s", (_, asked, answer, ended) => {
    expect(judged(asked, answer).clears).toEqual(ended);
  });

  it("in quarantine, that alarm stays", () => {
    expect(judged(again, found(), FOREIGN).clears).toEqual([EVIDENCE, "confirmation_dead", ANOMALY]);
  });
});

const RAISED: [string, Asked, Answer, string[], object?][] = [
  ["paid", {}, found(), []],
  ["outside the contract, for the first time", {}, outside, [EVIDENCE]],
  ["outside the contract again", { attempt: 1 }, outside, []],
  ["outside the contract in the end", { attempt: 8 }, outside, ["confirmation_dead"]],
  ["of an unknown status, for the first time", {}, ON_HOLD, [ANOMALY]],
  ["of an unknown status again", { attempt: 1, known: wasOnHold }, ON_HOLD, []],
  ["of an unknown status in the end", { attempt: 8, known: wasOnHold }, ON_HOLD, ["confirmation_dead"]],
  ["of a status without end", {}, unpaid({ status: "Waiting ".repeat(10_000) }), [ANOMALY]],
  ["of no type, for the first time", {}, TYPELESS, [ANOMALY]],
  ["of a type nobody knows", {}, found({ type: "Sandbox" }), [ANOMALY]],
  ["of no type again", { attempt: 1, known: wasTypeless }, TYPELESS, []],
  ["of no type, after it was unpaid", { attempt: 3, known: known() }, TYPELESS, [ANOMALY]],
  ["of no type, asked for anew", { ...again, known: wasTypeless }, TYPELESS, [ANOMALY]],
  ["of no type in the end", { attempt: 8, known: wasTypeless }, TYPELESS, ["confirmation_dead"]],
  [
    "of a type, and its event is out with another",
    { hasEvent: true, known: known({ status: "Paid", type: "Test" }) },
    found(),
    [ANOMALY],
  ],
  [
    "paid, of no type before, and no longer paid",
    { verdict: "pending", known: wasTypeless },
    unpaid(),
    [ANOMALY, "confirmation_dead"],
  ],
  ["paid before, and gone", { verdict: "paid" }, notFound, [ANOMALY]],
  ["of a foreign collection", {}, found(), ["invoice_quarantined"], FOREIGN],
  ["of a collection that cannot be told", { faults: 3 }, found(), [], UNREAD],
  ["of a collection that cannot be told for the fifth time", { faults: 4 }, found(), [ANOMALY], UNREAD],
  ["a fault, the twentieth", { faults: 19 }, fault, ["invoice_unanswered"]],
  ["too large for SNS", {}, found({ billerMetaData: { note: "x".repeat(300_000) } }), ["event_truncated"]],
  ["too intricate to be read", {}, { ...found(), leftOut: true }, ["event_truncated"]],
];

describe("the alarms that an outcome raises (G13)", () => {
  it.each(RAISED)("%s", (_, asked, answer, raised, given = {}) => {
    expect(judged(asked, answer, given).raises.map(({ name }) => name)).toEqual(raised);
  });

  it("say what happened and what to do, as does the confirmation", async () => {
    const lines = RAISED.map(([what, asked, answer, _, given = {}]) => {
      const { lastError, raises } = judged(asked, answer, given);
      return [
        `${what}: ${lastError ?? "-"}`,
        ...raises.map(({ name, detail }) => `  ${name}: ${detail}`),
      ].join("\n");
    });
    await expectGolden("judged", lines.join("\n"));
  });
});
