import { describe, expect, it } from "vitest";
import {
  foldTries,
  meaningOf,
  type Timeline,
  type TimelineConfirmation,
  type TimelineEvent,
  type TimelineInvoice,
} from "../../src/operate/timeline.ts";

const NOW = new Date("2026-11-21T03:00:00Z");
const inMs = (ms: number) => new Date(+NOW + ms);

const unpaid: TimelineInvoice = {
  source: "default",
  status: "Unpaid",
  type: "Live",
  collectionName: "Term 1",
  reference: null,
  totalAmount: "100.00",
  paidAt: null,
  confirmedAt: NOW,
  erasedAt: null,
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
        source: "default",
        state: "due",
        verdict: null,
        priority: "unknown",
        requests: 1,
        attempt: 0,
        faults: 0,
        dueAt: inMs(10_000),
        claimedUntil: null,
        lastError: null,
        sourcePausedBy: null,
        sourceOpensAt: null,
        sourceError: null,
        ...confirmation,
      },
    ],
    events:
      event === null
        ? []
        : [
            {
              source: "default",
              id: "<event>",
              type: "invoice.paid",
              state: "due",
              attempt: 0,
              dueAt: inMs(-1),
              lastError: null,
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

describe("what the state of an invoice means at 3 a.m.", () => {
  it.each<[string, Partial<TimelineConfirmation>, Partial<Timeline>, string]>([
    [
      "not asked yet",
      { dueAt: inMs(-100) },
      {},
      "The provider was not asked yet. It will be asked again any moment now.",
    ],
    [
      "provider fails",
      { faults: 3, lastError: "Get Invoice: no answer within 10000 ms" },
      {},
      "The last 3 tries failed: Get Invoice: no answer within 10000 ms. It will be asked again at 2026-11-21 03:00:10 UTC.",
    ],
    [
      "nobody works",
      { dueAt: inMs(-60_000) },
      {},
      "The provider was not asked yet. It has been due since 2026-11-21 02:59:00 UTC and nobody does it: see whether invoice-relay serve runs, with workers.",
    ],
    [
      "source backs off",
      { sourceOpensAt: inMs(20_000), sourceError: "HTTP 503" },
      {},
      "The provider was not asked yet. The provider is in trouble (HTTP 503), so nothing is asked before 2026-11-21 03:00:20 UTC.",
    ],
    [
      "worker gone",
      { state: "claimed", claimedUntil: inMs(-5_000) },
      {},
      "A worker took it and is gone; the next one takes it up by itself. If that does not happen, see whether serve runs.",
    ],
    [
      "dead",
      { state: "dead", lastError: "The status is Odd" },
      {},
      "Given up, and among the dead letters: The status is Odd. Once the cause is gone: invoice-relay dead retry <invoice>",
    ],
    [
      "never paid",
      { state: "done", verdict: "not_paid" },
      { invoices: [unpaid] },
      "The provider said Unpaid to the end of the ladder. It is not asked again until a new callback or reconcile names it.",
    ],
  ])("%s", (_, confirmation, rest, said) => {
    expect(meaning(confirmation, rest)).toBe(said);
  });

  const done = { state: "done", verdict: "paid" } as const;
  const topic = "arn:aws:sns:eu-west-1:123456789012:events";
  it.each<[string, Partial<TimelineEvent>, Partial<Timeline>, string]>([
    ["waits", {}, {}, "The event waits to be published. It will be sent any moment now."],
    [
      "topic refused",
      {},
      { closedTopics: [{ arn: topic, pausedBy: "refused", opensAt: null, lastError: "NotFound: no topic" }] },
      `The event waits to be published. Topic ${topic} takes nothing now: NotFound: no topic. It is sent by itself once that is over.`,
    ],
    [
      "dead",
      { state: "dead", lastError: "InvalidParameter: too long" },
      {},
      "The event was given up: InvalidParameter: too long. Once the cause is gone: invoice-relay dead retry <event>",
    ],
  ])("event: %s", (_, event, rest, said) => {
    expect(meaning(done, rest, event)).toBe(`The provider confirmed that it is paid.\n${said}`);
  });

  it("names the source of each confirmation when several asked", () => {
    const [first, second] = [{ source: "shop" }, { source: "school" }].map(
      (one) => ({ ...one, state: "done", verdict: "unknown_invoice" }) as TimelineConfirmation,
    );
    const lines = meaning({}, { confirmations: [first, second].filter((one) => one !== undefined) }).split(
      "\n",
    );
    expect(lines).toEqual([
      expect.stringMatching(/^Source shop: The provider does not know this invoice\./),
      expect.stringMatching(/^Source school: The provider does not know this invoice\./),
    ]);
  });
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
