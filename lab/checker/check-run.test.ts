import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { identityOf } from "./check-events.ts";
import { checkRun } from "./check-run.ts";
import { goodRun, INVOICE, line, type Run, TOPIC } from "./good-run.ts";
import type { Happening } from "./history.ts";
import type { Books } from "./read-books.ts";

const foundIn = ({ history, books }: Run) =>
  checkRun(history, books).map((finding) => `${finding.guarantee} ${finding.what}`);

type Break = (run: Run) => unknown;
type Table = Exclude<keyof Books, "read_at">;
type Row<Name extends Table> = Books[Name][number];

/** Changes the table's row, takes it away, or has another one like it. */
const row =
  <Name extends Table>(table: Name, changes: Partial<Row<Name>>): Break =>
  ({ books }) =>
    Object.assign(books[table][0] ?? {}, changes);
const gone =
  (table: Table): Break =>
  ({ books }) =>
    books[table].pop();
const another =
  <Name extends Table>(table: Name, changes: Partial<Row<Name>> = {}): Break =>
  ({ books }) =>
    (books[table] as object[]).push({ ...books[table][0], ...changes });

type Line<What extends Happening["what"]> = Partial<Extract<Happening, { what: What }>>;

/** Changes the first line of this kind, takes the last away, or has another one like it. */
const told =
  <What extends Happening["what"]>(what: What, changes: Line<What>): Break =>
  (run) =>
    Object.assign(line(run, what), changes);
const untold =
  (what: Happening["what"]): Break =>
  ({ history }) =>
    history.splice(
      history.findLastIndex((one) => one.what === what),
      1,
    );
const again =
  <What extends Happening["what"]>(what: What, changes: Line<What>): Break =>
  (run) =>
    run.history.push({ ...line(run, what), ...changes } as Happening);
const said =
  (changes: object): Break =>
  (run) =>
    Object.assign(line(run, "said").invoice ?? {}, changes);
const all =
  (...breaks: Break[]): Break =>
  (run) =>
    breaks.map((one) => one(run));

const NEWER = { dateModified: "2026-01-02T00:00:00Z" };
const EVENT_ID = identityOf(INVOICE);

describe("the checker", () => {
  it("finds nothing in a run where all went well, and a paid invoice is asked about once more", () => {
    const run = goodRun();
    row("confirmations", { state: "due", due_at: run.books.read_at + 2_000 })(run);
    expect(foundIn(run)).toEqual([]);
  });

  it.each<[string, string, Break]>([
    ["G1", "answered 2xx, but not in the log", gone("callbacks")],
    ["G1", "its body is not what was sent", row("callbacks", { body: "other" })],
    ["G1", "in the log, but never sent", row("callbacks", { sent_as: "other" })],
    ["G1", "was never opened", gone("confirmations")],
    ["G1", "answered 503 without Retry-After", told("answered", { status: 503 })],
    ["G2", "due, but not asked", row("confirmations", { state: "due" })],
    ["G2", "claimed, but the lease expired", row("confirmations", { state: "claimed" })],
    ["G2", "the verdict is not_paid", row("confirmations", { verdict: "not_paid" })],
    ["G2", "paid without an event", gone("events")],
    ["G3", "stored, but never said", row("answers", { document: { ...NEWER, amount: 0.01 } })],
    ["G3", "an event with content that the provider never said", said({ amount: 11 })],
    ["G3", "the provider never said", told("asked", { source: "beta" })],
    [
      "G4",
      "published with the id",
      (run) => {
        const accepted = line(run, "accepted");
        accepted.message = accepted.message.replace(EVENT_ID, randomUUID());
      },
    ],
    ["G4", "published on arn:other", told("accepted", { topicArn: "arn:other" })],
    ["G4", "2 events", another("events")],
    ["G5", "marked as published, but SNS never accepted it", told("accepted", { messageId: "m-2" })],
    ["G5", "published with another payload", row("events", { payload: '{"data":{}}' })],
    ["G5", "neither published nor to be sent", gone("publications")],
    ["G5", "accepted by SNS but not marked", gone("publications")],
    ["G5", "sent again, without a fault", again("accepted", { messageId: "m-2", at: 1_050_000 })],
    ["G5", "still to be sent", another("outbox", { source: "alpha", event_id: EVENT_ID, state: "due" })],
    ["G6", "a newer answer was not kept", another("answers", { newest: false, document: NEWER })],
    ["G6", "an answer that certainly arrived is newer", said(NEWER)],
    ["G7", "was not asked", told("asked", { at: 1_000_500 })],
    ["G7", "asked about twice at the same time", again("asked", { ask: "2", at: 1_001_250 })],
    [
      "G8",
      "asked within the 8 s",
      all(told("said", { status: 429, retryAfterS: 8 }), again("asked", { ask: "2", at: 1_004_000 })),
    ],
    ["G10", "never published", untold("accepted")],
    ["G11", "answered 2xx, paid, undisturbed for 35 s", told("accepted", { at: 1_060_000 })],
    ["G11", "ended by itself with 4", again("process", { state: "ended", doing: "serve", code: 4 })],
    ["G13", "no alarm is open", row("sources", { paused_by: "key_refused" })],
    [
      "G13",
      "still open, although it has ended",
      another("alarms", { name: "topic_paused", source: "", subject: TOPIC, cleared_at: null }),
    ],
    [
      "G13",
      "invalid, then paid, without an alarm",
      another("answers", { newest: false, asked_at: 0, document: { status: "Invalidated" } }),
    ],
    ["G13", "in the log, but not in the table", gone("alarms")],
    ["G13", "no message was sent for it$", row("alarms", { raised_at: 0 })],
    ["G13", "no message was sent for its end", untold("told")],
  ])('%s: says "%s"', (guarantee, words, change) => {
    const run = goodRun();
    change(run);
    expect(foundIn(run)).toContainEqual(expect.stringMatching(`^${guarantee} .*${words}`));
  });
});
