import { z } from "zod";
import type { Database } from "../database/tables.ts";
import { answeredId, time, whole } from "../kit/answer-fields.ts";
import { RelayError } from "../kit/errors.ts";
import { findNewIds } from "./callback-readings.ts";
import { refuseMeaningless } from "./filter-conditions.ts";
import { type Position, type ReplayKind, type ReplayRequest, replayed } from "./replay.ts";
import { countCallbacks, selectCallbacks } from "./select-callbacks.ts";
import { countConfirmations, selectConfirmations } from "./select-confirmations.ts";
import { countEvents, selectEvents } from "./select-events.ts";

export const replayPlan = z.object({
  ...replayed,
  /**
   * The number of callbacks with invoice ids that have no confirmation (not found before, or lost); null for
   * other kinds.
   */
  withNewIds: whole.nullable(),
  first: z.array(
    z.object({
      invoiceIds: z.array(answeredId),
      eventId: answeredId.nullable(),
      callbackId: answeredId.nullable(),
      source: z.string(),
      /** When it was requested, received or created. */
      at: time,
      /** Its verdict, where new ids were found, or the event's type. */
      about: z.string(),
    }),
  ),
});
export type ReplayPlan = z.output<typeof replayPlan>;

export interface PlanOptions extends ReplayRequest {
  db: Database;
  /** How many of the first ones to show. */
  show?: number;
  /** Stops the reading of callbacks: a log of years takes hours. */
  signal?: AbortSignal | undefined;
}

const SHOWN = 10;
/** Each may hold 256 KiB. */
const CALLBACKS_AT_ONCE = 100;

/**
 * The dry run: how many items a replay would process, and the first of them. Changes nothing.
 * @throws RelayError for filters that do not apply, and when the signal stops it.
 */
export async function planReplay(options: PlanOptions): Promise<ReplayPlan> {
  const { db, kind, filters, target } = options;
  refuseMeaningless(options);
  const found = await FIRST[kind](options, options.show ?? SHOWN);
  return { kind, filters, target, withNewIds: null, ...found, matching: await COUNTS[kind](db, options) };
}

/** How many items match, by kind. */
export const COUNTS = {
  confirmations: countConfirmations,
  callbacks: countCallbacks,
  events: countEvents,
};

type Found = Pick<ReplayPlan, "first"> & Partial<Pick<ReplayPlan, "withNewIds">>;

const NO_IDS = { eventId: null, callbackId: null };

const FIRST: Record<ReplayKind, (options: PlanOptions, show: number) => Promise<Found>> = {
  async confirmations({ db, filters }, most) {
    const first = await selectConfirmations.execute(db, { filters, after: null, most });
    return {
      first: first.map(({ invoiceId, source, verdict, requestedAt: at }) => ({
        ...{ ...NO_IDS, invoiceIds: [invoiceId], source, at },
        about: verdict ?? "no verdict yet",
      })),
    };
  },
  callbacks: readThrough,
  async events({ db, filters, target, routes }, most) {
    const selection = { filters, target, routes, after: null, replayId: null, most };
    const first = await selectEvents.execute(db, selection);
    return {
      first: first.map(({ id: eventId, invoiceId, source, createdAt: at, type, invoiceType }) => ({
        ...{ ...NO_IDS, invoiceIds: [invoiceId], eventId, source, at },
        about: `${type}, ${invoiceType}`,
      })),
    };
  },
};

async function readThrough({ db, filters, signal }: PlanOptions, show: number): Promise<Found> {
  const first: ReplayPlan["first"] = [];
  let withNewIds = 0;
  let after: Position | null = null;
  for (;;) {
    if (signal?.aborted === true) throw stoppedAt(after);
    const callbacks = await selectCallbacks.execute(db, { filters, after, most: CALLBACKS_AT_ONCE });
    const readings = await findNewIds(callbacks);
    withNewIds += readings.length;
    for (const { callback, invoiceIds, foundBy } of readings.slice(0, show - first.length))
      first.push({
        ...{ invoiceIds, eventId: null, callbackId: callback.id },
        ...{ source: callback.source, at: callback.receivedAt },
        about: `new at ${foundBy}`,
      });
    const last = callbacks.at(-1);
    if (last === undefined || callbacks.length < CALLBACKS_AT_ONCE) break;
    after = { at: last.at, id: last.id };
  }
  return { withNewIds, first };
}

const stoppedAt = (after: Position | null): RelayError =>
  new RelayError(
    `The dry run was stopped ${after === null ? "at its beginning" : `at the callbacks of ${after.at}`}. ` +
      "Give it a shorter period with `from` and `to`, or use the command line, which reads to the end.",
  );
