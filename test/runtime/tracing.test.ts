import { describe, expect, it } from "vitest";
import { readSettings, SettingsError } from "../../src/platform/config/settings.ts";
import { createLogger } from "../../src/platform/log/log.ts";
import { startTracing } from "../../src/runtime/tracing.ts";
import { eventually, toBe, toHaveLength } from "../support/eventually.ts";
import { startHarness } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";
import { startTraceReceiver } from "../support/trace-receiver.ts";

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
};

describe("a wrong setting for traces is said at the start", () => {
  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://collector:4317"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://me:hunter2@collector"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "no pairs, hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "key=hunter2%"],
  ])("%s=%s", (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name} (?!.*hunter2)`)),
    ]);
  });
});

describe("a collector", () => {
  const traced = async (environment: Record<string, string>) => {
    const tracing = await startTracing(readSettings(environment), createLogger({ level: "silent" }), "1.0.0");
    if (tracing === null) throw new Error("tracing is off");
    return tracing;
  };

  it("is sent to below its address, with its headers", async () => {
    const collector = await startTraceReceiver();
    const tracing = await traced({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp/`,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=one, x-team=pay%20ments",
    });
    tracing.tracer.start("anything", { kind: "internal" }).end();
    await tracing.close();
    expect(collector.requests).toMatchObject([
      {
        path: "/otlp/v1/traces",
        headers: { "api-key": "one", "x-team": "pay ments", "content-type": "application/x-protobuf" },
      },
    ]);
    expect(collector.spans).toMatchObject([{ name: "anything", service: "invoice-relay" }]);
  });

  it("that hangs keeps neither a payment nor a process from its end", async () => {
    const harness = await startHarness();
    const collector = await startTraceReceiver();
    collector.behaviour = "hangs";
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const relay = await startRelayProcess(harness.environment(settings));
    const id = harness.provider.paid();
    await fetch(`${relay.url}/callbacks/${harness.environment().CALLBACK_TOKENS}`, {
      method: "POST",
      body: JSON.stringify({ data: { id } }),
    });
    await eventually(() => harness.sns.messages(harness.topicArn), toHaveLength(1));
    await eventually(() => collector.requests.length > 0, toBe(true));
    expect(await relay.end("SIGTERM")).toBe(0);
  });
});

it("off, nothing of OpenTelemetry is loaded", async () => {
  expect(await startTracing(readSettings({}), createLogger({ level: "silent" }), "1.0.0")).toBeNull();
});
