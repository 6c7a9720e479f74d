import { liveStatus } from "../api/live.ts";
import { Empty } from "../parts/states.tsx";
import { QUARANTINE_ACTS } from "./undelivered-acts.ts";
import { UndeliveredList } from "./undelivered-list.tsx";

/** Paid invoices of collections that are not among COLLECTION_IDS: held back until somebody decides. */
export function QuarantineList() {
  return (
    <UndeliveredList
      path="quarantine"
      at="quarantine"
      what="invoices in quarantine"
      acts={QUARANTINE_ACTS}
      count={liveStatus.value?.quarantined}
      empty={
        <Empty title="Nothing is in quarantine.">
          <p>A paid invoice of a collection that is not in COLLECTION_IDS waits here, unpublished.</p>
        </Empty>
      }
    />
  );
}
