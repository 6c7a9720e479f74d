import type { DriveName } from "./drive.ts";

export interface Step {
  name: string;
  /** What has to happen for it to be passed. */
  drive: DriveName;
  /**
   * A copy is all right there, and only there. `accepted`: between SNS' acceptance and its mark. `leaving`:
   * after the last look at the lease, for a process that sleeps; no clock on this side can tell SNS not to
   * take a late request.
   */
  copies?: "accepted" | "leaving";
}

/**
 * Every step that the program names, in the order of the path; a test holds the list against the sources.
 * Before and after each commit, each call out and each acknowledgement.
 */
export const STEPS: readonly Step[] = [
  { name: "callback read", drive: "callback" },
  { name: "confirmations handed over", drive: "callback" },
  { name: "work handed over", drive: "callback" },
  { name: "callback recorded", drive: "callback" },
  { name: "callback answered", drive: "callback" },
  { name: "invoice to be asked for", drive: "callback" },
  { name: "invoice answered", drive: "callback" },
  { name: "standing to be changed", drive: "failing provider" },
  { name: "standing changed", drive: "failing provider" },
  { name: "outcomes to be stored", drive: "callback" },
  { name: "outcomes stored", drive: "callback" },
  { name: "events to be sent", drive: "callback" },
  { name: "events leave", drive: "callback", copies: "leaving" },
  { name: "events accepted", drive: "callback", copies: "accepted" },
  { name: "acceptances to be kept", drive: "callback", copies: "accepted" },
  { name: "acceptances kept", drive: "callback" },
  { name: "events claimed", drive: "refused entry" },
  { name: "sweep claimed", drive: "untold" },
  { name: "page to be asked for", drive: "untold" },
  { name: "page answered", drive: "untold" },
  { name: "payments to be opened", drive: "untold" },
  { name: "payments opened", drive: "untold" },
  { name: "confirmations claimed", drive: "untold" },
  { name: "sweep went on", drive: "untold" },
  { name: "sweep to be given back", drive: "failing list" },
  { name: "sweep given back", drive: "failing list" },
  { name: "sweep to be finished", drive: "untold" },
  { name: "sweep finished", drive: "untold" },
  { name: "certificate claimed", drive: "certificate" },
  { name: "lists to be kept", drive: "certificate" },
  { name: "lists kept", drive: "certificate" },
  { name: "books gathered", drive: "certificate" },
  { name: "certificate to be kept", drive: "certificate" },
  { name: "certificate kept", drive: "certificate" },
  { name: "daily certificate to be given back", drive: "failing daily certificate" },
  { name: "daily certificate given back", drive: "failing daily certificate" },
  { name: "daily certificate to be kept", drive: "daily certificate" },
  { name: "daily certificate kept", drive: "daily certificate" },
  { name: "replay claimed", drive: "replay of events" },
  { name: "replayed events leave", drive: "replay of events", copies: "leaving" },
  { name: "replayed events accepted", drive: "replay of events", copies: "accepted" },
  { name: "replayed events kept", drive: "replay of events" },
  { name: "replay to be ended", drive: "replay of events" },
  { name: "replay ended", drive: "replay of events" },
  { name: "callbacks read again", drive: "replay of callbacks" },
  { name: "confirmations to be opened again", drive: "replay of confirmations" },
  { name: "confirmations opened again", drive: "replay of confirmations" },
  { name: "partition to be made", drive: "missing partition" },
  { name: "partition made", drive: "missing partition" },
  { name: "partition to be dropped", drive: "retention" },
  { name: "partition dropped", drive: "retention" },
  { name: "migrations to be run", drive: "migrate" },
  { name: "migrations run", drive: "migrate" },
];
