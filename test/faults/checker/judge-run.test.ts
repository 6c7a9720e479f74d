import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Happening } from "../history/history.ts";
import { shownInvoice } from "../world/provider-books.ts";
import { identityOf } from "./identity.ts";
import { judge } from "./judge-run.ts";
import type { Books } from "./read-books.ts";

const INVOICE = "0f3a0000-0000-4000-8000-000000000001";
const TOPIC = "arn:alpha";

interface Run {
  history: Happening[];
  books: Books;
}

/**
 * One invoice that was paid, told of, asked for, published and marked; nothing went wrong. Times are seconds.
 */
function goodRun(): Run {
  const time = "2026-01-01T00:00:00.000Z";
  const times = { createdAt: time, modifiedAt: time, paidAt: time };
  const kept = {
    id: INVOICE,
    collectionId: "c",
    sources: ["alpha"],
    type: "Live",
    status: "Paid",
    amount: 10,
  } as const;
  const invoice = shownInvoice({ ...kept, sources: ["alpha"], ...times }, "Term 1");
  const { id: invoiceId, title, collectionName, type, paymentMethod } = invoice;
  const money = {
    amount: "10.00",
    serviceCharge: "10.00",
    vat: "0.75",
    totalAmount: "20.75",
    settleableAmount: "10.00",
  };
  const data = { invoiceId, title, collectionName, type, paymentMethod, ...money, paidAt: time, payer: null };
  const id = identityOf(INVOICE);
  const message = JSON.stringify({ id, source: "urn:invoice-relay:alpha", type: "invoice.paid", data });
  const [at, source] = [(seconds: number) => 1_000_000 + seconds * 1_000, "alpha"];
  const told = { id: "hook-1", source, method: "POST", query: "", body: "digest" };
  const paid = { invoiceId: INVOICE, status: "Paid", type: "Live", sources: [source] };
  const sources = { alpha: { topicArn: TOPIC, testTopicArn: null } };
  const event = {
    source,
    id,
    type: "invoice.paid",
    invoice_id: INVOICE,
    payload: message,
    created_at: at(2),
  };
  return {
    history: [
      { what: "begun", at: at(0), seed: 1, leaseMs: 2_000, sources },
      { what: "became", at: at(0), ...paid },
      { what: "sent", at: at(1), to: "relay-1", invoiceIds: [INVOICE], ...told },
      { what: "answered", at: at(1.1), id: "hook-1", status: 200, retryAfter: null },
      { what: "asked", at: at(1.2), ask: "1", source, invoiceId: INVOICE },
      { what: "said", at: at(1.3), ask: "1", status: 200, invoice, retryAfterS: null, end: "whole" },
      { what: "accepted", at: at(2.1), topicArn: TOPIC, messageId: "m-1", message, replay: null },
      { what: "process", at: at(100), name: "relay-1", pid: 1, state: "started" },
    ],
    books: {
      callbacks: [{ ...told, id: randomUUID(), sent_as: "hook-1", invoice_ids: [INVOICE] }],
      confirmations: [
        { source, invoice_id: INVOICE, state: "done", verdict: "paid", due_at: at(1), claimed_until: null },
      ],
      answers: [
        {
          source,
          invoice_id: INVOICE,
          newest: true,
          asked_at: at(1.2),
          document: { ...invoice },
        },
      ],
      events: [event],
      outbox: [],
      publications: [
        { source, event_id: id, topic_arn: TOPIC, message_id: "m-1", published_at: at(2.2), replay_id: null },
      ],
      alarms: [],
      sources: [{ name: source, paused_by: null }],
      topics: [{ arn: TOPIC, paused_by: null }],
      read_at: at(100),
    },
  };
}

const what = ({ history, books }: Run) =>
  judge(history, books).map((finding) => `${finding.guarantee} ${finding.what}`);

/** The run's line of that kind. */
function line<What extends Happening["what"]>(
  { history }: Run,
  kind: What,
): Extract<Happening, { what: What }> {
  const found = history.find((one) => one.what === kind);
  if (found === undefined) throw new Error(`There is no ${kind}.`);
  return found as Extract<Happening, { what: What }>;
}

const first = <Item>(items: Item[]): Item => {
  const [item] = items;
  if (item === undefined) throw new Error("There is none.");
  return item;
};

