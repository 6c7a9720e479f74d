import { ALARM_NAMES, ALARMS, ESCALATING } from "../../src/platform/alarms/alarm-definitions.ts";

/** What Prometheus tells people: `npm run documents` makes rules.yml and the runbook's headings from it. */
interface Alert {
  alert: string;
  expr: string;
  /** It fires only after so long. */
  for?: string;
  severity: "critical" | "warning";
  summary: string;
  /** What to do, for the runbook; Markdown. */
  todo: string;
  /** The heading it links to; its own when left out. */
  heading?: string;
}

const CRITICAL = ALARM_NAMES.filter((name) => ALARMS[name].severity === "critical").join("|");

const openAlarm = (which: "=~" | "!~"): string =>
  `max by (alarm) (invoice_relay_alarms_open{alarm${which}"${CRITICAL}"}) > 0`;

export const ALERTS: readonly Alert[] = [
  {
    alert: "InvoiceRelayDown",
    // With no pod left there is nothing to be down: `up` has no series.
    expr: 'up{job="invoice-relay"} == 0 or absent(up{job="invoice-relay"})',
    for: "1m",
    severity: "critical",
    summary: "A process of the relay serves no metrics, or no process runs.",
    todo: "Does it run? Its last log lines say why it ended. `/healthz` responds while it is alive.",
  },
  {
    alert: "InvoiceRelayDatabaseAway",
    expr: "invoice_relay_database_up == 0",
    for: "30s",
    severity: "critical",
    summary: "Postgres does not respond to a process of the relay: callbacks get 503.",
    todo: "The same as for [database_away](#database_away).",
  },
  {
    alert: "InvoiceRelayCallbacksNotRecorded",
    expr: 'sum(increase(invoice_relay_callbacks_total{status=~"5.."}[5m])) > 0',
    severity: "critical",
    summary: "Callbacks got 5xx. If the provider does not retry, only reconciliation finds their payments.",
    todo:
      "[recording_failing](#recording_failing) or [database_away](#database_away) gives the reason. A " +
      "full queue (`invoice_relay_callback_seconds` rises first) needs a faster disk for Postgres. " +
      "Afterwards run `invoice-relay reconcile`.",
  },
  {
    alert: "InvoiceRelayUrgentAlarm",
    expr: openAlarm("=~"),
    severity: "critical",
    summary: "An alarm of the relay is open that keeps payments from their events, or hides one.",
    todo: "See the heading with its name.",
    heading: "{{ $labels.alarm }}",
  },
  {
    alert: "InvoiceRelayAlarm",
    expr: openAlarm("!~"),
    severity: "warning",
    summary: "An alarm of the relay is open.",
    todo: "See the heading with its name.",
    heading: "{{ $labels.alarm }}",
  },
  {
    alert: "InvoiceRelayUpstreamFailingForLong",
    expr: `max by (alarm) (invoice_relay_alarms_open{alarm=~"${ESCALATING.map(({ name }) => name).join("|")}"}) > 0`,
    for: "10m",
    severity: "critical",
    summary: "A fault that keeps payments from their events has lasted for ten minutes.",
    todo: "See the heading with its name.",
    heading: "{{ $labels.alarm }}",
  },
  {
    alert: "InvoiceRelayConfirmationsWait",
    expr: "max(invoice_relay_oldest_open_confirmation_seconds) > 300",
    for: "2m",
    severity: "critical",
    summary: "A confirmation has had no response of the provider for more than five minutes.",
    todo:
      "Do workers run (`serve` without `--no-workers`)? Is the source [refused](#source_paused), " +
      "[failing](#source_failing) or paused (see `invoice-relay status`)? Is `CONFIRM_RATE_PER_SECOND` " +
      "too low for the traffic? First requests go before retries, and replays go last.",
  },
  {
    alert: "InvoiceRelayEventsWait",
    expr: "max(invoice_relay_oldest_unpublished_event_seconds) > 300",
    for: "2m",
    severity: "critical",
    summary: "An event has not been sent to SNS for more than five minutes.",
    todo: "[topic_paused](#topic_paused), [topic_failing](#topic_failing), a pause, or no workers.",
  },
  {
    alert: "InvoiceRelayPausedForLong",
    expr: 'max by (work, upstream) (invoice_relay_upstream_state{state="paused"}) == 1',
    for: "1h",
    severity: "warning",
    summary: "A person paused this an hour ago or more.",
    todo: "`invoice-relay resume confirm` or `resume publish`, unless the pause is intended.",
  },
  {
    alert: "InvoiceRelayRefused",
    expr: 'max by (work, upstream) (invoice_relay_upstream_state{state="refused"}) == 1',
    for: "2m",
    severity: "critical",
    summary: "The provider refuses the key, or SNS the topic. Everything behind it waits.",
    todo: "[source_paused](#source_paused) or [topic_paused](#topic_paused).",
  },
  {
    alert: "InvoiceRelayDeadLetters",
    expr: "max by (kind) (invoice_relay_dead) > 0",
    severity: "warning",
    summary: "There are dead letters: confirmations or events that were given up.",
    todo: "`invoice-relay dead list`; [confirmation_dead](#confirmation_dead), [event_dead](#event_dead).",
  },
  {
    alert: "InvoiceRelayQuarantined",
    expr: "max(invoice_relay_quarantined) > 0",
    for: "1h",
    severity: "warning",
    summary: "A paid invoice of no known collection has waited in quarantine for an hour.",
    todo: "[invoice_quarantined](#invoice_quarantined).",
  },
  {
    alert: "InvoiceRelayNoSweep",
    expr: "time() - min by (source) (invoice_relay_last_sweep_timestamp_seconds) > 3600",
    for: "10m",
    severity: "critical",
    summary:
      "The relay has not read the provider's list to its end for an hour, so payments without a " +
      "callback are not found.",
    todo: "[sweep_failing](#sweep_failing). Is `RECONCILE_INTERVAL` longer than an hour? Do workers run?",
  },
  {
    alert: "InvoiceRelayUnprovenDays",
    expr: "max by (source) (invoice_relay_unproven_days) > 0",
    for: "10m",
    severity: "critical",
    summary: "The newest certificate of a day does not prove it: a payment may be missing.",
    todo: "[certificate_gap](#certificate_gap).",
  },
  {
    alert: "InvoiceRelayNoCertificate",
    expr: "time() - max by (source) (invoice_relay_last_certificate_timestamp_seconds) > 129600",
    for: "10m",
    severity: "warning",
    summary: "No daily certificate was made for 36 hours, so missing payments would stay unknown.",
    todo:
      'The log line "the daily certificate failed" gives the reason. `invoice-relay certify --from ' +
      "<day> --to <day>` makes one now.",
  },
  {
    alert: "InvoiceRelaySlow",
    expr: "histogram_quantile(0.99, sum by (le) (rate(invoice_relay_callback_to_sns_seconds_bucket[10m]))) > 60",
    for: "10m",
    severity: "warning",
    summary: "A payment in a hundred takes longer than a minute from its callback to SNS.",
    todo:
      "Find the slow part: `invoice_relay_provider_seconds`, `invoice_relay_sns_seconds`, the oldest " +
      "open work, the pools. See [sizing](performance.md#sizing).",
  },
  {
    alert: "InvoiceRelayPassesFail",
    expr: "sum by (worker) (increase(invoice_relay_pass_failures_total[5m])) > 10",
    for: "5m",
    severity: "warning",
    summary: "A job fails repeatedly; its log gives the reason.",
    todo:
      'Read the log line "a run failed" of that job; the cause is usually Postgres. For maintenance ' +
      "see [maintenance_failing](#maintenance_failing).",
  },
  {
    alert: "InvoiceRelayStaleValues",
    // There is no age before the first count.
    expr:
      "min(invoice_relay_database_values_age_seconds) > 300 or " +
      "absent(invoice_relay_database_values_age_seconds)",
    for: "5m",
    severity: "warning",
    summary: "The counts from Postgres are five minutes old or missing, so the other alerts see old values.",
    todo:
      "If `invoice_relay_database_up` is 0: [database_away](#database_away). Otherwise Postgres is " +
      "overloaded, or a table needs `vacuum analyze`.",
  },
  {
    alert: "InvoiceRelayPoolFull",
    expr: "invoice_relay_database_connections_wanted > 0",
    for: "5m",
    severity: "warning",
    summary: "Work has waited for a connection to Postgres for five minutes without a pause.",
    todo:
      "Check for slow statements (`pg_stat_activity`) and locks. More processes help only if Postgres " +
      "has capacity.",
  },
  {
    alert: "InvoiceRelayEventLoopLate",
    expr: 'invoice_relay_event_loop_delay_seconds{quantile="0.99"} > 0.5',
    for: "5m",
    severity: "warning",
    summary: "A process of the relay is overloaded: its event loop is half a second late.",
    todo: "Add CPU or processes; see [sizing](performance.md#sizing).",
  },
  {
    alert: "InvoiceRelayWebhookFails",
    expr: 'sum(increase(invoice_relay_alarm_webhook_total{outcome="failed"}[15m])) > 3',
    severity: "warning",
    summary: "People are not notified of alarms: ALARM_WEBHOOK_URL does not take messages.",
    todo:
      'The log line "alarms could not be sent" shows the response. Alarms wait, and are sent ' +
      "once it works.",
  },
];
