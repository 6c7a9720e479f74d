import { describe, expect, it } from "vitest";
import type { Answer } from "../../../src/provider/provider.ts";
import { expectGolden } from "../../support/golden.ts";
import {
  type Asked,
  decided,
  FOREIGN,
  fault,
  found,
  known,
  notFound,
  outside,
  unpaid,
} from "./deciding-fixture.ts";

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
const wasTest = known({ status: "Paid", type: "Test" });

describe("the alarms that an outcome ends (G13)", () => {
  it.each<[string, Asked, Answer, string[], object?]>([
    ["asked for the first time: none can be open", {}, found(), []],
    ["paid", again, found(), [EVIDENCE, ...DECIDED, ANOMALY]],
    ["no longer paid: that is odd", wasPaid, unpaid(), [EVIDENCE, ...DECIDED]],
    ["no longer paid, as before", { ...wasPaid, known: known() }, unpaid(), [EVIDENCE, ...DECIDED]],
    ["paid as before", wasPaid, found(), [EVIDENCE, ...DECIDED, ANOMALY]],
    ["no longer there: that is odd", wasPaid, notFound, [EVIDENCE, ...DECIDED]],
    ["not paid in the end", { ...again, attempt: 8 }, unpaid(), [EVIDENCE, ...DECIDED, ANOMALY]],
    ["unknown in the end", { ...again, attempt: 5 }, notFound, [EVIDENCE, ...DECIDED]],
    ["unknown in the end, asked by one callback", { attempt: 5 }, notFound, [EVIDENCE]],
    ["paid, and odd", again, found({ totalAmount: 1 }), [EVIDENCE, ...DECIDED]],
    ["paid, of no type", again, TYPELESS, [EVIDENCE]],
    ["odd on an earlier step", { attempt: 1 }, found(), [EVIDENCE, ANOMALY]],
    ["unanswered for long", { faults: 20 }, unpaid(), ["invoice_unanswered", EVIDENCE]],
    ["unanswered for long, then not found", { faults: 20 }, notFound, ["invoice_unanswered"]],
    ["unanswered for long, then odd", { faults: 20 }, outside, ["invoice_unanswered"]],
    ["unpaid as yet", again, unpaid(), [EVIDENCE]],
    ["not found as yet", again, notFound, []],
    ["outside the contract once more", { ...again, attempt: 1 }, outside, []],
    ["in quarantine, that alarm stays", again, found(), [EVIDENCE, "confirmation_dead", ANOMALY], FOREIGN],
  ])("%s", (_, asked, answer, ended, given = {}) => {
    expect(decided(asked, answer, given).clears).toEqual(ended);
  });
});

it("an unknown status is told again only where it is another, or asked for anew", () => {
  const asked = [{ known: wasOnHold }, { attempt: 1, known: known() }, { attempt: 1, known: wasOnHold }];
  expect(asked.map((one) => decided(one, ON_HOLD).raises.length)).toEqual([1, 1, 0]);
});

const RAISING: [string, Asked, Answer, object?][] = [
  ["paid", {}, found()],
  ["outside the contract, for the first time", {}, outside],
  ["outside the contract again", { attempt: 1 }, outside],
  ["outside the contract in the end", { attempt: 8 }, outside],
  ["of an unknown status, for the first time", {}, ON_HOLD],
  ["of an unknown status again", { attempt: 1, known: wasOnHold }, ON_HOLD],
  ["of an unknown status in the end", { attempt: 8, known: wasOnHold }, ON_HOLD],
  ["of a status without end", {}, unpaid({ status: "Waiting ".repeat(10_000) })],
  ["of no type, for the first time", {}, TYPELESS],
  ["of an unknown type", {}, found({ type: "Sandbox" })],
  ["of no type again", { attempt: 1, known: wasTypeless }, TYPELESS],
  ["of no type, after it was unpaid", { attempt: 3, known: known() }, TYPELESS],
  ["of no type, asked for anew", { ...again, known: wasTypeless }, TYPELESS],
  ["of no type in the end", { attempt: 8, known: wasTypeless }, TYPELESS],
  ["of a type, and its event is out with another", { hasEvent: true, known: wasTest }, found()],
  ["paid, of no type before, and no longer paid", { verdict: "pending", known: wasTypeless }, unpaid()],
  ["paid before, and gone", { verdict: "paid" }, notFound],
  ["of a foreign collection", {}, found(), FOREIGN],
  ["of an unknown collection", { faults: 3 }, found(), UNREAD],
  ["of an unknown collection for the fifth time", { faults: 4 }, found(), UNREAD],
  ["a fault, the twentieth", { faults: 19 }, fault],
  ["too large for SNS", {}, found({ billerMetaData: { note: "x".repeat(300_000) } })],
  ["too intricate to be read", {}, { ...found(), leftOut: true }],
];

it("the alarms that an outcome raises say what happened and what to do, as does the confirmation (G13)", () => {
  const lines = RAISING.flatMap(([what, asked, answer, given = {}]) => {
    const { lastError, raises } = decided(asked, answer, given);
    return [`${what}: ${lastError ?? "-"}`, ...raises.map(({ name, detail }) => `  ${name}: ${detail}`)];
  });
  return expectGolden("decided", lines.join("\n"));
});
