import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The instruments of one process, each named once; a new registry for each, so that nothing is shared by import. */
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
      help: "Confirmations, by state and verdict",
      labelNames: ["state", "verdict"],
      registers,
    }),
    outbox: new Gauge({
      name: "invoice_relay_outbox",
      help: "Events that are still to be published, by state",
      labelNames: ["state"],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
