import { liveStatus } from "../api/live.ts";
import { Empty } from "../parts/states.tsx";
import { DEAD_LETTER_ACTS } from "./undelivered-acts.ts";
import { UndeliveredList } from "./undelivered-list.tsx";

/** What was given up: confirmations that the provider never answered properly, events that SNS refuses. */
export function DeadLetterList() {
  const dead = liveStatus.value?.dead;
  return (
    <UndeliveredList
      path="dead-letters"
      at="dead"
      what="dead letters"
      acts={DEAD_LETTER_ACTS}
      count={dead && dead.confirmations + dead.events}
      empty={
        <Empty title="No dead letters.">
          <p>
            What the relay gives up, after a day of answers it cannot use or a refusal by SNS, waits here.
          </p>
        </Empty>
      }
    />
  );
}
