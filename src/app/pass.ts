import type { Alarms } from "../alarms/alarms.ts";
import type { ClaimedConfirmation } from "../confirm/queue/claim.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import type { Tracer } from "../kit/trace.ts";
import type { Signer } from "../signing/signed.ts";
import type { Lease } from "../work/lease.ts";
import type { Handoff } from "../work/policy.ts";
import type { Signal } from "../work/signal.ts";
import type { Found } from "./look.ts";

/** What the passes and the admin API of one process share. */
export interface Shared {
  db: Database;
  settings: ServeSettings;
  /** How long this process' leases last. */
  lease: Lease;
  sources: readonly Source[];
  alarms: Alarms;
  log: Logger;
  metrics: Metrics;
  /** null without LEDGER_SIGNING_KEY: what is issued is unsigned then. */
  signer: Signer | null;
  /** Wakes the publishers of all processes. */
  onEvents: () => void;
  /** Wakes the confirmers of all processes. */
  onConfirmations: () => void;
}

export interface PassContext extends Shared {
  /** The same database, for claims and outcomes: what every payment waits for. */
  hot: Database;
  tracer?: Tracer | null;
  confirmWake?: Signal;
  publishWake?: Signal;
}

/** Does all that is due now. @returns how many ms until there may be more; null if it cannot tell. */
export type Pass = (stop: AbortSignal) => Promise<number | null>;

/** What reads one source's lists. Each source has passes of its own: none waits for another's list (G11). */
export interface ListPasses {
  source: string;
  /** Reads the provider's lists for what callbacks missed. */
  sweep: Pass;
  /** Finds genuine ids in a flood of unknown ones. */
  scout: Pass;
  certify: Pass;
}

export interface Passes {
  /** Looks for what is due, for all of the others; `serve` alone has loops that it can wake. */
  look: () => Promise<Found & { everythingIsDue: boolean }>;
  confirm: Pass;
  publish: Pass;
  /** Frees work whose lease ran out or that a set-back clock keeps; brings the line of senders up to date. */
  rescue: Pass;
  /** The small chores: Test events held or let go, ended pauses, quiet alarms, late erasures, old budgets. */
  chores: Pass;
  /** For each source that has a list. */
  lists: readonly ListPasses[];
  /** Forgets old runs over lists, and squares alarms with what the processes serve. */
  tidy: Pass;
  /** Takes new rows into the ledger, and checks it once a day. */
  ledger: Pass;
  roots: Pass;
  replay: Pass;
  /** Drops what has been kept for long enough. */
  retention: Pass;
  /** Makes the log's partitions that are due. */
  partitions: Pass;
  notify: Pass;
  /** Where new confirmations of this process may go without a claim. */
  handoff: Handoff<ClaimedConfirmation> | null;
  close(): Promise<void>;
}
