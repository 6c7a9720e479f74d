import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { FAILED_CHECKS, type FailedCheck } from "../config/index.ts";

/** Buckets for what may take from a moment to two days, in s. */
const LONG = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 172_800];

/** Values of labels that are known where a relay is composed: METRICS names the list in place of the values. */
interface KnownValues {
  sources: readonly string[];
  alarms: readonly string[];
  callbackStatuses: readonly number[];
  /** Each loop begins its own series. */
  workers: readonly string[];
}

/**
 * All values of each label, few as they are: `increase()` sees nothing in a series whose first value is 1, so that
 * each exists from the start.
 */
type Labels = Readonly<Record<string, readonly (string | number)[] | keyof KnownValues>>;

type ValuesOf<Given extends Labels> = {
  [Name in keyof Given]: Given[Name] extends infer List extends keyof KnownValues
    ? KnownValues[List][number]
    : Given[Name][number & keyof Given[Name]];
};

/** All of its labels, by what they may be. */
type Labelled<Given extends Labels> = keyof Given extends never ? [] : [labels: ValuesOf<Given>];

type StrictCounter<Given extends Labels> = Pick<Counter, "get"> & {
  inc(...labels: Labelled<Given>): void;
  /** Has the series of values that are not known before: it starts at 0. */
  begin(...labels: Labelled<Given>): void;
};

interface StrictHistogram<Given extends Labels> {
  observe(labels: ValuesOf<Given>, seconds: number): void;
  startTimer(...labels: Labelled<Given>): () => number;
}

/** A set of labels for each combination of their values. */
const combine = (labels: Labels, known: KnownValues): Record<string, string | number>[] =>
  Object.entries(labels).reduce<Record<string, string | number>[]>(
    (sets, [name, values]) =>
      sets.flatMap((set) =>
        (typeof values === "string" ? known[values] : values).map((value) => ({ ...set, [name]: value })),
      ),
    [{}],
  );

/** @param says what a person reads from it, for the runbook; Markdown. */
const counter = <const Given extends Labels>(name: string, labels: Given, help: string, says: string) => {
  const labelNames = Object.keys(labels);
  return {
    ...{ kind: "counter", name, labelNames, help, says },
    make: (registry: Registry, known: KnownValues): StrictCounter<Given> => {
      const made = new Counter({ name, help, labelNames, registers: [registry] });
      for (const set of combine(labels, known)) made.inc(set, 0);
      return Object.assign(made, { begin: (labels = {}) => made.inc(labels, 0) }) as StrictCounter<Given>;
    },
  };
};

const gauge = <Label extends string>(name: string, labelNames: Label[], help: string, says: string) => ({
  ...{ kind: "gauge", name, labelNames, help, says },
  make: (registry: Registry) => new Gauge({ name, help, labelNames, registers: [registry] }),
});

const histogram = <const Given extends Labels>(
  name: string,
  buckets: number[],
  labels: Given,
  help: string,
  says: string,
) => {
  const labelNames = Object.keys(labels);
  return {
    ...{ kind: "histogram", name, labelNames, help, says },
    make: (registry: Registry, known: KnownValues): StrictHistogram<Given> => {
      const made = new Histogram({ name, help, buckets, labelNames, registers: [registry] });
      for (const set of combine(labels, known)) made.zero(set);
      return made as StrictHistogram<Given>;
    },
  };
};

