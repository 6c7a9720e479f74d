import { answersOf, readUnusableAnswer } from "../pipeline/confirm/index.ts";
import { eventsOf } from "../pipeline/publish/index.ts";
import type { Database } from "../platform/database/index.ts";
import type { Mask } from "../platform/values/index.ts";
import { type Reading, showCallback } from "./find-callbacks.ts";
import { explained } from "./timeline.ts";
import { readTimeline } from "./timeline-reading.ts";

/** More callbacks and answers than a person reads; the timeline counts the others. */
const CALLBACK_LIMIT = 100;
const ANSWER_LIMIT = 200;

/**
 * All that is stored about one payment: its timeline with alarms and the audit, callbacks, answers, events as sent
 * and their acceptances.
 * @param invoiceId in lower case
 * @returns null when nothing is known about it.
 */
export async function gatherEvidence(db: Database, invoiceId: string, reading: Reading) {
  const timeline = await readTimeline(db, invoiceId);
  const evidence = await readEvidence(db, invoiceId, reading.personal, ANSWER_LIMIT);
  if (timeline === null) return null;
  const callbacks = timeline.entries.filter(({ kind }) => kind === "callback").slice(0, CALLBACK_LIMIT);
  const unusable = timeline.confirmations.map(({ source }) => readUnusableAnswer(db, { invoiceId, source }));
  return {
    madeAt: new Date(),
    ...explained(timeline),
    callbacks: await Promise.all(
      callbacks.map((entry) => ("id" in entry ? showCallback(db, entry.id, reading) : null)),
    ),
    unusableAnswers: (await Promise.all(unusable))
      .flatMap((answer) => answer ?? [])
      .map((answer) => reading.personal?.(answer) ?? answer),
    ...(evidence ?? { answers: [], events: [] }),
  };
}

const SHOWN_ANSWERS = 5;

/** The provider's newest answers about an invoice, and what was published of it; null when there is nothing. */
export async function readEvidence(
  db: Database,
  invoiceId: string,
  personal: Mask = (text) => text,
  limit = SHOWN_ANSWERS,
) {
  const [answers, events] = await Promise.all([answersOf(db, invoiceId, limit), eventsOf(db, invoiceId)]);
  if (answers.length + events.length === 0) return null;
  return {
    invoiceId,
    answers: answers.map((answer) => ({ ...answer, document: personal(answer.document) })),
    events: events.map((event) => ({ ...event, payload: personal(event.payload) })),
  };
}
