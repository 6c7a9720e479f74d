import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { openQuestions, type Question } from "../record/open-questions.ts";
import { type NewReading, newReadingOf, type ReadAgain } from "./read-again.ts";
import type { HeldReplay } from "./replay.ts";
import type { Step, StepOutcome } from "./replay-step.ts";
import { saveProgress } from "./replay-store.ts";
import { selectCallbacks } from "./select-callbacks.ts";
import { selectConfirmations } from "./select-confirmations.ts";

export interface QuestionStepOptions {
  db: Kysely<Tables>;
  /** Wakes the workers that confirm, after a commit that opened questions. */
  onQuestions: () => void | Promise<void>;
  /** The most unasked questions in the replay lane (G8). */
  mostOpen?: number;
}

const MOST_OPEN = 1_000;
const LOOK_AGAIN_MS = 250;
const OPENING = { openedBy: "replay", lane: "replay" } as const;

/** Asks the provider again: the next questions are opened in the replay lane, in one transaction with the progress. */
export function confirmationsStep(options: QuestionStepOptions): Step {
  return async (replay, most) => {
    const full = await laneIsFull(options);
    if (full !== null) return full;
    const questions = await selectConfirmations(options.db, replay.filters, replay.position, most);
    const last = questions.at(-1);
    if (last === undefined) return { kind: "ends" };
    const moved = await options.db.transaction().execute(async (trx) => {
      // Where a back-fill only records, asking again must not publish: the known question's word stands.
      await openQuestions(trx, questions, { ...OPENING, recordOnly: true });
      return await saveProgress(trx, replay, {
        handled: questions.length,
        opened: questions.length,
        position: { id: last.invoiceId, source: last.source },
      });
    });
    await options.onQuestions();
    return { kind: "went", replay: moved, taken: questions.length };
  };
}

/** Reads recorded callbacks again; ids that were not found before become questions in the replay lane. */
export function callbacksStep(options: QuestionStepOptions & { readAgain: ReadAgain }): Step {
  return async (replay, most) => {
    const full = await laneIsFull(options);
    if (full !== null) return full;
    const callbacks = await selectCallbacks(options.db, replay.filters, replay.position, most);
    const last = callbacks.at(-1);
    if (last === undefined) return { kind: "ends" };
    const readings = callbacks
      .map((callback) => newReadingOf(callback, options.readAgain))
      .filter((reading) => reading !== null);
    const questions: Question[] = readings.flatMap(({ callback, invoiceIds }) =>
      invoiceIds.map((invoiceId) => ({ invoiceId, source: callback.source })),
    );
    const moved = await options.db.transaction().execute(async (trx) => {
      await keepReadings(trx, replay, readings);
      await openQuestions(trx, questions, OPENING);
      return await saveProgress(trx, replay, {
        handled: callbacks.length,
        opened: questions.length,
        position: { at: last.at, id: last.id },
      });
    });
    if (questions.length > 0) await options.onQuestions();
    return { kind: "went", replay: moved, taken: callbacks.length };
  };
}

async function keepReadings(
  db: Kysely<Tables>,
  replay: HeldReplay,
  readings: readonly NewReading[],
): Promise<void> {
  const column = <T>(value: (reading: NewReading) => T) => readings.map(value);
  await sql`
    insert into callback_reading (callback_id, replay_id, received_at, source, found_by, invoice_ids)
    select callback_id, ${replay.id}, received_at, source, found_by, invoice_ids::uuid[] from unnest(
      ${column((r) => r.callback.id)}::uuid[], ${column((r) => r.callback.at)}::timestamptz[], ${column((r) => r.callback.source)}::text[],
      ${column((r) => r.foundBy)}::text[], ${column((r) => `{${r.invoiceIds.join(",")}}`)}::text[])
      as given (callback_id, received_at, source, found_by, invoice_ids)`.execute(db);
}

/** Questions that wait on the ladder have been asked: they do not count. */
async function laneIsFull({
  db,
  mostOpen = MOST_OPEN,
}: QuestionStepOptions): Promise<Extract<StepOutcome, { kind: "waits" }> | null> {
  const { rows } = await sql<{ open: number }>`
    select count(*) as open from confirmation where lane = 'replay' and state in ('due', 'claimed') and attempt = 0`.execute(
    db,
  );
  const open = rows[0]?.open ?? 0;
  return open < mostOpen
    ? null
    : { kind: "waits", why: `${open} replayed questions are still to be asked`, ms: LOOK_AGAIN_MS };
}
