import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse, stringify } from "yaml";
import { ownPort } from "../../test/support/own-port.ts";
import { ownRelay } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

// Debian's own Prometheus; the lab installs it.
const root = resolve(import.meta.dirname, "../..");
const RULES = join(root, "deploy/prometheus/rules.yml");

interface Rule {
  alert: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
const rules: Rule[] = parse(readFileSync(RULES, "utf8")).groups[0].rules;

/** What makes an alert fire, minute by minute, and what ends it. */
interface Scenario {
  alert: string;
  /**
   * From the sixth minute on, in promtool's notation. Until then each series is as on the page of a relay that has
   * just started: one that is not there does not exist.
   */
  series: Record<string, string>;
  /** Minutes: it is quiet until the first, fires at the second, and is over by the third. */
  minutes: readonly [number, number, number];
  /** Those of the alert besides the rule's own. */
  labels: Record<string, string>;
}

const SOON = [4, 15, 35] as const;

const scenario = (
  alert: string,
  series: Record<string, string>,
  minutes: Scenario["minutes"] = SOON,
  labels: Record<string, string> = {},
): Scenario => ({ alert, series, minutes, labels });

/** A value for twenty minutes, and 0 for twenty more. */
const gauge = (alert: string, name: string, value = "400", labels: Record<string, string> = {}, fires = 15) =>
  scenario(alert, { [name]: `${value}x20 0x20` }, [4, fires, 35], labels);

const openAlarm = (alert: string, alarm: string, fires?: number): Scenario =>
  gauge(alert, `invoice_relay_alarms_open{alarm="${alarm}"}`, "1", { alarm }, fires);

const UP = 'up{job="invoice-relay",instance="a"}';
const STATE = "invoice_relay_upstream_state";
const DEFAULT = { source: "default" };
const slowBucket = (le: string) =>
  `invoice_relay_callback_to_sns_seconds_bucket{le="${le}",source="default"}`;
const SLOW = "60+60x60 3600+60x60";

/** The topic of the relay whose page it is stands for TOPIC. */
const SCENARIOS: readonly Scenario[] = [
  scenario("InvoiceRelayDown", { [UP]: "0x20 1x20" }, SOON, { job: "invoice-relay", instance: "a" }),
  // With all pods gone their discovery finds nothing to scrape.
  scenario("InvoiceRelayDown", { [UP]: "stale _x20 1x20" }, SOON, { job: "invoice-relay" }),
  scenario("InvoiceRelayDatabaseAway", { invoice_relay_database_up: "0x20 1x20" }),
  // One callback.
  scenario(
    "InvoiceRelayCallbacksNotRecorded",
    { 'invoice_relay_callbacks_total{status="503"}': "1x40" },
    [4, 8, 35],
  ),
  // What hides a gap is as urgent as the gap.
  ...["certificate_gap", "certificate_failing", "sweep_failing", "database_away"].map((alarm) =>
    openAlarm("InvoiceRelayUrgentAlarm", alarm),
  ),
  openAlarm("InvoiceRelayAlarm", "invoice_anomaly"),
  openAlarm("InvoiceRelayUpstreamFailingForLong", "source_failing", 18),
  gauge("InvoiceRelayUnprovenDays", 'invoice_relay_unproven_days{source="default"}', "1", DEFAULT, 18),
  gauge("InvoiceRelayConfirmationsWait", "invoice_relay_oldest_open_confirmation_seconds"),
  gauge("InvoiceRelayEventsWait", "invoice_relay_oldest_unpublished_event_seconds"),
  scenario(
    "InvoiceRelayPausedForLong",
    { [`${STATE}{work="confirm",upstream="default",state="paused"}`]: "1x300 0x20" },
    [4, 250, 315],
    { work: "confirm", upstream: "default" },
  ),
  gauge("InvoiceRelayRefused", `${STATE}{work="publish",upstream="TOPIC",state="refused"}`, "1", {
    ...{ work: "publish", upstream: "TOPIC" },
  }),
  gauge("InvoiceRelayDeadLetters", 'invoice_relay_dead{kind="event"}', "2", { kind: "event" }),
  scenario("InvoiceRelayQuarantined", { invoice_relay_quarantined: "1x100 0x20" }, [4, 70, 115]),
  scenario(
    "InvoiceRelayNoSweep",
    { 'invoice_relay_last_sweep_timestamp_seconds{source="default"}': "0x100 6000x20" },
    [4, 80, 115],
    DEFAULT,
  ),
  scenario(
    "InvoiceRelayNoCertificate",
    {
      'invoice_relay_last_certificate_timestamp_seconds{source="default",result="none"}': "0x2400 144000x20",
    },
    [4, 2300, 2415],
    DEFAULT,
  ),
  scenario(
    "InvoiceRelaySlow",
    { [slowBucket("60")]: "0x60 0+60x60", [slowBucket("300")]: SLOW, [slowBucket("+Inf")]: SLOW },
    [4, 40, 115],
  ),
  scenario(
    "InvoiceRelayPassesFail",
    { 'invoice_relay_pass_failures_total{worker="confirm"}': "10+10x30 300x30" },
    [4, 20, 50],
    { worker: "confirm" },
  ),
  gauge("InvoiceRelayStaleValues", "invoice_relay_database_values_age_seconds"),
  // Postgres has answered no count since the start.
  scenario("InvoiceRelayStaleValues", { invoice_relay_database_values_age_seconds: "stale _x20 1x20" }),
  // Of a process that has just come.
  scenario(
    "InvoiceRelayPoolFull",
    { 'invoice_relay_database_connections_wanted{pool="hot",instance="b"}': "3x20 0x20" },
    [8, 15, 35],
    { pool: "hot", instance: "b" },
  ),
  gauge("InvoiceRelayEventLoopLate", 'invoice_relay_event_loop_delay_seconds{quantile="0.99"}', "1", {
    quantile: "0.99",
  }),
  // All within one scrape.
  scenario(
    "InvoiceRelayWebhookFails",
    { 'invoice_relay_alarm_webhook_total{outcome="failed"}': "5x40" },
    [4, 10, 35],
  ),
];

/** How series begin: by the page of a relay that has just started, and by Prometheus itself. */
async function freshPage() {
  const { harness, relay } = await ownRelay({ COLLECTION_IDS: randomUUID() });
  const text = await vi.waitFor(async () => {
    const page = await (await fetch(`${relay.url}/metrics`)).text();
    expect(page).toContain("\ninvoice_relay_last_sweep_timestamp_seconds{");
    return page;
  });
  const values = new Map(
    [...text.matchAll(/^([a-z]\S*(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
  return {
    topicArn: harness.topicArn,
    /** @returns the value at the start, null of what is not there then. */
    startOf(series: string): string | null {
      if (series.startsWith("up{")) return "1";
      // Promtool's clock begins at 0, and so did this relay.
      if (series.includes("_timestamp_seconds")) return values.has(series) ? "0" : null;
      return values.get(series) ?? null;
    },
  };
}

const rendered = (texts: Record<string, string>, labels: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? ""),
    ]),
  );

/** @returns what is wrong; nothing if nothing is. */
function promtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  return status === 0 ? "" : `promtool ended with ${status}: ${stdout}${stderr}`;
}

describe("the rules", () => {
  it("each have a scenario", () => {
    expect([...new Set(SCENARIOS.map(({ alert }) => alert))].sort()).toEqual(
      rules.map(({ alert }) => alert).sort(),
    );
  });

  it("fire from a fresh start, and clear", async () => {
    const { topicArn, startOf } = await freshPage();
    const withTopic = (text: string) => text.replace("TOPIC", topicArn);
    const tests = SCENARIOS.map(({ alert, series, minutes: [quiet, fires, clears], labels: own }) => {
      const { labels, annotations } = rules.find((rule) => rule.alert === alert) as Rule;
      const firing = { ...own, ...labels };
      if (firing.upstream !== undefined) firing.upstream = withTopic(firing.upstream);
      const at = (minutes: number, exp_alerts: object[]) => ({
        ...{ eval_time: `${minutes}m`, alertname: alert, exp_alerts },
      });
      return {
        interval: "1m",
        name: `${alert} ${Object.keys(series)[0]}`,
        input_series: Object.entries(series).map(([name, values]) => ({
          series: withTopic(name),
          values: `${startOf(withTopic(name)) ?? "_"}x5 ${values}`,
        })),
        alert_rule_test: [
          at(quiet, []),
          at(fires, [{ exp_labels: firing, exp_annotations: rendered(annotations, firing) }]),
          at(clears, []),
        ],
      };
    });
    const file = join(await temporaryFolder(), "test.yml");
    writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: "1m", tests }));
    expect(promtool("test", "rules", file)).toBe("");
  });
});

interface Answer {
  resultType: string;
  result: unknown[];
  alerts: { state: string; labels: Record<string, string> }[];
}

/** A Prometheus that scrapes this port each second with the rules of deploy/prometheus. */
async function startPrometheus(target: number) {
  const folder = await temporaryFolder();
  cpSync(RULES, join(folder, "rules.yml"));
  const config = parse(readFileSync(join(root, "deploy/prometheus/prometheus.yml"), "utf8"));
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
    const { harness, relay } = await ownRelay();
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
    await harness.query(
      "insert into alarm (name, source, subject, detail) values ('event_dead', 'default', 'one', 'dead')",
    );
    await vi.waitFor(
      async () => expect(await prometheus.firing()).toEqual(["InvoiceRelayUrgentAlarm event_dead"]),
      WAIT,
    );
    await harness.query("update alarm set cleared_at = now()");
    await vi.waitFor(async () => expect(await prometheus.firing()).toEqual([]), WAIT);

    const { panels } = JSON.parse(readFileSync(join(root, "deploy/grafana/invoice-relay.json"), "utf8"));
    for (const { targets } of panels)
      for (const { expr } of targets) expect(await prometheus.query(expr), expr).toHaveProperty("resultType");
  });
});
