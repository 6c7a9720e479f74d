import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Buckets for what may take from a moment to two days, in s. */
const LONG = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 172_800];

/**
 * The instruments of one process, each named once; a new registry at each call, so that importing this shares
 * nothing.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) => new Histogram({ name, help, buckets, labelNames, registers });
  return {
    registry,
    callbacks: counter("invoice_relay_callbacks_total", "Callbacks answered, by answer", "status"),
    callbacksRefused: counter(
      "invoice_relay_callbacks_refused_total",
      "Callbacks with a right token that failed a check of their source, by check",
      "source",
      "check",
    ),
    callbacksCut: counter(
      "invoice_relay_callbacks_cut_total",
      "Callbacks over a budget (their bodies cut), or beyond a limit of reading, by which",
      "source",
      "what",
    ),
    callbackSeconds: histogram(
      "invoice_relay_callback_seconds",
      "From the request's headers to its answer",
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    ),
    connectionsRefused: counter(
      "invoice_relay_connections_refused_total",
      "Connections, or requests behind a proxy, refused because their address had its most open, or all had",
    ),
    hangUps: counter(
      "invoice_relay_connections_hung_up_total",
      "Connections ended for what their peers did or left undone, by reason",
      "reason",
    ),
    adminRefused: counter(
      "invoice_relay_admin_refused_total",
      "Requests to the admin API without a right token, by answer",
      "status",
    ),
    eventLoopDelay: gauge(
      "invoice_relay_event_loop_delay_seconds",
      "How late the event loop was since the last look, by quantile; 1 is the longest",
      "quantile",
    ),
    verdicts: counter(
      "invoice_relay_verdicts_total",
      "Answers of the provider, by verdict",
      "source",
      "verdict",
    ),
    providerAnswers: counter(
      "invoice_relay_provider_answers_total",
      "Calls to the provider, by outcome",
      "source",
      "outcome",
    ),
    published: counter("invoice_relay_published_total", "Entries sent to SNS, by outcome", "outcome"),
    alarms: counter("invoice_relay_alarms_total", "Alarms raised, by name", "alarm"),
    passFailures: counter(
      "invoice_relay_pass_failures_total",
      "Passes of a worker that failed as a whole",
      "worker",
    ),
    oldestConfirmationSeconds: gauge(
      "invoice_relay_oldest_open_confirmation_seconds",
      "How long the oldest due confirmation has been overdue",
    ),
    oldestEventSeconds: gauge(
      "invoice_relay_oldest_unpublished_event_seconds",
      "Age of the oldest event that should be published and is not",
    ),
    confirmations: gauge(
      "invoice_relay_confirmations",
      "Confirmations that are not done, by state and verdict",
      "state",
      "verdict",
    ),
    outbox: gauge("invoice_relay_outbox", "Events that are still to be published, by state", "state"),
    build: gauge(
      "invoice_relay_build_info",
      "Always 1; which version runs, on which Node",
      "version",
      "node",
    ),
    databaseUp: gauge("invoice_relay_database_up", "Whether Postgres answers this process: 1 or 0"),
    databaseValuesAge: gauge(
      "invoice_relay_database_values_age_seconds",
      "How old the values are that were counted in Postgres; while it is away they stay as they were",
    ),
    connections: gauge(
      "invoice_relay_database_connections",
      "Connections to Postgres, by pool and state: busy or idle",
      "pool",
      "state",
    ),
    connectionsWanted: gauge(
      "invoice_relay_database_connections_wanted",
      "What waits for a connection to Postgres, by pool",
      "pool",
    ),
    providerSeconds: histogram(
      "invoice_relay_provider_seconds",
      "From a call to the provider to its outcome",
      [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      "source",
    ),
    snsSeconds: histogram(
      "invoice_relay_sns_seconds",
      "From sending a batch to SNS to its outcome",
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ),
    snsAnswers: counter(
      "invoice_relay_sns_answers_total",
      "Batches sent to SNS, by outcome of the request as a whole",
      "outcome",
    ),
    callbackToSns: histogram(
      "invoice_relay_callback_to_sns_seconds",
      "From the newest callback (or sweep) that asked for an invoice to SNS' acceptance of its event",
      LONG,
      "source",
    ),
    paymentToSns: histogram(
      "invoice_relay_payment_to_sns_seconds",
      "From the provider's paymentDate to SNS' acceptance of the event",
      LONG,
      "source",
    ),
    retries: counter(
      "invoice_relay_retries_total",
      "What was tried again: invoices asked again (confirm), events sent again (publish)",
      "work",
    ),
    alarmsOpen: gauge("invoice_relay_alarms_open", "Alarms that are open, by name", "alarm"),
    alarmWebhook: counter(
      "invoice_relay_alarm_webhook_total",
      "Messages to ALARM_WEBHOOK_URL, by outcome",
      "outcome",
    ),
    upstreams: gauge(
      "invoice_relay_upstream_state",
      "1 for the state that a source (confirm) or topic (publish) is in, 0 for the others",
      "work",
      "upstream",
      "state",
    ),
    dead: gauge(
      "invoice_relay_dead",
      "Dead letters that nobody dismissed, by kind: confirmation or event",
      "kind",
    ),
    quarantined: gauge("invoice_relay_quarantined", "Quarantined invoices that nobody dismissed"),
    lastSweep: gauge(
      "invoice_relay_last_sweep_timestamp_seconds",
      "When the collection swept longest ago was last swept to its end, by source; 0 for never",
      "source",
    ),
    lastCertificate: gauge(
      "invoice_relay_last_certificate_timestamp_seconds",
      "When the last daily certificate was made, by source and result",
      "source",
      "result",
    ),
    residentMemory: gauge("process_resident_memory_bytes", "Resident memory size in bytes"),
    startTime: gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds"),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
