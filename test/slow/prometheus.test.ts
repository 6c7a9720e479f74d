import { spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse, stringify } from "yaml";
import { ownPort } from "../support/own-port.ts";
import { ownRelay } from "../support/relay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Debian's own Prometheus; test/slow/run.sh installs it.
const root = resolve(import.meta.dirname, "../..");
const RULES = join(root, "ops/prometheus/rules.yml");

interface Rule {
  alert: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
const rules: Rule[] = parse(readFileSync(RULES, "utf8")).groups[0].rules;

/** What makes an alert fire, minute by minute, and what ends it. */
interface Scenario {
  series: Record<string, string>;
  /** In minutes. */
  fires: number;
  clears: number;
  labels?: Record<string, string>;
}

const gauge = (name: string, seconds = "400", labels: Record<string, string> = {}): Scenario => ({
  series: { [name]: `0x5 ${seconds}x20 0x20` },
  ...{ fires: 15, clears: 35, labels },
});

const SCENARIOS: Record<string, Scenario> = {
  InvoiceRelayDown: {
    series: { 'up{job="invoice-relay", instance="a"}': "1x5 0x20 1x20" },
    ...{ fires: 15, clears: 35, labels: { job: "invoice-relay", instance: "a" } },
  },
  InvoiceRelayDatabaseAway: {
    series: { 'invoice_relay_database_up{instance="a"}': "1x5 0x20 1x20" },
    ...{ fires: 15, clears: 35, labels: { instance: "a" } },
  },
  InvoiceRelayCallbacksNotRecorded: {
    series: { 'invoice_relay_callbacks_total{status="503"}': "0x5 1+1x10 11x40" },
    ...{ fires: 12, clears: 35 },
  },
  InvoiceRelayUrgentAlarm: gauge('invoice_relay_alarms_open{alarm="certificate_gap"}', "1", {
    alarm: "certificate_gap",
  }),
  InvoiceRelayAlarm: gauge('invoice_relay_alarms_open{alarm="invoice_anomaly"}', "1", {
    alarm: "invoice_anomaly",
  }),
  InvoiceRelayUpstreamFailingForLong: {
    ...gauge('invoice_relay_alarms_open{alarm="source_failing"}', "1", { alarm: "source_failing" }),
    fires: 18,
  },
  InvoiceRelayUnprovenDays: {
    ...gauge('invoice_relay_unproven_days{source="default"}', "1", { source: "default" }),
    fires: 18,
  },
  InvoiceRelayConfirmationsWait: gauge("invoice_relay_oldest_open_confirmation_seconds"),
  InvoiceRelayEventsWait: gauge("invoice_relay_oldest_unpublished_event_seconds"),
  InvoiceRelayPausedForLong: {
    series: {
      'invoice_relay_upstream_state{work="confirm", upstream="default", state="paused"}': "1x300 0x20",
    },
    ...{ fires: 250, clears: 310, labels: { work: "confirm", upstream: "default" } },
  },
  InvoiceRelayRefused: gauge(
    'invoice_relay_upstream_state{work="publish", upstream="arn", state="refused"}',
    "1",
    { work: "publish", upstream: "arn" },
  ),
  InvoiceRelayDeadLetters: gauge('invoice_relay_dead{kind="event"}', "2", { kind: "event" }),
  InvoiceRelayQuarantined: {
    series: { invoice_relay_quarantined: "1x100 0x20" },
    ...{ fires: 70, clears: 110 },
  },
  InvoiceRelayNoSweep: {
    // In promtool's world it is 1970.
    series: { 'invoice_relay_last_sweep_timestamp_seconds{source="default"}': "0x100 6000x20" },
    ...{ fires: 80, clears: 110, labels: { source: "default" } },
  },
  InvoiceRelayNoCertificate: {
    series: {
      'invoice_relay_last_certificate_timestamp_seconds{source="default", result="equal"}':
        "0x2400 144000x20",
    },
    ...{ fires: 2300, clears: 2410, labels: { source: "default" } },
  },
  InvoiceRelaySlow: {
    series: {
      'invoice_relay_callback_to_sns_seconds_bucket{le="60"}': "0x60 0+60x60",
      'invoice_relay_callback_to_sns_seconds_bucket{le="300"}': "0+60x60 3600+60x60",
      'invoice_relay_callback_to_sns_seconds_bucket{le="+Inf"}': "0+60x60 3600+60x60",
    },
    ...{ fires: 40, clears: 110 },
  },
  InvoiceRelayPassesFail: {
    series: { 'invoice_relay_pass_failures_total{worker="confirm"}': "0+10x30 300x30" },
    ...{ fires: 20, clears: 50, labels: { worker: "confirm" } },
  },
  InvoiceRelayStaleValues: gauge("invoice_relay_database_values_age_seconds"),
  InvoiceRelayPoolFull: gauge('invoice_relay_database_connections_wanted{pool="hot"}', "3", { pool: "hot" }),
  InvoiceRelayEventLoopLate: gauge('invoice_relay_event_loop_delay_seconds{quantile="0.99"}', "1", {
    quantile: "0.99",
  }),
  InvoiceRelayWebhookFails: {
    series: { 'invoice_relay_alarm_webhook_total{outcome="failed"}': "0+1x20 20x40" },
    ...{ fires: 15, clears: 50 },
  },
};

const rendered = (texts: Record<string, string>, labels: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? ""),
    ]),
  );

