import { expect, it } from "vitest";
import {
  explained,
  type Timeline,
  type TimelineConfirmation,
  type TimelineEvent,
  type TimelineInvoice,
} from "../../src/operations/timeline.ts";
import { expectGolden } from "../support/golden.ts";

const NOW = new Date("2026-11-21T03:00:00Z");
const inMs = (ms: number) => new Date(+NOW + ms);

const unpaid: TimelineInvoice = {
  ...{ source: "default", status: "Unpaid", type: "Live", collectionName: "Term 1", reference: null },
  ...{ totalAmount: "100.00", paidAt: null, confirmedAt: NOW, erasedAt: null },
};

const confirmation = (changes: Partial<TimelineConfirmation>): TimelineConfirmation => ({
  ...{ source: "default", state: "due", verdict: null, priority: "unknown", requests: 1, attempt: 0 },
  ...{ faults: 0, dueAt: inMs(10_000), claimedUntil: null, lastError: null, sourcePausedBy: null },
  ...{ sourceOpensAt: null, sourceError: null, ...changes },
});

const event = (changes: Partial<TimelineEvent>): TimelineEvent => ({
  ...{ source: "default", id: "<event>", type: "invoice.paid", state: "due", attempt: 0 },
  ...{ dueAt: inMs(-1), lastError: null, ...changes },
});

const explain = (timeline: Partial<Timeline>) =>
  explained({
    ...{ invoiceId: "<invoice>", at: NOW, invoices: [], confirmations: [], events: [], entries: [] },
    ...{ furtherCallbacks: 0, closedTopics: [], ...timeline },
  });
const meaning = (timeline: Partial<Timeline>): string => explain(timeline).meaning.join("\n");

const done = { state: "done", verdict: "paid" } as const;
const arn = "arn:aws:sns:eu-west-1:123456789012:events";
const refused = { arn, pausedBy: "refused", opensAt: null, lastError: "NotFound: no topic" } as const;

const asked = (changes: Partial<TimelineConfirmation>) => ({ confirmations: [confirmation(changes)] });
const unknownTo = (source: string) => confirmation({ source, state: "done", verdict: "unknown_invoice" });
const made = (changes: Partial<TimelineEvent> = {}) => ({ ...asked(done), events: [event(changes)] });

const STATES: [string, Partial<Timeline>][] = [
  ["not asked yet", asked({ dueAt: inMs(-100) })],
  ["provider fails", asked({ faults: 3, lastError: "Get Invoice: no answer within 10000 ms" })],
  ["nobody works", asked({ dueAt: inMs(-60_000) })],
  ["source backs off", asked({ sourceOpensAt: inMs(20_000), sourceError: "HTTP 503" })],
  ["worker gone", asked({ state: "claimed", claimedUntil: inMs(-5_000) })],
  ["dead", asked({ state: "dead", lastError: "The status is Odd" })],
  ["never paid", { ...asked({ state: "done", verdict: "not_paid" }), invoices: [unpaid] }],
  ["event waits", made()],
  ["event, topic refused", { ...made(), closedTopics: [refused] }],
  ["several sources asked", { confirmations: ["shop", "school"].map(unknownTo) }],
  ["event dead", made({ state: "dead", lastError: "InvalidParameter: too long" })],
];

it("each state of an invoice means something else at 3 a.m.", async () => {
  const said = STATES.map(([state, timeline]) => [state, meaning(timeline)]);
  expect(new Set(said.map(([, words]) => words)).size).toBe(STATES.length);
  await expectGolden("invoice-meaning", said.map((one) => one.join(":\n")).join("\n\n"));
});

it.each<[string, Partial<Timeline>, object[]]>([
  ["is under way", made(), []],
  ["was given up", asked({ state: "dead" }), [{ operation: "retryDead", args: { ids: ["<invoice>"] } }]],
  [
    "of two sources is in quarantine at one",
    { confirmations: [unknownTo("shop"), confirmation({ state: "done", verdict: "quarantined" })] },
    [{ operation: "releaseQuarantine", args: { ids: ["<invoice>"], source: "default" } }],
  ],
  [
    "waits behind a pause",
    asked({ sourcePausedBy: "operator" }),
    [{ operation: "resume", args: { work: "confirm", source: "default" } }],
  ],
  ["waits for a key that is refused", asked({ sourcePausedBy: "refused" }), []],
  [
    "has no verdict",
    asked({ state: "done" }),
    [{ operation: "startReplay", args: { kind: "confirmations", filters: { invoiceIds: ["<invoice>"] } } }],
  ],
  [
    "has an event that SNS refuses",
    made({ state: "dead" }),
    [{ operation: "retryDead", args: { ids: ["<event>"] } }],
  ],
  ["has an event that is lost", made({ state: "lost" }), [{ operation: "reconcile", args: {} }]],
  [
    "has an event behind a pause",
    { ...made(), closedTopics: [{ ...refused, pausedBy: "operator" }] },
    [{ operation: "resume", args: { work: "publish" } }],
  ],
])("what to do about an invoice that %s is data", (_, timeline, expected) => {
  expect(explain(timeline).next.map(({ operation, args }) => ({ operation, args }))).toEqual(expected);
});
