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
  return {
    registry,
    callbacks: new Counter({
      name: "invoice_relay_callbacks_total",
      help: "Callbacks answered, by answer",
      labelNames: ["status"],
      registers,
    }),
    callbacksRefused: new Counter({
      name: "invoice_relay_callbacks_refused_total",
      help: "Callbacks with a right token that failed a check of their source, by check",
      labelNames: ["source", "check"],
      registers,
    }),
    callbacksCut: new Counter({
      name: "invoice_relay_callbacks_cut_total",
      help: "Callbacks over a budget (their bodies cut), or beyond a limit of reading, by which",
      labelNames: ["source", "what"],
      registers,
    }),
    callbackSeconds: new Histogram({
      name: "invoice_relay_callback_seconds",
      help: "From the request's headers to its answer",
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    connectionsRefused: new Counter({
      name: "invoice_relay_connections_refused_total",
      help: "Connections, or requests behind a proxy, closed because their address had its most open",
      registers,
    }),
    adminRefused: new Counter({
      name: "invoice_relay_admin_refused_total",
      help: "Requests to the admin API without a right token, by answer",
      labelNames: ["status"],
      registers,
    }),
    eventLoopDelay: new Gauge({
      name: "invoice_relay_event_loop_delay_seconds",
      help: "How late the event loop was since the last look, by quantile; 1 is the longest",
      labelNames: ["quantile"],
      registers,
    }),
    verdicts: new Counter({
      name: "invoice_relay_verdicts_total",
      help: "Answers of the provider, by verdict",
      labelNames: ["source", "verdict"],
      registers,
    }),
    providerAnswers: new Counter({
      name: "invoice_relay_provider_answers_total",
      help: "Calls to the provider, by outcome",
      labelNames: ["source", "outcome"],
      registers,
    }),
    published: new Counter({
      name: "invoice_relay_published_total",
      help: "Entries sent to SNS, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    alarms: new Counter({
      name: "invoice_relay_alarms_total",
      help: "Alarms raised, by name",
      labelNames: ["alarm"],
      registers,
    }),
    passFailures: new Counter({
      name: "invoice_relay_pass_failures_total",
      help: "Passes of a worker that failed as a whole",
      labelNames: ["worker"],
      registers,
    }),
    oldestConfirmationSeconds: new Gauge({
      name: "invoice_relay_oldest_open_confirmation_seconds",
      help: "How long the oldest due confirmation has been overdue",
      registers,
    }),
    oldestEventSeconds: new Gauge({
      name: "invoice_relay_oldest_unpublished_event_seconds",
      help: "Age of the oldest event that should be published and is not",
      registers,
    }),
    confirmations: new Gauge({
      name: "invoice_relay_confirmations",
      help: "Confirmations that are not done, by state and verdict",
      labelNames: ["state", "verdict"],
      registers,
    }),
    outbox: new Gauge({
      name: "invoice_relay_outbox",
      help: "Events that are still to be published, by state",
      labelNames: ["state"],
      registers,
    }),
    build: new Gauge({
      name: "invoice_relay_build_info",
      help: "Always 1; which version runs, on which Node",
      labelNames: ["version", "node"],
      registers,
    }),
    databaseUp: new Gauge({
      name: "invoice_relay_database_up",
      help: "Whether Postgres answers this process: 1 or 0",
      registers,
    }),
    databaseValuesAge: new Gauge({
      name: "invoice_relay_database_values_age_seconds",
      help: "How old the values are that were counted in Postgres; while it is away they stay as they were",
      registers,
    }),
    connections: new Gauge({
      name: "invoice_relay_database_connections",
      help: "Connections to Postgres, by pool and state: busy or idle",
      labelNames: ["pool", "state"],
      registers,
    }),
    connectionsWanted: new Gauge({
      name: "invoice_relay_database_connections_wanted",
      help: "What waits for a connection to Postgres, by pool",
      labelNames: ["pool"],
      registers,
    }),
    providerSeconds: new Histogram({
      name: "invoice_relay_provider_seconds",
      help: "From a call to the provider to its outcome",
      labelNames: ["source"],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    snsSeconds: new Histogram({
      name: "invoice_relay_sns_seconds",
      help: "From sending a batch to SNS to its outcome",
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    snsAnswers: new Counter({
      name: "invoice_relay_sns_answers_total",
      help: "Batches sent to SNS, by outcome of the request as a whole",
      labelNames: ["outcome"],
      registers,
    }),
    callbackToSns: new Histogram({
      name: "invoice_relay_callback_to_sns_seconds",
      help: "From the newest callback (or sweep) that asked for an invoice to SNS' acceptance of its event",
      labelNames: ["source"],
      buckets: LONG,
      registers,
    }),
    paymentToSns: new Histogram({
      name: "invoice_relay_payment_to_sns_seconds",
      help: "From the provider's paymentDate to SNS' acceptance of the event",
      labelNames: ["source"],
      buckets: LONG,
      registers,
    }),
    retries: new Counter({
      name: "invoice_relay_retries_total",
      help: "What was tried again: invoices asked again (confirm), events sent again (publish)",
      labelNames: ["work"],
      registers,
    }),
    alarmsOpen: new Gauge({
      name: "invoice_relay_alarms_open",
      help: "Alarms that are open, by name",
      labelNames: ["alarm"],
      registers,
    }),
    alarmWebhook: new Counter({
      name: "invoice_relay_alarm_webhook_total",
      help: "Messages to ALARM_WEBHOOK_URL, by outcome",
      labelNames: ["outcome"],
      registers,
    }),
    upstreams: new Gauge({
      name: "invoice_relay_upstream_state",
      help: "1 for the state that a source (confirm) or topic (publish) is in, 0 for the others",
      labelNames: ["work", "upstream", "state"],
      registers,
    }),
    dead: new Gauge({
      name: "invoice_relay_dead",
      help: "Dead letters that nobody dismissed, by kind: confirmation or event",
      labelNames: ["kind"],
      registers,
    }),
    quarantined: new Gauge({
      name: "invoice_relay_quarantined",
      help: "Quarantined invoices that nobody dismissed",
      registers,
    }),
    lastSweep: new Gauge({
      name: "invoice_relay_last_sweep_timestamp_seconds",
      help: "When the collection swept longest ago was last swept to its end, by source; 0 for never",
      labelNames: ["source"],
      registers,
    }),
    lastCertificate: new Gauge({
      name: "invoice_relay_last_certificate_timestamp_seconds",
      help: "When the last daily certificate was made, by source and result",
      labelNames: ["source", "result"],
      registers,
    }),
    residentMemory: new Gauge({
      name: "process_resident_memory_bytes",
      help: "Resident memory size in bytes",
      registers,
    }),
    startTime: new Gauge({
      name: "process_start_time_seconds",
      help: "Start time of the process since unix epoch in seconds",
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
