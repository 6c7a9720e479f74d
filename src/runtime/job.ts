import type { Alarms } from "../platform/alarms/index.ts";
import type { ServeSettings, Source } from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import type { Logger, Tracer } from "../platform/log/index.ts";
import type { Metrics } from "../platform/metrics/index.ts";
import type { Signer } from "../platform/signing/index.ts";
import type { Lease, Wakes } from "../platform/worker/index.ts";

/** The dependencies of jobs, and of the admin API of the same process. */
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
  wakes?: Wakes | null;
}

/** Does all that is due now. @returns how many ms until there may be more; null if it cannot tell. */
export type Run = (stop: AbortSignal) => Promise<number | null>;
