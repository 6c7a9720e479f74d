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

/** One set of labels for each combination of their values. */
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
    "Callbacks answered, by answer",
    "5xx: not recorded. 404: strangers, or a URL with an old token",
  ),
  callbacksRefused: counter(
    "invoice_relay_callbacks_refused_total",
    { source: "sources", check: Object.keys(FAILED_CHECKS) as FailedCheck[] },
    "Callbacks with a right token that failed a check of their source, by check",
    "rises: [callback_refused](#callback_refused)",
  ),
  callbackSeconds: histogram(
    "invoice_relay_callback_seconds",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    {},
    "From the request's headers to its answer",
    "p99 above 0.5 s: Postgres' disk, or too many callbacks at once",
  ),
  connectionsRefused: counter(
    "invoice_relay_connections_refused_total",
    {},
    "Connections closed because `MAX_CONNECTIONS` were open, or for too many requests at once",
    "rises: what stands in front lets too much through",
  ),
  adminRefused: counter(
    "invoice_relay_admin_refused_total",
    { status: [401] },
    "Requests to the admin API without a right token, by answer",
    "rises: somebody guesses tokens, or a script has an old one",
  ),
  eventLoopDelay: gauge(
    "invoice_relay_event_loop_delay_seconds",
    ["quantile"],
    "How late the event loop was since the last look, by quantile; 1 is the longest",
    "p99 above 0.5 s: too little CPU",
  ),
  verdicts: counter(
    "invoice_relay_verdicts_total",
    {
      source: "sources",
      verdict: ["pending", "paid", "quarantined", "invalidated", "not_paid", "unknown_invoice"],
    },
    "Answers of the provider, by verdict",
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
    "Calls to the provider, by outcome",
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
    "how often each was raised, even if it was over before anyone looked",
  ),
  passFailures: counter(
    "invoice_relay_pass_failures_total",
    { worker: "workers" },
    "Passes of a worker that failed as a whole",
    "the log says why",
  ),
  oldestConfirmationSeconds: gauge(
    "invoice_relay_oldest_open_confirmation_seconds",
    [],
    "Since the oldest request that no answer of the provider covers yet",
    "above 300: payments wait",
  ),
  oldestEventSeconds: gauge(
    "invoice_relay_oldest_unpublished_event_seconds",
    [],
    "Since the oldest event was made that should be published and is not",
    "above 300: payments wait",
  ),
  confirmations: gauge(
    "invoice_relay_confirmations",
    ["state", "verdict"],
    "Confirmations that are not done, by state and verdict",
    "`due` grows: more comes than is asked",
  ),
  outbox: gauge(
    "invoice_relay_outbox",
    ["state"],
    "Events that are still to be published, by state",
    "`due` grows: more comes than is sent; `held`: Test invoices without a topic",
  ),
  build: gauge(
    "invoice_relay_build_info",
    ["version", "node"],
    "Always 1; which version runs, on which Node",
    "two versions at once for long: a roll-out that stopped half-way",
  ),
  databaseUp: gauge(
    "invoice_relay_database_up",
    [],
    "Whether Postgres answers this process: 1 or 0",
    "0: [database_away](#database_away)",
  ),
  databaseValuesAge: gauge(
    "invoice_relay_database_values_age_seconds",
    [],
    "How old the values are that were counted in Postgres; while it is away they stay as they were",
    "how much to believe of what is counted in Postgres",
  ),
  connections: gauge(
    "invoice_relay_database_connections",
    ["pool", "state"],
    "Connections to Postgres, by pool and state: busy or idle",
    "all busy: see the next",
  ),
  connectionsWanted: gauge(
    "invoice_relay_database_connections_wanted",
    ["pool"],
    "What waits for a connection to Postgres, by pool",
    "above 0 for long: work waits for Postgres",
  ),
  providerSeconds: histogram(
    "invoice_relay_provider_seconds",
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    { source: "sources" },
    "From a call to the provider to its outcome",
    "slow: the provider",
  ),
  snsSeconds: histogram(
    "invoice_relay_sns_seconds",
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    {},
    "From sending a batch to SNS to its outcome",
    "slow: SNS or the way there",
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
    "From the newest callback (or sweep) that asked for an invoice to SNS' acceptance of its event",
    "what a payer's merchant feels",
  ),
  paymentToSns: histogram(
    "invoice_relay_payment_to_sns_seconds",
    LONG,
    { source: "sources" },
    "From the provider's paymentDate to SNS' acceptance of the event",
    "far above the one before: callbacks come late or not at all, and sweeps find the payments",
  ),
  retries: counter(
    "invoice_relay_retries_total",
    { work: ["confirm", "publish"] },
    "What was tried again: invoices asked again (confirm), events sent again (publish)",
    "rises: one of the two upstreams is unwell",
  ),
  alarmsOpen: gauge(
    "invoice_relay_alarms_open",
    ["alarm"],
    "Alarms that are open, by name",
    "the [heading](#alarms) of its name",
  ),
  alarmWebhook: counter(
    "invoice_relay_alarm_webhook_total",
    { outcome: ["taken", "failed"] },
    "Messages to ALARM_WEBHOOK_URL, by outcome",
    "`failed`: nobody is notified",
  ),
  upstreams: gauge(
    "invoice_relay_upstream_state",
    ["work", "upstream", "state"],
    "1 for the state that a source (confirm) or topic (publish) is in, 0 for the others",
    "`paused`: a person; `refused`: key or topic; `backing_off`, `half_open`: it fails",
  ),
  dead: gauge(
    "invoice_relay_dead",
    ["kind"],
    "Dead letters that nobody dismissed, by kind: confirmation or event",
    "`invoice-relay dead list`",
  ),
  quarantined: gauge(
    "invoice_relay_quarantined",
    [],
    "Quarantined invoices that nobody dismissed",
    "`invoice-relay quarantine list`",
  ),
  lastSweep: gauge(
    "invoice_relay_last_sweep_timestamp_seconds",
    ["source"],
    "When the collection swept longest ago was last swept to its end, by source; 0 for never",
    "older than a few `RECONCILE_INTERVAL`: [sweep_failing](#sweep_failing)",
  ),
  lastCertificate: gauge(
    "invoice_relay_last_certificate_timestamp_seconds",
    ["source", "result"],
    "When the last daily certificate was made, by source and result; `none`: since when there should be one",
    "older than 36 h, or result not `equal`: [certificate_gap](#certificate_gap)",
  ),
  unprovenDays: gauge(
    "invoice_relay_unproven_days",
    ["source"],
    "Days of payment that the newest certificate which covers them does not prove, by source",
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
