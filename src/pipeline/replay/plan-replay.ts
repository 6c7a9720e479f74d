import { z } from "zod";
import type { Database } from "../../platform/database/index.ts";
import { answeredId, time } from "../../platform/validation/index.ts";
import { refuseMeaningless } from "./filter-conditions.ts";
import { type ReplayKind, type ReplayRequest, replayed } from "./replay.ts";
import { countCallbacks, selectCallbacks } from "./select-callbacks.ts";
import { countConfirmations, selectConfirmations } from "./select-confirmations.ts";
import { countEvents, selectEvents } from "./select-events.ts";

export const replayPlan = z.object({
  ...replayed,
  first: z.array(
    z.object({
      invoiceIds: z.array(answeredId),
      eventId: answeredId.nullable(),
      callbackId: answeredId.nullable(),
      source: z.string(),
      /** When it was requested, received or created. */
      at: time,
      /** Its verdict, or the event's type. */
      about: z.string(),
    }),
  ),
});
type ReplayPlan = z.output<typeof replayPlan>;

interface PlanOptions extends ReplayRequest {
  db: Database;
  /** How many of the first ones to show. */
  show?: number;
}

const SHOWN = 10;

/**
 * The dry run: how many items a replay would process, and the first of them. Changes nothing.
 * @throws RelayError for filters that do not apply.
 */
export async function planReplay(options: PlanOptions): Promise<ReplayPlan> {
  const { db, kind, filters, target } = options;
  refuseMeaningless(options);
  const first = await FIRST[kind](options, options.show ?? SHOWN);
  return { kind, filters, target, first, matching: await COUNTS[kind](db, options) };
}

/** How many items match, by kind. */
export const COUNTS = {
  confirmations: countConfirmations,
  callbacks: countCallbacks,
  events: countEvents,
};

const NO_IDS = { eventId: null, callbackId: null };

const FIRST: Record<ReplayKind, (options: PlanOptions, most: number) => Promise<ReplayPlan["first"]>> = {
  async confirmations({ db, filters }, most) {
    const first = await selectConfirmations.execute(db, { filters, after: null, most });
    return first.map(({ invoiceId, source, verdict, requestedAt: at }) => ({
      ...{ ...NO_IDS, invoiceIds: [invoiceId], source, at },
      about: verdict ?? "no verdict yet",
    }));
  },
  async callbacks({ db, filters }, most) {
    const first = await selectCallbacks.execute(db, { filters, after: null, most });
    return first.map(({ id: callbackId, foundIds: invoiceIds, source, receivedAt: at, verdict }) => ({
      ...{ ...NO_IDS, invoiceIds, callbackId, source, at },
      about: verdict ?? "named an invoice",
    }));
  },
  async events({ db, filters, target, routes }, most) {
    const selection = { filters, target, routes, after: null, replayId: null, most };
    const first = await selectEvents.execute(db, selection);
    return first.map(({ id: eventId, invoiceId, source, createdAt: at, type, invoiceType }) => ({
      ...{ ...NO_IDS, invoiceIds: [invoiceId], eventId, source, at },
      about: `${type}, ${invoiceType}`,
    }));
  },
};
