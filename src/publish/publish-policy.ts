import type { Database } from "../database/tables.ts";
import { step } from "../kit/step.ts";
import type { Lease } from "../work/lease.ts";
import type { Line, Policy } from "../work/policy.ts";
import type { ClaimedEvent } from "./claim-events.ts";
import { lineOf } from "./event-log.ts";
import { outboxLeases } from "./outbox.ts";
import { REPLAYS } from "./replay-line.ts";
import type { SnsDestination } from "./sns-destination.ts";

/**
 * How the pump publishes.
 * @param options.connections how many batches are on their way at once.
 */
export function publishPolicy({
  db,
  lines,
  destination,
  connections,
  lease,
}: {
  db: Database;
  lines: readonly Line<ClaimedEvent>[];
  destination: SnsDestination;
  connections: number;
  lease: Lease;
}): Policy<ClaimedEvent> {
  return {
    name: "publish",
    lines,
    lineOf: (event) => (event.replayId === null ? lineOf(event) : REPLAYS),
    exchanges: connections,
    batchSize: destination.batchSize,
    // A request of one event costs as much as one of ten: a partial batch is held while another is in flight.
    nextBatch(waiting, underWay, mayWait) {
      if (mayWait && underWay > 0 && waiting.length < destination.batchSize) return 0;
      step("events to be sent");
      return destination.fitting(togetherFirst(waiting));
    },
    giveBack: (events) => outboxLeases.giveBack(db, events),
    async extend(events) {
      await outboxLeases.extend(db, events, lease);
    },
  };
}

/** The first that may share a batch: one replay and topic, and no event twice, of another source perhaps. */
function togetherFirst(waiting: readonly ClaimedEvent[]): readonly ClaimedEvent[] {
  const [first] = waiting;
  if (first === undefined || first.replayId === null) return waiting;
  const ids = new Set<string>();
  const end = waiting.findIndex(
    ({ id, replayId, topicArn }) =>
      replayId !== first.replayId || topicArn !== first.topicArn || ids.size === ids.add(id).size,
  );
  return end === -1 ? waiting : waiting.slice(0, end);
}
