import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { identityOf } from "./check-events.ts";
import { drop, first, goodRun, INVOICE, line, type Run, set, swap, TOPIC } from "./good-run.ts";
import { judge } from "./judge-run.ts";

const what = ({ history, books }: Run) =>
  judge(history, books).map((finding) => `${finding.guarantee} ${finding.what}`);

describe("the checker", () => {
  it("finds nothing in a run in which all went well", () => {
    expect(what(goodRun())).toEqual([]);
  });

  it("finds nothing where a sweep has a paid invoice asked about once more", () => {
    const run = goodRun();
    set(first(run.books.confirmations), { state: "due", due_at: run.books.read_at + 2_000 });
    expect(what(run)).toEqual([]);
  });

  const breaks: [string, string, (run: Run) => void][] = [
    ["G1", "answered 2xx, but not in the log", ({ books }) => void books.callbacks.pop()],
    ["G1", "in the log 2 times", ({ books }) => void books.callbacks.push(first(books.callbacks))],
    ["G1", "its body is not what was sent", ({ books }) => set(first(books.callbacks), { body: "other" })],
    ["G1", "in the log, but never sent", ({ books }) => set(first(books.callbacks), { sent_as: "other" })],
    ["G1", "was never opened", ({ books }) => void books.confirmations.pop()],
    ["G1", "answered 503 without Retry-After", (run) => set(line(run, "answered"), { status: 503 })],
    ["G2", "due, but not asked", ({ books }) => set(first(books.confirmations), { state: "due" })],
    [
      "G2",
      "claimed, but the lease expired",
      ({ books }) => set(first(books.confirmations), { state: "claimed" }),
    ],
    [
      "G2",
      "the provider said paid, but it still waits",
      ({ books }) =>
        set(first(books.confirmations), { state: "due", verdict: "pending", due_at: books.read_at + 60_000 }),
    ],
    ["G2", "done without a verdict", ({ books }) => set(first(books.confirmations), { verdict: null })],
    [
      "G2",
      "the verdict is not_paid",
      ({ books }) => set(first(books.confirmations), { verdict: "not_paid" }),
    ],
    ["G2", "paid without an event", ({ books }) => void books.events.pop()],
    [
      "G3",
      "stored, but never said by the provider",
      ({ books }) => set(first(books.answers).document, { amount: 0.01 }),
    ],
    [
      "G3",
      "an event with content that the provider never said",
      (run) => set(line(run, "said").invoice ?? {}, { amount: 11 }),
    ],
    ["G3", "the provider never said", (run) => set(line(run, "asked"), { source: "beta" })],
    ["G4", "published with the id", (run) => void swap(run, identityOf(INVOICE), randomUUID())],
    ["G4", "published on arn:other", (run) => set(line(run, "accepted"), { topicArn: "arn:other" })],
    ["G4", "2 events", ({ books }) => void books.events.push(first(books.events))],
    [
      "G5",
      "marked as published, but SNS never accepted it",
      (run) => set(line(run, "accepted"), { messageId: "m-2" }),
    ],
    [
      "G5",
      "published with another payload",
      ({ books }) => set(first(books.events), { payload: `${first(books.events).payload} ` }),
    ],
    ["G5", "neither published nor to be sent", ({ books }) => void books.publications.pop()],
    ["G5", "accepted by SNS but not marked", ({ books }) => void books.publications.pop()],
    [
      "G5",
      "sent again, without a fault",
      (run) => void run.history.push({ ...line(run, "accepted"), messageId: "m-2", at: 1_050_000 }),
    ],
    [
      "G5",
      "still to be sent at the end",
      ({ books }) => void books.outbox.push({ source: "alpha", event_id: identityOf(INVOICE), state: "due" }),
    ],
    [
      "G6",
      "a newer answer was not kept as the newest",
      ({ books }) =>
        void books.answers.push({
          ...first(books.answers),
          newest: false,
          document: { dateModified: "2026-01-02T00:00:00Z" },
        }),
    ],
    [
      "G6",
      "an answer that certainly arrived is newer",
      (run) => set(line(run, "said").invoice ?? {}, { dateModified: "2026-01-02T00:00:00Z" }),
    ],
    ["G7", "was not asked", (run) => set(line(run, "asked"), { at: 1_000_500 })],
    [
      "G7",
      "asked about twice at the same time",
      (run) => void run.history.push({ ...line(run, "asked"), ask: "2", at: 1_001_250 }),
    ],
    [
      "G8",
      "asked within the 8 s",
      (run) => {
        set(line(run, "said"), { status: 429, retryAfterS: 8 });
        run.history.push({ ...line(run, "asked"), ask: "2", at: 1_004_000 });
      },
    ],
    ["G10", "never published", (run) => void drop(run, "accepted")],
    [
      "G11",
      "answered 2xx, paid, undisturbed for 35 s, but not published",
      (run) => set(line(run, "accepted"), { at: 1_060_000 }),
    ],
    [
      "G11",
      "told to stop, but still running",
      ({ history }) => {
        const process = { what: "process", name: "relay-2", pid: 2 } as const;
        history.push(
          { ...process, at: 1_010_000, state: "stopping" },
          { ...process, at: 1_025_000, state: "ended" },
        );
      },
    ],
    [
      "G11",
      "ended by itself with 4",
      ({ history }) => {
        const ended = { name: "relay-2", pid: 2, state: "ended", doing: "serve", code: 4 } as const;
        history.push({ what: "process", at: 1_010_000, ...ended });
      },
    ],
    ["G13", "no alarm is open", ({ books }) => set(first(books.sources), { paused_by: "key_refused" })],
    [
      "G13",
      "still open, although it has ended",
      ({ books }) =>
        void books.alarms.push({
          name: "topic_paused",
          source: "",
          subject: TOPIC,
          raised_at: 1_001_000,
          cleared_at: null,
        }),
    ],
    [
      "G13",
      "invalid, then paid, without an alarm",
      ({ books }) => {
        const answer = first(books.answers);
        const document = { ...answer.document, status: "Invalidated" };
        books.answers.push({ ...answer, newest: false, asked_at: answer.asked_at - 1, document });
      },
    ],
    ["G13", "in the log, but not in the table", ({ books }) => void books.alarms.pop()],
    ["G13", "in the table, but not in any log", (run) => void drop(run, "alarm")],
    ["G13", "no message was sent for it$", ({ books }) => set(first(books.alarms), { raised_at: 0 })],
    ["G13", "no message was sent for its end", (run) => void drop(run, "told")],
  ];
  it.each(breaks)('%s: says "%s"', (guarantee, words, change) => {
    const run = goodRun();
    change(run);
    expect(what(run)).toContainEqual(expect.stringMatching(`^${guarantee} .*${words}`));
  });
});
