import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import type { Lease } from "../work/lease.ts";
import type { Policy } from "../work/policy.ts";
import type { ClaimedEvent } from "./outbox/claim-events.ts";
import { lineOf } from "./outbox/event.ts";
import { outboxLeases } from "./outbox/leases.ts";
import type { PublishLine } from "./publish-line.ts";
import type { Destination } from "./sns/destination.ts";

export interface PublishPolicyOptions {
  db: Kysely<Tables>;
  lines: readonly PublishLine[];
  destination: Destination;
  /** How many batches are on their way at once. */
  connections: number;
  lease: Lease;
}

/** How the pump publishes. */
export function publishPolicy(options: PublishPolicyOptions): Policy<ClaimedEvent> {
  const { db, destination, lease } = options;
  return {
    name: "publish",
    lines: options.lines,
    lineOf,
    exchanges: options.connections,
    batchSize: destination.batchSize,
    // A request of one event costs as much as one of ten: a partial batch is held while another is in flight.
    nextBatch(waiting, underWay, mayWait) {
      if (mayWait && underWay > 0 && waiting.length < destination.batchSize) return 0;
      step("events to be sent");
      return destination.fitting(waiting);
    },
    giveBack: (events) => outboxLeases.giveBack(db, events),
    async extend(events) {
      await outboxLeases.extend(db, events, lease);
    },
  };
}
