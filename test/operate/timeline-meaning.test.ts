import { expect, it } from "vitest";
import {
  foldTries,
  meaningOf,
  type Timeline,
  type TimelineConfirmation,
  type TimelineEvent,
  type TimelineInvoice,
} from "../../src/operate/timeline.ts";
import { expectGolden } from "../support/golden.ts";

const NOW = new Date("2026-11-21T03:00:00Z");
const inMs = (ms: number) => new Date(+NOW + ms);

const unpaid: TimelineInvoice = {
  ...{ source: "default", status: "Unpaid", type: "Live", collectionName: "Term 1", reference: null },
  ...{ totalAmount: "100.00", paidAt: null, confirmedAt: NOW, erasedAt: null },
};

function meaning(
  confirmation: Partial<TimelineConfirmation>,
  rest: Partial<Timeline> = {},
  event: Partial<TimelineEvent> | null = null,
): string {
  const timeline: Timeline = {
    invoiceId: "<invoice>",
    at: NOW,
    invoices: [],
    confirmations: [
      {
        ...{ source: "default", state: "due", verdict: null, priority: "unknown", requests: 1, attempt: 0 },
        ...{ faults: 0, dueAt: inMs(10_000), claimedUntil: null, lastError: null },
        ...{ sourcePausedBy: null, sourceOpensAt: null, sourceError: null },
        ...confirmation,
      },
    ],
    events:
      event === null
        ? []
        : [
            {
              ...{ source: "default", id: "<event>", type: "invoice.paid", state: "due", attempt: 0 },
              ...{ dueAt: inMs(-1), lastError: null },
              ...event,
            },
          ],
    entries: [],
    furtherCallbacks: 0,
    closedTopics: [],
    ...rest,
  };
  return meaningOf(timeline).join("\n");
}

const done = { state: "done", verdict: "paid" } as const;
const arn = "arn:aws:sns:eu-west-1:123456789012:events";
const refused = { arn, pausedBy: "refused", opensAt: null, lastError: "NotFound: no topic" } as const;

const STATES: [string, Partial<TimelineConfirmation>, Partial<Timeline>?, Partial<TimelineEvent>?][] = [
  ["not asked yet", { dueAt: inMs(-100) }],
  ["provider fails", { faults: 3, lastError: "Get Invoice: no answer within 10000 ms" }],
  ["nobody works", { dueAt: inMs(-60_000) }],
  ["source backs off", { sourceOpensAt: inMs(20_000), sourceError: "HTTP 503" }],
  ["worker gone", { state: "claimed", claimedUntil: inMs(-5_000) }],
  ["dead", { state: "dead", lastError: "The status is Odd" }],
  ["never paid", { state: "done", verdict: "not_paid" }, { invoices: [unpaid] }],
  ["event waits", done, {}, {}],
  ["event, topic refused", done, { closedTopics: [refused] }, {}],
  ["event dead", done, {}, { state: "dead", lastError: "InvalidParameter: too long" }],
];

it("each state of an invoice means something else at 3 a.m.", async () => {
  const said = STATES.map(([state, confirmation, rest, event]) => [
    state,
    meaning(confirmation, rest, event),
  ]);
  expect(new Set(said.map(([, words]) => words)).size).toBe(STATES.length);
  await expectGolden("invoice-meaning", said.map((one) => one.join(":\n")).join("\n\n"));
});

it("the source of each confirmation is named when several asked", () => {
  const confirmations = ["shop", "school"].map(
    (source) => ({ source, state: "done", verdict: "unknown_invoice" }) as TimelineConfirmation,
  );
  const lines = meaning({}, { confirmations }).split("\n");
  expect(lines).toEqual([expect.stringContaining("shop"), expect.stringContaining("school")]);
});

it("failed tries in a row are one line of a story: how often, the first, the last", () => {
  const tried = (ms: number, error = "HTTP 503") =>
    ({ kind: "ask_failed", at: inMs(ms), source: "default", error }) as const;
  const callback = { kind: "confirmation", at: inMs(4), source: "default", openedBy: "callback" } as const;
  const entries = [
    tried(1),
    tried(2),
    tried(3),
    callback,
    tried(5),
    tried(6, "HTTP 500"),
    tried(7, "HTTP 500"),
  ];
  expect(foldTries(entries).map(({ entry, times, lastAt }) => [+entry.at, times, +lastAt])).toEqual(
    [
      [1, 3, 3],
      [4, 1, 4],
      [5, 1, 5],
      [6, 2, 7],
    ].map(([first = 0, times, last = 0]) => [+inMs(first), times, +inMs(last)]),
  );
});
