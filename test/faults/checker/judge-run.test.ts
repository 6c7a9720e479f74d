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

  it("excuses a second copy that a fault explains, and nothing else of it", () => {
    const run = goodRun();
    run.history.push({ ...line(run, "accepted"), messageId: "m-2", at: 1_050_000 });
    run.history.push({ what: "fault", at: 1_002_000, id: "1", kind: "cut", state: "begins", detail: "" });
    run.history.push({ what: "fault", at: 1_050_500, id: "1", kind: "cut", state: "ends", detail: "" });
    expect(what(run)).toEqual([]);
  });

  /** relay-1 says that Postgres is away, and is killed; nothing was written. */
  const awayThenKilled = ({ history }: Run, alarm = { name: "database_away", subject: "postgres" }) => {
    const said = { what: "alarm", process: "relay-1", source: "", ...alarm } as const;
    const process = { what: "process", name: "relay-1", pid: 1 } as const;
    history.splice(
      -1,
      0,
      { ...said, at: 1_010_000, raised: true },
      { ...process, at: 1_020_000, state: "killed" },
      { ...process, at: 1_020_100, state: "ended", doing: "serve", code: null },
    );
    return said;
  };

  it("excuses the row of database_away where the process ended before Postgres was back", () => {
    const run = goodRun();
    awayThenKilled(run);
    expect(what(run)).toEqual([]);
  });

  it.each<[string, (run: Run) => void]>([
    [
      "said that it is over",
      (run) => {
        run.history.splice(-3, 0, { ...awayThenKilled(run), at: 1_015_000, raised: false });
      },
    ],
    ["raised another alarm", (run) => void awayThenKilled(run, { name: "topic_failing", subject: TOPIC })],
    [
      "was another one",
      (run) => {
        awayThenKilled(run);
        for (const one of run.history) if (one.what === "alarm") set(one, { process: "relay-2" });
      },
    ],
    [
      "was gone before",
      (run) => {
        awayThenKilled(run);
        for (const one of run.history)
          if (one.what === "alarm" && one.name === "database_away") one.at += 20_000;
      },
    ],
  ])("does not excuse it where the process that ended %s", (_what, change) => {
    const run = goodRun();
    change(run);
    expect(what(run)).toEqual([expect.stringMatching("^G13 in the log, but not in the table")]);
  });

  it("does not count a confirmation that is due again right now as waiting", () => {
    const run = goodRun();
    const { read_at } = run.books;
    set(first(run.books.confirmations), { state: "due", due_at: read_at - 10 });
    expect(what(run)).toEqual([]);
    set(first(run.books.confirmations), { due_at: read_at + 2_000 });
    expect(what(run)).toEqual(["G2 the provider said paid, but it still waits"]);
  });

  it("accepts any exit code of a process that was told to stop", () => {
    const run = goodRun();
    const line = { what: "process", name: "relay-2", pid: 2 } as const;
    run.history.push({ ...line, at: 1_010_000, state: "stopping" });
    run.history.push({ ...line, at: 1_020_000, state: "ended", doing: "serve", code: 1 });
    expect(what(run)).toEqual([]);
  });

  it("counts the time of standing still from when all was calm", () => {
    const run = goodRun();
    set(line(run, "accepted"), { at: 1_060_000 });
    run.history.push({ what: "process", at: 1_020_000, name: "relay-1", pid: 1, state: "paused" });
    run.history.push({ what: "process", at: 1_030_000, name: "relay-1", pid: 1, state: "continued" });
    run.history.sort((one, other) => one.at - other.at);
    expect(what(run)).toEqual([]);
  });
});
