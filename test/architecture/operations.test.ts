import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ALERTS } from "../../deploy/prometheus/alerts.ts";
import { ALARM_NAMES } from "../../src/platform/alarms/alarm-definitions.ts";
import { METRICS } from "../../src/platform/metrics/metrics.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

const runbook = read("docs/operations.md");
const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title);
// One that Node says of the process stands on the dashboard.
const names = [...Object.values(METRICS).map(({ name }) => name), "process_resident_memory_bytes"];

const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
  read("deploy/grafana/invoice-relay.json"),
);

/** The metrics of this program that an expression names, histograms by their own name. */
const namedIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:invoice_relay|process)_\w+/g)].map(([name]) =>
    names.includes(name) ? name : name.replace(/_(bucket|count|sum)$/, ""),
  );

describe("docs/operations.md", () => {
  it.each(ALARM_NAMES)("has a heading for the alarm %s, which the webhook links to", (name) => {
    expect(headings).toContain(name);
  });

  it("tells of no metric that is not there", () => {
    const told = [...runbook.matchAll(/`(invoice_relay_\w+)/g)].map(([, name]) => name ?? "");
    expect(told.flatMap(namedIn).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe("the rules for Prometheus", () => {
  it.each(ALERTS)("$alert asks for metrics that are there, and links to a heading", ({ alert, expr }) => {
    expect(namedIn(expr).filter((name) => !names.includes(name))).toEqual([]);
    expect(headings).toContain(alert);
  });
});

describe("the dashboard for Grafana", () => {
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  it.each(expressions)("%s asks for metrics that are there", (expression) => {
    expect(namedIn(expression).length).toBeGreaterThan(0);
    expect(namedIn(expression).filter((name) => !names.includes(name))).toEqual([]);
  });
});
