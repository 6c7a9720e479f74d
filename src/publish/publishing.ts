import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Destination } from "../destination/destination.ts";
import { type ClaimedEvent, lineOf } from "../outbox/event.ts";
import { outboxLeases } from "../outbox/leases.ts";
import type { Policy } from "../workers/policy.ts";
import type { PublishLine } from "./publish-line.ts";

export interface PublishPolicyOptions {
  db: Kysely<Tables>;
  lines: readonly PublishLine[];
  destination: Destination;
  /** How many batches are on their way at once. */
  connections: number;
  leaseMs: number;
}

/** How the pump publishes. */
export function publishPolicy(options: PublishPolicyOptions): Policy<ClaimedEvent> {
  const { db, destination, leaseMs } = options;
  return {
    name: "publish",
    lines: options.lines,
    lineOf,
    exchanges: options.connections,
    batchSize: destination.batchSize,
    // One request costs as much as ten: a batch that is not full waits for company while another is on its way.
    nextBatch: (waiting, underWay, mayWait) =>
      mayWait && underWay > 0 && waiting.length < destination.batchSize ? 0 : destination.fitting(waiting),
    giveBack: (events) => outboxLeases.giveBack(db, events),
    async extend(events) {
      await outboxLeases.extend(db, events, leaseMs);
    },
  };
}