/** Every metric of this program; `npm run documents` makes the runbook's table from it. */
export const METRICS = {
  callbacks: counter(
    "invoice_relay_callbacks_total",
    { status: "callbackStatuses" },
    "Callbacks, by status of the response",
    "5xx: not recorded. 404: strangers, or a URL with an old token",
  ),
  callbacksRefused: counter(
    "invoice_relay_callbacks_refused_total",
    { source: "sources", check: Object.keys(FAILED_CHECKS) as FailedCheck[] },
    "Callbacks with a valid token that failed a check of their source, by check",
    "rises: [callback_refused](#callback_refused)",
  ),
  callbackSeconds: histogram(
    "invoice_relay_callback_seconds",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    {},
    "From the request's headers to the response",
    "p99 above 0.5 s: Postgres' disk, or too many callbacks at once",
  ),
  connectionsRefused: counter(
    "invoice_relay_connections_refused_total",
    {},
    "Connections closed because `MAX_CONNECTIONS` were open, or for too many requests at once",
    "rises: the front forwards too many requests",
  ),
  adminRefused: counter(
    "invoice_relay_admin_refused_total",
    { status: [401] },
    "Requests to the admin API without a valid token, by status",
    "rises: an attacker guesses tokens, or a script has an old one",
  ),
  eventLoopDelay: gauge(
    "invoice_relay_event_loop_delay_seconds",
    ["quantile"],
    "How late the event loop was since the last scrape, by quantile; 1 is the longest",
    "p99 above 0.5 s: too little CPU",
  ),
  verdicts: counter(
    "invoice_relay_verdicts_total",
    {
      source: "sources",
      verdict: ["pending", "paid", "quarantined", "invalidated", "not_paid", "unknown_invoice"],
    },
    "Responses of the provider, by verdict",
    "mostly `paid` and `pending`; many `unknown_invoice`: [unknown_ids_flooding](#unknown_ids_flooding)",
  ),
  providerAnswers: counter(
    "invoice_relay_provider_answers_total",
    {
      source: "sources",
      outcome: [
        ...(["found", "not_found", "outside_contract", "fault", "rate_limited"] as const),
        ...(["key_refused", "interrupted"] as const),
      ],
    },
    "Requests to the provider, by outcome",
    "`fault`, `key_refused`, `rate_limited`: the provider",
  ),
  published: counter(
    "invoice_relay_published_total",
    { outcome: ["accepted", "refused", "failed"] },
    "Entries sent to SNS, by outcome",
    "`failed`, `refused`: SNS",
  ),
  alarms: counter(
    "invoice_relay_alarms_total",
    { alarm: "alarms" },
    "Alarms raised, by name",
    "how often each was raised, even for a moment",
  ),
  jobFailures: counter(
    "invoice_relay_pass_failures_total",
    { worker: "workers" },
    "Failed job runs, by job",
    "the log gives the reason",
  ),
  oldestConfirmationSeconds: gauge(
    "invoice_relay_oldest_open_confirmation_seconds",
    [],
    "Age of the oldest confirmation without a response",
    "above 300: payments wait",
  ),
  oldestEventSeconds: gauge(
    "invoice_relay_oldest_unpublished_event_seconds",
    [],
    "Age of the oldest unpublished event",
    "above 300: payments wait",
  ),
  confirmations: gauge(
    "invoice_relay_confirmations",
    ["state", "verdict"],
    "Open confirmations, by state and verdict",
    "`due` grows: more callbacks arrive than are confirmed",
  ),
  outbox: gauge(
    "invoice_relay_outbox",
    ["state"],
    "Unpublished events, by state",
    "`due` grows: more events are made than sent; `held`: Test invoices without a topic",
  ),
  build: gauge(
    "invoice_relay_build_info",
    ["version", "node"],
    "Always 1; labels name the version and Node",
    "two versions for long: an incomplete roll-out",
  ),
  databaseUp: gauge(
    "invoice_relay_database_up",
    [],
    "1 while Postgres responds to this process, else 0",
    "0: [database_away](#database_away)",
  ),
  databaseValuesAge: gauge(
    "invoice_relay_database_values_age_seconds",
    [],
    "Age of the counts from Postgres; they stay while it is away",
    "high: do not trust the counts",
  ),
  connections: gauge(
    "invoice_relay_database_connections",
    ["pool", "state"],
    "Connections to Postgres, by pool and state: busy or idle",
    "all busy: see the next row",
  ),
  connectionsWanted: gauge(
    "invoice_relay_database_connections_wanted",
    ["pool"],
    "Work that waits for a connection to Postgres, by pool",
    "above 0 for long: work waits for Postgres",
  ),
  providerSeconds: histogram(
    "invoice_relay_provider_seconds",
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    { source: "sources" },
    "From a request to the provider to its outcome",
    "slow: the provider",
  ),
  snsSeconds: histogram(
    "invoice_relay_sns_seconds",
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    {},
    "From sending a batch to SNS to its outcome",
    "slow: SNS or the network",
  ),
  snsAnswers: counter(
    "invoice_relay_sns_answers_total",
    { outcome: ["answered", "refused", "failed", "topic_refused"] },
    "Batches sent to SNS, by outcome of the request as a whole",
    "`topic_refused`: [topic_paused](#topic_paused); `failed`: [topic_failing](#topic_failing)",
  ),
  callbackToSns: histogram(
    "invoice_relay_callback_to_sns_seconds",
    LONG,
    { source: "sources" },
    "From the newest callback (or sweep) for an invoice to SNS' acceptance of its event",
    "the merchant's delay",
  ),
  paymentToSns: histogram(
    "invoice_relay_payment_to_sns_seconds",
    LONG,
    { source: "sources" },
    "From the provider's paymentDate to SNS' acceptance of the event",
    "far above the row before: callbacks are late or missing, and sweeps find the payments",
  ),
  retries: counter(
    "invoice_relay_retries_total",
    { work: ["confirm", "publish"] },
    "Retries of invoices (confirm) and of events (publish)",
    "rises: provider or SNS has a problem",
  ),
  alarmsOpen: gauge(
    "invoice_relay_alarms_open",
    ["alarm"],
    "Open alarms, by name",
    "the [heading](#alarms) of its name",
  ),
  alarmWebhook: counter(
    "invoice_relay_alarm_webhook_total",
    { outcome: ["taken", "failed"] },
    "Messages to ALARM_WEBHOOK_URL, by outcome",
    "`failed`: people get no message",
  ),
  upstreams: gauge(
    "invoice_relay_upstream_state",
    ["work", "upstream", "state"],
    "1 for the state of a source (confirm) or topic (publish), 0 for the others",
    "`paused`: a person; `refused`: key or topic; `backing_off`, `half_open`: it fails",
  ),
  dead: gauge(
    "invoice_relay_dead",
    ["kind"],
    "Dead letters, without dismissed ones, by kind: confirmation or event",
    "`invoice-relay dead list`",
  ),
  quarantined: gauge(
    "invoice_relay_quarantined",
    [],
    "Quarantined invoices, without dismissed ones",
    "`invoice-relay quarantine list`",
  ),
  lastSweep: gauge(
    "invoice_relay_last_sweep_timestamp_seconds",
    ["source"],
    "Time of the last complete sweep, of the collection with the oldest, by source; 0 for never",
    "older than a few `RECONCILE_INTERVAL`: [sweep_failing](#sweep_failing)",
  ),
  lastCertificate: gauge(
    "invoice_relay_last_certificate_timestamp_seconds",
    ["source", "result"],
    "Time of the last daily certificate, by source and result; `none`: since when one is due",
    "older than 36 h, or result not `equal`: [certificate_gap](#certificate_gap)",
  ),
  unprovenDays: gauge(
    "invoice_relay_unproven_days",
    ["source"],
    "Days of payment that their newest certificate does not prove, by source",
    "above 0: [certificate_gap](#certificate_gap)",
  ),
};

type Instruments = { [Name in keyof typeof METRICS]: ReturnType<(typeof METRICS)[Name]["make"]> };

export type Metrics = Instruments & { registry: Registry };

const NONE: KnownValues = { sources: [], alarms: [], callbackStatuses: [], workers: [] };

/** The instruments of one process; a new registry at each call, so that importing this shares nothing. */
export function createMetrics(known = NONE): Metrics {
  const registry = new Registry();
  const instruments = Object.entries(METRICS).map(([name, { make }]) => [name, make(registry, known)]);
  return { registry, ...(Object.fromEntries(instruments) as Instruments) };
}
