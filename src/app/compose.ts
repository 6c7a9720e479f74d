import { type Alarm, Alarms } from "../alarms/alarms.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../kit/log.ts";
import { createMetrics } from "../kit/metrics.ts";
import type { ServeSettings } from "../kit/settings.ts";
import { sourcesOf } from "../kit/sources.ts";
import { Signer } from "../signing/signed.ts";
import { leaseOf } from "../work/lease.ts";
import type { Served } from "../work/relay-process.ts";
import type { Signal } from "../work/signal.ts";
import { AlarmWebhook } from "./alarm-webhook.ts";
import { DatabaseWatch } from "./database-watch.ts";
import type { PassContext } from "./pass.ts";
import type { Tracing } from "./tracing.ts";
import { servedBy } from "./upstreams.ts";

/** What one relay is made of: `serve` runs its loops and servers over it, a Lambda function its passes. */
export interface RelayParts extends PassContext {
  recording: Database;
  /** Whether callbacks can be recorded. */
  database: DatabaseWatch;
  serves: Served;
  /** Notifies people at once; null where nobody is. @returns whether they were. */
  notifyPeople: ((alarm: Alarm & { raisedAt: Date }) => Promise<boolean>) | null;
  tracing: Tracing | null;
  /** A callback named no invoice: the next sweep should come sooner. */
  onNothingNamed: () => void;
}

export interface RelayOptions {
  settings: ServeSettings;
  log: Logger;
  tracing: Tracing | null;
  /** One pool in all three places where a container has no other. */
  pools: Record<"recording" | "hot" | "working", Database>;
  wake: (work: "confirm" | "publish" | "reconcile") => void;
  /** By which the workers of this process are woken; null where each pass is a function of its own. */
  signals: Record<"confirm" | "publish", Signal> | null;
}

export function composeRelay({ settings, log, tracing, pools, wake, signals }: RelayOptions): RelayParts {
  const { recording, hot, working: db } = pools;
  const metrics = createMetrics();
  const sources = sourcesOf(settings);
  const webhook = AlarmWebhook.of(settings, metrics);
  const notifyPeople = webhook && ((alarm: Alarm & { raisedAt: Date }) => webhook.notifyOfNew(alarm));
  // Over the same pool: an alarm's end is written as soon as that one answers, whatever hangs in the others.
  const alarms = new Alarms({ db: recording, log, metrics });
  return {
    settings,
    lease: leaseOf(settings.LEASE_DURATION),
    sources,
    serves: servedBy(sources),
    notifyPeople,
    log,
    metrics,
    signer: Signer.of(settings),
    tracing,
    tracer: tracing?.tracer ?? null,
    db,
    hot,
    recording,
    alarms: new Alarms({ db, log, metrics }),
    database: new DatabaseWatch({ db: recording, alarms, log, notifyPeople }),
    onConfirmations: () => wake("confirm"),
    onEvents: () => wake("publish"),
    onNothingNamed: () => wake("reconcile"),
    ...(signals === null ? {} : { confirmWake: signals.confirm, publishWake: signals.publish }),
  };
}
