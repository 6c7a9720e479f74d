import type { DriveName } from "./drive.ts";

export interface Failpoint {
  name: string;
  /** What makes a process pass it. */
  drive: DriveName;
}

/**
 * Every failpoint in the program by what makes a process pass it, with commas between, in the order of the path; a test compares the
 * list with the sources. There is one before and one after each commit, outgoing call and acknowledgement. When a
 * single statement commits, the failpoint is before the statement.
 */
const BY_DRIVE: Record<DriveName, string> = {
  start: "upstreams to be registered, upstreams registered",
  callback:
    "callback read, confirmations dispatched, work dispatched, callback recorded, " +
    "callback answered, invoice to be asked for, invoice answered, collections to be asked for, " +
    "collections answered, outcomes to be stored, outcomes stored, events to be sent, " +
    "events leave, events accepted, acceptances to be kept, acceptances kept",
  "callback under a rate": "confirmations opened",
  "refusing provider": "key to be proved, key proved",
  "failing provider": "state to be changed, state changed",
  "stop with work in hand": "work to be released, work released",
  "refused entry": "events claimed",
  "killed while asking": "confirmations reaped",
  "killed while sending": "events reaped",
  revived: "alarms claimed, alarms sent, alarms marked as sent",
  untold:
    "sweep claimed, page to be asked for, page answered, payments to be opened, payments opened, " +
    "confirmations claimed, sweep went on, sweep to be finished, sweep finished",
  "failing list": "run to be released, run released",
  certificate: "lists to be kept, lists kept, books gathered, certificate to be kept, " + "certificate kept",
  "daily certificate":
    "whole list to be noted, whole list noted, daily certificate to be kept, daily certificate kept",
  "replay asked for": "replay to be started, replay started",
  "replay of events":
    "replay claimed, events to be queued again, events queued again, replayed events claimed, " +
    "replayed events leave, replayed events accepted, replay to be ended, replay ended",
  "replay of callbacks": "callbacks read again",
  "replay of confirmations": "confirmations to be opened again, confirmations opened again",
  "missing partition": "partition to be made, partition made",
  retention:
    "partition to be dropped, partition dropped, " +
    "forgotten confirmations to be deleted, forgotten confirmations deleted",
  "retention of personal data": "personal data to be blanked, personal data blanked",
  migrate: "migrations to be run, migrations run",
};

export const FAILPOINTS: readonly Failpoint[] = Object.entries(BY_DRIVE).flatMap(([drive, names]) =>
  names.split(", ").map((name) => ({ name, drive: drive as DriveName })),
);

/** At which passing to send the signal, where it is not the first: each month passes, and only the last is missing. */
export const PASSINGS: Readonly<Record<string, number>> = { "partition to be made": 4 };

/**
 * Where duplicates are allowed. `accepted`: between SNS accepting and the mark. `leaving`: after the last check of
 * the lease, for a stopped process, because nothing can make SNS refuse a late request.
 */
export const COPIES: Readonly<Record<string, "accepted" | "leaving">> = {
  "events leave": "leaving",
  "events accepted": "accepted",
  "acceptances to be kept": "accepted",
  "replayed events leave": "leaving",
  "replayed events accepted": "accepted",
};