function promtool(...args: string[]) {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  return { status, said: stdout + stderr };
}

describe("the rules", () => {
  it("each have a scenario", () => {
    expect(Object.keys(SCENARIOS).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  const cases = rules.map((rule) => ({ ...rule, scenario: SCENARIOS[rule.alert] as Scenario }));
  const urgent = rules.filter(({ alert }) => alert === "InvoiceRelayUrgentAlarm");
  // What hides a gap is as urgent as the gap.
  for (const alarm of ["certificate_failing", "sweep_failing", "database_away"])
    for (const rule of urgent)
      cases.push({ ...rule, scenario: gauge(`invoice_relay_alarms_open{alarm="${alarm}"}`, "1", { alarm }) });

  it.each(cases)(
    "$alert fires, and clears $scenario.labels",
    async ({ alert, labels, annotations, scenario }) => {
      const firing = { ...scenario.labels, ...labels };
      const file = join(await temporaryFolder(), "test.yml");
      writeFileSync(
        file,
        stringify({
          rule_files: [RULES],
          evaluation_interval: "1m",
          tests: [
            {
              interval: "1m",
              input_series: Object.entries(scenario.series).map(([series, values]) => ({ series, values })),
              alert_rule_test: [
                {
                  eval_time: `${scenario.fires}m`,
                  alertname: alert,
                  exp_alerts: [{ exp_labels: firing, exp_annotations: rendered(annotations, firing) }],
                },
                { eval_time: `${scenario.clears}m`, alertname: alert, exp_alerts: [] },
              ],
            },
          ],
        }),
      );
      expect(promtool("test", "rules", file)).toMatchObject({ status: 0 });
    },
  );
});

interface Answer {
  resultType: string;
  result: unknown[];
  alerts: { state: string; labels: Record<string, string> }[];
}

/** A Prometheus that scrapes this port each second with the rules of ops/prometheus. */
async function startPrometheus(target: number) {
  const folder = await temporaryFolder();
  cpSync(RULES, join(folder, "rules.yml"));
  const config = parse(readFileSync(join(root, "ops/prometheus/prometheus.yml"), "utf8"));
  config.global = { scrape_interval: "1s", evaluation_interval: "1s" };
  config.scrape_configs[0].static_configs[0].targets = [`127.0.0.1:${target}`];
  writeFileSync(join(folder, "prometheus.yml"), stringify(config));
  const port = await ownPort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  onTestFinished(async () => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await ended;
  });
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    return ((await answer.json()) as { data: Answer }).data;
  };
  return {
    query: (expression: string) => ask(`query?query=${encodeURIComponent(expression)}`),
    firing: async (): Promise<string[]> =>
      (await ask("alerts")).alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels }) => `${labels.alertname} ${labels.alarm ?? ""}`.trim()),
  };
}

describe("a real Prometheus over a real relay", () => {
  const WAIT = { interval: 500 };

  it("takes the page without complaint, fires for an open alarm, clears with it, and knows the dashboard", async () => {
    const { around, relay } = await ownRelay();
    const page = await (await fetch(`${relay.url}/metrics`)).text();
    const checked = spawnSync("promtool", ["check", "metrics"], { input: page, encoding: "utf8" });
    // Its name and label are older than this test, and fixed; Node's own are named by the package.
    const complaints = checked.stderr
      .split("\n")
      .filter((line) => !/^$|^invoice_relay_event_loop_delay_seconds |^nodejs_/.test(line));
    expect(complaints).toEqual([]);

    const prometheus = await startPrometheus(relay.port ?? 0);
    await vi.waitFor(
      async () => expect((await prometheus.query('up{job="invoice-relay"} == 1')).result).toHaveLength(1),
      WAIT,
    );
    expect(await prometheus.firing()).toEqual([]);
    await around.query(
      "insert into alarm (name, source, subject, detail) values ('event_dead', 'default', 'one', 'dead')",
    );
    await vi.waitFor(
      async () => expect(await prometheus.firing()).toEqual(["InvoiceRelayUrgentAlarm event_dead"]),
      WAIT,
    );
    await around.query("update alarm set cleared_at = now()");
    await vi.waitFor(async () => expect(await prometheus.firing()).toEqual([]), WAIT);

    const { panels } = JSON.parse(readFileSync(join(root, "ops/grafana/invoice-relay.json"), "utf8"));
    for (const { targets } of panels)
      for (const { expr } of targets) expect(await prometheus.query(expr), expr).toHaveProperty("resultType");
  });
});
