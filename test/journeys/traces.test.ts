import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventually, toEqual, toHaveLength } from "../support/eventually.ts";
import { type Harness, ownRelay, startHarness, startRelay } from "../support/relay.ts";
import { type SeenSpan, startTraceReceiver, type TraceReceiver } from "../support/trace-receiver.ts";

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;

const tracedBy = (harness: Harness, collector: TraceReceiver, changes = {}) =>
  harness.environment({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...changes });

/** A collector, and a relay that sends to it. */
async function traced(changes = {}, roles?: Parameters<typeof startRelay>[1]) {
  const [harness, collector] = [await startHarness(), await startTraceReceiver()];
  return { harness, collector, relay: await startRelay(tracedBy(harness, collector, changes), roles) };
}

const named = (collector: TraceReceiver, name: string | RegExp): SeenSpan[] =>
  collector.spans.filter((span) => (typeof name === "string" ? span.name === name : name.test(span.name)));

const publishedOn = (harness: Harness, messages: number) =>
  eventually(() => harness.sns.messages(harness.topicArn), toHaveLength(messages));

const spansNamed = (collector: TraceReceiver, name: string, count: number) =>
  eventually(() => named(collector, name), toHaveLength(count));

const parentOf = (collector: TraceReceiver, span: SeenSpan | undefined) =>
  collector.spans.find(({ spanId }) => spanId === span?.parentSpanId)?.name;

describe.concurrent("while OTEL_EXPORTER_OTLP_ENDPOINT is set", () => {
  it("a payment is one trace, from its callback in one process to its SNS entry out of another", async () => {
    const roles = { http: true, workers: false };
    const { harness, collector, relay: receiver } = await traced({ OTEL_SERVICE_NAME: "receiver" }, roles);
    const invoice = harness.provider.paid();
    const workers = { OTEL_SERVICE_NAME: "workers" };
    await startRelay(tracedBy(harness, collector, workers), { http: false, workers: true });

    await receiver.callback({ data: { id: invoice } });

    const [message] = await publishedOn(harness, 1);
    const [published] = await spansNamed(collector, "publish invoice-events", 1);
    await spansNamed(collector, "confirm invoice", 1);
    const [received] = await spansNamed(collector, "POST /callbacks/{token}", 1);
    const trace = collector.spans.filter(({ traceId }) => traceId === received?.traceId);
    expect(trace.map(({ name, service, kind }) => `${service} ${kind} ${name}`).sort()).toEqual([
      "receiver 2 POST /callbacks/{token}",
      "workers 1 confirm invoice",
      "workers 4 publish invoice-events",
    ]);
    expect(trace.every(({ lasted, isError }) => lasted && !isError)).toBe(true);
    const parents = Object.fromEntries(trace.map((span) => [span.name, parentOf(collector, span)]));
    expect(parents).toEqual({
      "POST /callbacks/{token}": undefined,
      "confirm invoice": "POST /callbacks/{token}",
      "publish invoice-events": "confirm invoice",
    });

    expect(published?.attributes).toMatchObject({
      "messaging.system": "aws.sns",
      "messaging.message.id": message?.messageId,
      "invoice_relay.invoice.id": invoice,
      "invoice_relay.outcome": "accepted",
    });
    // The event holds the context that it came to be in, its message that of its sending.
    const [confirmed] = named(collector, "confirm invoice");
    const { traceparent } = JSON.parse(message?.message ?? "");
    expect(traceparent).toBe(`00-${confirmed?.traceId}-${confirmed?.spanId}-01`);
    expect(message?.messageAttributes.traceparent).toMatchObject({
      Value: `00-${published?.traceId}-${published?.spanId}-01`,
    });
    expect(Object.keys(message?.messageAttributes ?? {}).length).toBeLessThanOrEqual(10);
  });

  it("a stranger's traceparent is a link and no parent, whatever it says of sampling", async () => {
    const { harness, collector, relay } = await traced();
    const [theirTrace, theirSpan] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
    for (const flags of ["00", "01"])
      await relay.callback(
        { data: { id: harness.provider.paid() } },
        { headers: { traceparent: `00-${theirTrace}-${theirSpan}-${flags}`, tracestate: "theirs=1" } },
      );
    for (const forged of ["00-0-0-01", "01-x", `00-${"0".repeat(32)}-${theirSpan}-01`, "'; drop table event"])
      await relay.callback({ data: { id: harness.provider.paid() } }, { headers: { traceparent: forged } });

    const messages = await publishedOn(harness, 6);
    const received = await spansNamed(collector, "POST /callbacks/{token}", 6);
    expect(received.map(({ links }) => links)).toEqual([
      [`${theirTrace}-${theirSpan}`],
      [`${theirTrace}-${theirSpan}`],
      ...[[], [], [], []],
    ]);
    expect(new Set(received.map(({ traceId }) => traceId)).size).toBe(6);
    expect(collector.spans.some(({ traceId }) => traceId === theirTrace)).toBe(false);
    for (const { message, messageAttributes } of messages)
      expect([JSON.parse(message).traceparent, messageAttributes.traceparent?.Value]).toEqual([
        expect.stringMatching(TRACEPARENT),
        expect.stringMatching(TRACEPARENT),
      ]);
    expect(JSON.stringify(messages)).not.toContain(theirTrace);
  });

  it("whoever holds no token leaves no span, and spans hold no token, no reference and nothing personal", async () => {
    const { harness, collector, relay } = await traced();
    await relay.callback("{}", { path: `/callbacks/wrong-${randomUUID()}` });
    const { callback } = relay;
    const token = new URL(`${harness.environment().PUBLIC_URL}/${harness.environment().CALLBACK_TOKENS}`);
    await callback(
      { data: { id: harness.provider.paid(), payerEmail: "ada@example.com" } },
      { path: `/callbacks${token.pathname}/order-planted?name=Ada` },
    );
    await publishedOn(harness, 1);
    await spansNamed(collector, "publish invoice-events", 1);
    await spansNamed(collector, "confirm invoice", 1);

    expect(named(collector, /callbacks\//)).toHaveLength(1);
    const told = JSON.stringify(collector.spans);
    for (const planted of ["wrong-", "test-token", "test-api-key", "planted", "Ada", "ada@", "School fees"])
      expect(told).not.toContain(planted);
  });
});

describe("while no endpoint is set", () => {
  it("there is no traceparent anywhere, whatever callers send", async () => {
    const { harness, relay } = await ownRelay();
    const headers = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
    await relay.callback({ data: { id: harness.provider.paid() } }, { headers });
    const [message] = await publishedOn(harness, 1);
    expect(JSON.parse(message?.message ?? "")).not.toHaveProperty("traceparent");
    expect(message?.messageAttributes).not.toHaveProperty("traceparent");
    expect(await harness.query("select traceparents from confirmation")).toEqual([{ traceparents: null }]);
    await eventually(() => harness.query("select 1 from outbox"), toEqual([]));
  });
});
