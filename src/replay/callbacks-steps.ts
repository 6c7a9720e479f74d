import { noteReplayed } from "../alarms/history.ts";
import { openConfirmations } from "../confirm/queue/open.ts";
import { step } from "../kit/step.ts";
import { keepReadings } from "./callback-readings.ts";
import { type AskingAgainOptions, OPENING, waitsForRoom } from "./confirmations-steps.ts";
import { saveProgress } from "./held-replay.ts";
import { newReadingsOf, type ReadAgain } from "./read-again.ts";
import type { HeldReplay } from "./replay.ts";
import type { ReplaySteps, StepOutcome } from "./replay-steps.ts";
import { selectCallbacks } from "./select-callbacks.ts";

/**
 * Reads recorded callbacks again and opens confirmations for invoice ids that were not found before, or whose
 * confirmation was lost.
 */
export class CallbacksSteps implements ReplaySteps {
  readonly #options: AskingAgainOptions & { readAgain: ReadAgain };

  constructor(options: AskingAgainOptions & { readAgain: ReadAgain }) {
    this.#options = options;
  }

  async next(replay: HeldReplay, most: number): Promise<StepOutcome> {
    const { db, onConfirmations, readAgain } = this.#options;
    const full = await waitsForRoom(this.#options, replay);
    if (full !== null) return full;
    const callbacks = await selectCallbacks(db, replay.filters, replay.position, most);
    const last = callbacks.at(-1);
    if (last === undefined) return { kind: "ends" };
    const readings = await newReadingsOf(callbacks, readAgain);
    const opened = readings.flatMap(({ callback, invoiceIds }) =>
      invoiceIds.map((invoiceId) => ({ invoiceId, source: callback.source })),
    );
    const moved = await db.transaction().execute(async (trx) => {
      await keepReadings(trx, replay, readings);
      await openConfirmations(trx, opened, OPENING);
      await noteReplayed(trx, replay.id, opened);
      step("callbacks read again");
      return await saveProgress(trx, replay, {
        handled: callbacks.length,
        opened: opened.length,
        position: { at: last.at, id: last.id },
      });
    });
    if (opened.length > 0) await onConfirmations();
    return { kind: "went", replay: moved, taken: callbacks.length };
  }
}
