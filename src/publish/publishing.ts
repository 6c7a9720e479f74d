import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Destination } from "../destination/destination.ts";
import { type ClaimedEvent, lineOf } from "../outbox/event.ts";
import { outboxLeases } from "../outbox/leases.ts";
import type { Policy } from "../workers/pump.ts";
import type { PublishLine } from "./publish-line.ts";

export interface PublishPolicyOptions {
  db: Kysely<Tables>;
  lines: readonly PublishLine[];
  destination: Destination;
  /** How many batches are on their way at once. */
  connections: number;
  leaseMs: number;
}

/** A batch that is not full waits so long at most while another is on its way, in ms: one request costs as much as ten. */
const COMPANY_MS = 50;

/** How the pump publishes. */
export function publishPolicy(options: PublishPolicyOptions): Policy<ClaimedEvent> {
  const { db, destination, leaseMs } = options;
  let sentAt = Number.NEGATIVE_INFINITY;
  return {
    name: "publish",
    lines: options.lines,
    lineOf,
    exchanges: options.connections,
    batchSize: destination.batchSize,
    nextBatch(waiting, underWay) {
      const now = performance.now();
      const isPartial = waiting.length < destination.batchSize;
      if (isPartial && underWay > 0 && now - sentAt < COMPANY_MS) return 0;
      sentAt = now;
      return destination.fitting(waiting);
    },
    giveBack: (events) => outboxLeases.giveBack(db, events),
    async extend(tokens) {
      await outboxLeases.extend(db, tokens, leaseMs);
    },
  };
}
