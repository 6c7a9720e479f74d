import type { Kysely } from "kysely";
import { noteReplayed } from "../alarms/history.ts";
import { openConfirmations } from "../confirm/queue/open.ts";
import { countUnaskedReplays } from "../confirm/queue/read-confirmations.ts";
import type { Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import { saveProgress } from "./held-replay.ts";
import type { HeldReplay } from "./replay.ts";
import type { ReplaySteps, StepOutcome } from "./replay-steps.ts";
import { selectConfirmations } from "./select-confirmations.ts";

export interface AskingAgainOptions {
  db: Kysely<Tables>;
  /** Wakes the confirming workers, after a commit that opened confirmations. */
  onConfirmations: () => void | Promise<void>;
  /** Those that are asked at all: what waits for others holds up nobody. null where nobody knows. */
  sources: readonly string[] | null;
  /** The most replayed confirmations that may wait to be asked (G8). */
  mostOpen?: number;
}

const MOST_OPEN = 1_000;
const LOOK_AGAIN_MS = 250;

/** How a replay opens confirmations: live ones go first (G9). */
export const OPENING = { openedBy: "replay", priority: "replay" } as const;

/** Opens confirmations again, in one transaction with the progress. */
export class ConfirmationsSteps implements ReplaySteps {
  readonly #options: AskingAgainOptions;

  constructor(options: AskingAgainOptions) {
    this.#options = options;
  }

  async next(replay: HeldReplay, most: number): Promise<StepOutcome> {
    const { db, onConfirmations } = this.#options;
    const full = await waitsForRoom(this.#options, replay);
    if (full !== null) return full;
    const confirmations = await selectConfirmations(db, replay.filters, replay.position, most);
    const last = confirmations.at(-1);
    if (last === undefined) return { kind: "ends" };
    const moved = await db.transaction().execute(async (trx) => {
      // Asking again must not publish what a back-fill only recorded: an existing confirmation keeps its
      // flag.
      const toOpen = confirmations.map((one) => ({ ...one, recordOnly: true }));
      await openConfirmations(trx, toOpen, OPENING);
      await noteReplayed(trx, replay.id, confirmations);
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
  }
}

/**
 * @returns null while there is room for more: for a replay of one source, what waits for others takes none,
 *   nor does for any what waits for a source that the settings no longer name.
 */
export async function waitsForRoom(
  { db, sources, mostOpen = MOST_OPEN }: AskingAgainOptions,
  { filters }: Pick<HeldReplay, "filters">,
): Promise<Extract<StepOutcome, { kind: "waits" }> | null> {
  const open = await countUnaskedReplays(db, filters.source === undefined ? sources : [filters.source]);
  return open < mostOpen
    ? null
    : { kind: "waits", why: `${open} replayed confirmations are still waiting`, ms: LOOK_AGAIN_MS };
}
