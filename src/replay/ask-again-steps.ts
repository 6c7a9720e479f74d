import type { Transaction } from "kysely";
import { noteReplayed } from "../alarms/history.ts";
import { openConfirmations, type ToOpen } from "../confirm/queue/open.ts";
import { countUnaskedReplays } from "../confirm/queue/read-confirmations.ts";
import type { Database, Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import type { HeldReplay, ReplaySteps, Waits } from "./replay.ts";
import { saveProgress } from "./replay-rows.ts";
import { selectCallbacks } from "./select-callbacks.ts";
import { selectConfirmations } from "./select-confirmations.ts";
import { findUnopened } from "./unopened-ids.ts";

export interface AskingAgainOptions {
  db: Database;
  /** Wakes the confirming workers, after a commit that opened confirmations. */
  onConfirmations: () => void | Promise<void>;
  /** Those that are asked at all: what waits for others holds up nobody. null where nobody knows. */
  sources: readonly string[] | null;
  /** The most replayed confirmations that may wait to be asked (G8). */
  openLimit?: number;
}

const OPEN_LIMIT = 1_000;
const LOOK_AGAIN_MS = 250;

/** Opens confirmations again, behind live ones (G9); to be called in the transaction of the progress. */
async function openAgain(
  trx: Transaction<Tables>,
  replay: HeldReplay,
  confirmations: readonly ToOpen[],
): Promise<void> {
  await openConfirmations(trx, confirmations, { openedBy: "replay", priority: "replay" });
  await noteReplayed(trx, replay.id, confirmations);
}

export const confirmationsSteps = (options: AskingAgainOptions): ReplaySteps => ({
  async next(replay, most) {
    const { db, onConfirmations } = options;
    const { filters, position: after } = replay;
    const full = await checkRoom(options, replay);
    if (full !== null) return full;
    const confirmations = await selectConfirmations.execute(db, { filters, after, most });
    const last = confirmations.at(-1);
    if (last === undefined) return { kind: "ends" };
    const moved = await db.transaction().execute(async (trx) => {
      // Asking again must not publish what a back-fill only recorded: an existing confirmation keeps its
      // flag.
      const toOpen = confirmations.map((one) => ({ ...one, recordOnly: true }));
      await openAgain(trx, replay, toOpen);
      step("confirmations to be opened again");
      return await saveProgress(trx, replay, {
        handled: confirmations.length,
        opened: confirmations.length,
        position: { id: last.invoiceId, source: last.source },
      });
    });
    step("confirmations opened again");
    await onConfirmations();
    return { kind: "went", replay: moved, taken: confirmations.length };
  },
});

/**
 * Reads recorded callbacks again and opens confirmations for invoice ids that were not found before, or whose
 * confirmation was lost.
 */
export const callbacksSteps = (options: AskingAgainOptions): ReplaySteps => ({
  async next(replay, most) {
    const { db, onConfirmations } = options;
    const { filters, position: after } = replay;
    const full = await checkRoom(options, replay);
    if (full !== null) return full;
    const callbacks = await selectCallbacks.execute(db, { filters, after, most });
    const last = callbacks.at(-1);
    if (last === undefined) return { kind: "ends" };
    const toOpen = await findUnopened(db, callbacks);
    const moved = await db.transaction().execute(async (trx) => {
      await openAgain(trx, replay, toOpen);
      step("callbacks read again");
      return await saveProgress(trx, replay, {
        handled: callbacks.length,
        opened: toOpen.length,
        position: { at: last.at, id: last.id },
      });
    });
    if (toOpen.length > 0) await onConfirmations();
    return { kind: "went", replay: moved, taken: callbacks.length };
  },
});

/**
 * For a replay of one source, what waits for others takes no room, nor does for any what waits for a source
 * that the settings no longer name.
 * @returns why there is no room for more; null while there is.
 */
export async function checkRoom(
  { db, sources, openLimit = OPEN_LIMIT }: AskingAgainOptions,
  { filters }: Pick<HeldReplay, "filters">,
): Promise<Waits | null> {
  const open = await countUnaskedReplays(db, filters.source === undefined ? sources : [filters.source]);
  return open < openLimit
    ? null
    : { kind: "waits", why: `${open} replayed confirmations are still waiting`, ms: LOOK_AGAIN_MS };
}
