import type { DriveName } from "./drive.ts";

export interface Failpoint {
  name: string;
  /** What makes a process pass it. */
  drive: DriveName;
  /** At which passing to send the signal; the first by default. */
  passing?: number;
  /**
   * Duplicates are allowed here, and nowhere else. `accepted`: between SNS accepting and the mark. `leaving`:
   * after the last check of the lease, for a stopped process, because nothing can make SNS refuse a late
   * request.
   */
  copies?: "accepted" | "leaving";
}

/**
 * Every failpoint in the program, in the order of the path; a test compares the list with the sources. There is
 * one before and one after each commit, outgoing call and acknowledgement. When a single statement commits,
 * the failpoint is before the statement.
 */
export const FAILPOINTS: readonly Failpoint[] = [
  { name: "upstreams to be registered", drive: "start" },
  { name: "upstreams registered", drive: "start" },
  { name: "callback read", drive: "callback" },
  { name: "confirmations handed over", drive: "callback" },
  { name: "work handed over", drive: "callback" },
  { name: "confirmations opened", drive: "callback under a rate" },
  { name: "callback recorded", drive: "callback" },
  { name: "callback answered", drive: "callback" },
  { name: "invoice to be asked for", drive: "callback" },
  { name: "invoice answered", drive: "callback" },
  { name: "collections to be asked for", drive: "callback" },
  { name: "collections answered", drive: "callback" },
  { name: "key to be proved", drive: "refusing provider" },
  { name: "key proved", drive: "refusing provider" },
  { name: "standing to be changed", drive: "failing provider" },
  { name: "standing changed", drive: "failing provider" },
  { name: "work to be given back", drive: "stop with work in hand" },
  { name: "work given back", drive: "stop with work in hand" },
  { name: "outcomes to be stored", drive: "callback" },
  { name: "outcomes stored", drive: "callback" },
  { name: "events to be sent", drive: "callback" },
  { name: "events leave", drive: "callback", copies: "leaving" },
  { name: "events accepted", drive: "callback", copies: "accepted" },
  { name: "acceptances to be kept", drive: "callback", copies: "accepted" },
  { name: "acceptances kept", drive: "callback" },
  { name: "events claimed", drive: "refused entry" },
  { name: "confirmations rescued", drive: "killed while asking" },
  { name: "events rescued", drive: "killed while sending" },
  { name: "pause to be ended", drive: "pause that ends" },
  { name: "pause ended", drive: "pause that ends" },
  { name: "alarms claimed", drive: "revived" },
  { name: "alarms told", drive: "revived" },
  { name: "alarms marked as told", drive: "revived" },
  { name: "sweep claimed", drive: "untold" },
  { name: "page to be asked for", drive: "untold" },
  { name: "page answered", drive: "untold" },
  { name: "payments to be opened", drive: "untold" },
  { name: "payments opened", drive: "untold" },
  { name: "confirmations claimed", drive: "untold" },
  { name: "sweep went on", drive: "untold" },
  { name: "run to be given back", drive: "failing list" },
  { name: "run given back", drive: "failing list" },
  { name: "sweep to be finished", drive: "untold" },
  { name: "sweep finished", drive: "untold" },
  { name: "certificate claimed", drive: "certificate" },
  { name: "lists to be kept", drive: "certificate" },
  { name: "lists kept", drive: "certificate" },
  { name: "books gathered", drive: "certificate" },
  { name: "certificate to be kept", drive: "certificate" },
  { name: "certificate kept", drive: "certificate" },
  { name: "whole list to be noted", drive: "daily certificate" },
  { name: "whole list noted", drive: "daily certificate" },
  { name: "daily certificate to be kept", drive: "daily certificate" },
  { name: "daily certificate kept", drive: "daily certificate" },
  { name: "replay to be started", drive: "replay asked for" },
  { name: "replay started", drive: "replay asked for" },
  { name: "replay claimed", drive: "replay of events" },
  { name: "events to be queued again", drive: "replay of events" },
  { name: "events queued again", drive: "replay of events" },
  { name: "replayed events claimed", drive: "replay of events" },
  { name: "replayed events leave", drive: "replay of events", copies: "leaving" },
  { name: "replayed events accepted", drive: "replay of events", copies: "accepted" },
  { name: "replay to be ended", drive: "replay of events" },
  { name: "replay ended", drive: "replay of events" },
  { name: "callbacks read again", drive: "replay of callbacks" },
  { name: "confirmations to be opened again", drive: "replay of confirmations" },
  { name: "confirmations opened again", drive: "replay of confirmations" },
  // Each month passes the failpoint, and only the last one is missing.
  { name: "partition to be made", drive: "missing partition", passing: 4 },
  { name: "partition made", drive: "missing partition" },
  { name: "partition to be dropped", drive: "retention" },
  { name: "partition dropped", drive: "retention" },
  { name: "stragglers to be deleted", drive: "retention" },
  { name: "stragglers deleted", drive: "retention" },
  { name: "forgotten confirmations to be deleted", drive: "retention" },
  { name: "forgotten confirmations deleted", drive: "retention" },
  { name: "personal data to be blanked", drive: "retention of personal data" },
  { name: "personal data blanked", drive: "retention of personal data" },
  { name: "migrations to be run", drive: "migrate" },
  { name: "migrations run", drive: "migrate" },
];
