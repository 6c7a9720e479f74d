import { noteReplayed } from "../../platform/audit/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { step } from "../../platform/process/index.ts";
import { countUnaskedReplays, openConfirmations, type ToOpen } from "../confirm/index.ts";
import type { Selection } from "./filter-conditions.ts";
import type { HeldReplay, Position, ReplaySteps, Waits } from "./replay.ts";
import { saveProgress } from "./replay-rows.ts";
import { selectCallbacks } from "./select-callbacks.ts";
import { selectConfirmations } from "./select-confirmations.ts";
import { findUnopened } from "./unopened-ids.ts";

interface AskingAgainOptions {
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

interface AskingAgain<Item> {
  /** The next of them, in order. */
  select: { execute(db: Database, selection: Selection): Promise<Item[]> };
  /** The confirmations that they open. */
  toOpen(db: Database, items: readonly Item[]): Promise<readonly ToOpen[]>;
  positionOf(last: Item): Position;
}

/** Opens confirmations again, behind live ones (G9). */
const askingAgain =
  <Item>({ select, toOpen, positionOf }: AskingAgain<Item>) =>
  (options: AskingAgainOptions): ReplaySteps => ({
    async next(replay, most) {
      const { db, onConfirmations } = options;
      const { filters, position: after } = replay;
      const full = await checkRoom(options, replay);
      if (full !== null) return full;
      const items = await select.execute(db, { filters, after, most });
      const last = items.at(-1);
      if (last === undefined) return { kind: "ends" };
      const opened = await toOpen(db, items);
      const moved = await db.transaction().execute(async (trx) => {
        await openConfirmations(trx, opened, { openedBy: "replay", priority: "replay" });
        await noteReplayed(trx, replay.id, opened);
        step("confirmations to be opened again");
        const [handled, position] = [items.length, positionOf(last)];
        return await saveProgress(trx, replay, { handled, opened: opened.length, position });
      });
      step("confirmations opened again");
      if (opened.length > 0) await onConfirmations();
      return { kind: "went", replay: moved, taken: items.length };
    },
  });

export const confirmationsSteps = askingAgain({
  select: selectConfirmations,
  // Asking again must not publish what a back-fill only recorded: an existing confirmation keeps its flag.
  toOpen: async (_, confirmations) => confirmations.map((one) => ({ ...one, recordOnly: true })),
  positionOf: ({ invoiceId: id, source }) => ({ id, source }),
});

/** Of recorded callbacks, for invoice ids that were not found before, or whose confirmation was lost. */
export const callbacksSteps = askingAgain({
  select: selectCallbacks,
  async toOpen(db, callbacks) {
    const unopened = await findUnopened(db, callbacks);
    step("callbacks read again");
    return unopened;
  },
  positionOf: ({ at, id }) => ({ at, id }),
});

/**
 * For a replay of one source, what waits for others takes no room, nor does for any what waits for a source
 * that the settings no longer name.
 * @returns why there is no room for more; null while there is.
 */
async function checkRoom(
  { db, sources, openLimit = OPEN_LIMIT }: AskingAgainOptions,
  { filters }: Pick<HeldReplay, "filters">,
): Promise<Waits | null> {
  const open = await countUnaskedReplays(db, filters.source === undefined ? sources : [filters.source]);
  return open < openLimit
    ? null
    : { kind: "waits", why: `${open} replayed confirmations are still waiting`, ms: LOOK_AGAIN_MS };
}
