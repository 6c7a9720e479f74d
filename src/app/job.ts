import type { Alarms } from "../alarms/alarms.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { ServeSettings, Source } from "../kit/settings.ts";
import type { Tracer } from "../kit/trace.ts";
import type { Signer } from "../signing/signed.ts";
import type { Lease } from "../work/lease.ts";
import type { WakeUps } from "../work/wake-up.ts";

/** What jobs, and the admin API of the same process, are made with. */
export interface JobContext {
  db: Database;
  /** The same database, for claims and outcomes: what every payment waits for. */
  hot: Database;
  settings: ServeSettings;
  /** How long this process' leases last. */
  lease: Lease;
  sources: readonly Source[];
  alarms: Alarms;
  log: Logger;
  metrics: Metrics;
  /** null without CERTIFICATE_SIGNING_KEY: what is issued is unsigned then. */
  signer: Signer | null;
  /** Wakes the publishers of all processes. */
  onEvents: () => void;
  /** Wakes the confirmers of all processes. */
  onConfirmations: () => void;
  tracer?: Tracer | null;
  /** By which the workers of this process are woken; none where each job is a function of its own. */
  wakes?: WakeUps["signals"] | null;
}

/** Does all that is due now. @returns how many ms until there may be more; null if it cannot tell. */
export type Run = (stop: AbortSignal) => Promise<number | null>;