describe("the checker", () => {
  it("finds nothing in a run in which all went well", () => {
    expect(what(goodRun())).toEqual([]);
  });

  const breaks: [string, string, (run: Run) => void][] = [
    ["G1", "answered 2xx, and not in the log", ({ books }) => void books.callbacks.pop()],
    ["G1", "in the log 2 times", ({ books }) => void books.callbacks.push(first(books.callbacks))],
    ["G1", "its body is not what was sent", ({ books }) => set(first(books.callbacks), { body: "other" })],
    [
      "G1",
      "in the log, and nobody sent it",
      ({ books }) => set(first(books.callbacks), { sent_as: "other" }),
    ],
    ["G1", "was never opened", ({ books }) => void books.confirmations.pop()],
    ["G1", "answered 503 without Retry-After", (run) => set(line(run, "answered"), { status: 503 })],
    ["G2", "due, and nobody asks", ({ books }) => set(first(books.confirmations), { state: "due" })],
    [
      "G2",
      "claimed, and the lease ran out",
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
      "stored, and the provider never said it",
      ({ books }) => set(first(books.answers).document, { amount: 0.01 }),
    ],
    [
      "G3",
      "an event whose content the provider never said",
      (run) => set(line(run, "said").invoice ?? {}, { amount: 11 }),
    ],
    ["G3", "the provider never said", (run) => set(line(run, "asked"), { source: "beta" })],
    ["G4", "published with the id", (run) => void swap(run, identityOf(INVOICE), randomUUID())],
    ["G4", "published on arn:other", (run) => set(line(run, "accepted"), { topicArn: "arn:other" })],
    ["G4", "2 events", ({ books }) => void books.events.push(first(books.events))],
    [
      "G5",
      "marked as published, and SNS never accepted it",
      (run) => set(line(run, "accepted"), { messageId: "m-2" }),
    ],
    [
      "G5",
      "published with another payload",
      ({ books }) => set(first(books.events), { payload: `${first(books.events).payload} ` }),
    ],
    ["G5", "neither published nor to be sent", ({ books }) => void books.publications.pop()],
    ["G5", "accepted by SNS and not marked", ({ books }) => void books.publications.pop()],
    [
      "G5",
      "sent again, with nothing wrong",
      (run) => void run.history.push({ ...line(run, "accepted"), messageId: "m-2", at: 1_050_000 }),
    ],
    [
      "G5",
      "still to be sent at the end",
      ({ books }) => void books.outbox.push({ source: "alpha", event_id: identityOf(INVOICE), state: "due" }),
    ],
    [
      "G6",
      "a newer answer was put aside",
      ({ books }) =>
        void books.answers.push({
          ...first(books.answers),
          newest: false,
          document: { dateModified: "2026-01-02T00:00:00Z" },
        }),
    ],
    [
      "G6",
      "an answer that surely arrived is newer",
      (run) => set(line(run, "said").invoice ?? {}, { dateModified: "2026-01-02T00:00:00Z" }),
    ],
    ["G7", "was not asked", (run) => set(line(run, "asked"), { at: 1_000_500 })],
    [
      "G7",
      "asked for twice at the same time",
      (run) => void run.history.push({ ...line(run, "asked"), ask: "2", at: 1_001_250 }),
    ],
    [
      "G10",
      "never published",
      (run) => void run.history.splice(run.history.indexOf(line(run, "accepted")), 1),
    ],
    [
      "G11",
      "taken, paid, calm for 35 s, not published",
      (run) => set(line(run, "accepted"), { at: 1_060_000 }),
    ],
    [
      "G11",
      "told to stop, and not gone",
      ({ history }) => {
        const process = { what: "process", name: "relay-2", pid: 2 } as const;
        history.push(
          { ...process, at: 1_010_000, state: "stopping" },
          { ...process, at: 1_025_000, state: "ended" },
        );
      },
    ],
    ["G13", "nobody was told", ({ books }) => set(first(books.sources), { paused_by: "key_refused" })],
    [
      "G13",
      "still open, though it is over",
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
      "invalid, then paid, and nobody was told",
      ({ books }) => {
        const answer = first(books.answers);
        const document = { ...answer.document, status: "Invalidated" };
        books.answers.push({ ...answer, newest: false, asked_at: answer.asked_at - 1, document });
      },
    ],
    [
      "G13",
      "said in the log, and not in the table",
      ({ history }) =>
        void history.push({
          what: "alarm",
          at: 1_001_000,
          process: "relay-1",
          name: "source_failing",
          source: "alpha",
          subject: "alpha",
          raised: true,
        }),
    ],
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

  it("counts the time of standing still from when all was calm", () => {
    const run = goodRun();
    set(line(run, "accepted"), { at: 1_060_000 });
    run.history.push({ what: "process", at: 1_020_000, name: "relay-1", pid: 1, state: "paused" });
    run.history.push({ what: "process", at: 1_030_000, name: "relay-1", pid: 1, state: "continued" });
    run.history.sort((one, other) => one.at - other.at);
    expect(what(run)).toEqual([]);
  });
});

function set<Target extends object>(target: Target, changes: Partial<Target>): void {
  Object.assign(target, changes);
}

/** Changes a text wherever it was published. */
function swap(run: Run, from: string, to: string): void {
  const accepted = line(run, "accepted");
  accepted.message = accepted.message.replaceAll(from, to);
}
