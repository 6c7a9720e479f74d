import { callbackStatuses } from "../pipeline/receive/index.ts";
import { ALARM_NAMES, type Alarm, Alarms } from "../platform/alarms/index.ts";
import { type ServeSettings, sourcesOf } from "../platform/config/index.ts";
import type { Database } from "../platform/database/index.ts";
import type { Logger } from "../platform/log/index.ts";
import { createMetrics } from "../platform/metrics/index.ts";
import { Signer } from "../platform/signing/index.ts";
import { leaseOf, type Wakes, type Work } from "../platform/worker/index.ts";
import { alarmWebhook } from "./alarm-webhook.ts";
import { DatabaseWatch } from "./database-watch.ts";
import type { JobContext } from "./job.ts";
import { servedBy } from "./sources.ts";
import type { Tracing } from "./tracing.ts";

interface RelayOptions {
  settings: ServeSettings;
  log: Logger;
  tracing: Tracing | null;
  /** The same pool in all three places where a container has no other. */
  pools: Record<"record" | "hot" | "work", Database>;
  wake: (work: Work) => void;
  wakes: Wakes | null;
}

/** The parts of one relay: `serve` runs its loops and servers over it, a Lambda function its jobs. */
export function composeRelay({ settings, log, tracing, pools, wake, wakes }: RelayOptions) {
  const sources = sourcesOf(settings);
  const metrics = createMetrics({
    sources: sources.map(({ name }) => name),
    alarms: ALARM_NAMES,
    callbackStatuses: callbackStatuses(settings.CALLBACK_ACK_STATUS),
    workers: [],
  });
  const webhook = alarmWebhook(settings, metrics);
  /** Notifies people at once; null without a webhook. @returns whether they were notified. */
  const notifyPeople = webhook && ((alarm: Alarm & { raisedAt: Date }) => webhook.notifyOfNew(alarm));
  // Over the same pool: an alarm's end is written as soon as that one answers, even if all others hang.
  const alarms = new Alarms({ db: pools.record, log, metrics });
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
    db: pools.work,
    hot: pools.hot,
    recording: pools.record,
    alarms: new Alarms({ db: pools.work, log, metrics }),
    /** Whether callbacks can be recorded. */
    database: new DatabaseWatch({ db: pools.record, alarms, log, notifyPeople }),
    onConfirmations: () => wake("confirm"),
    onEvents: () => wake("publish"),
    wakes,
  } satisfies JobContext & Record<string, unknown>;
}

export type RelayParts = ReturnType<typeof composeRelay>;
