import { expect, it } from "vitest";
import { startTraceReceiver } from "../../support/trace-receiver.ts";
import { useBundles } from "./bundles.ts";
import { lambdaStack } from "./lambda-stack.ts";
import { callbackEvent, queueEvent } from "./payloads.ts";

const bundles = useBundles();

it("a callback becomes an event, each function waking the next, and is one trace whose spans are sent as each ends", async () => {
  const stack = await lambdaStack(bundles);
  const collector = await startTraceReceiver();
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const names = () => collector.spans.map(({ name }) => name).sort();
  const id = stack.provider.paid();

  await stack.container("receive", traced).invoke(callbackEvent(id));
  expect(names()).toEqual(["POST /callbacks/{token}", "record callback"]);
  expect(stack.confirmQueue.bodies()).toHaveLength(1);
  await stack.container("confirm", traced).invoke(queueEvent(stack.confirmQueue.bodies()));
  expect(names()).toContain("confirm invoice");
  expect(stack.publishQueue.bodies()).toHaveLength(1);
  await stack.container("publish", traced).invoke(queueEvent(stack.publishQueue.bodies()));

  const [message, ...others] = stack.sns.messages(stack.topicArn);
  expect([JSON.parse(message?.message ?? "").subject, others]).toEqual([id, []]);
  const published = collector.spans.find(({ name }) => name === "publish invoice-events");
  expect(message?.messageAttributes.traceparent).toMatchObject({
    Value: `00-${published?.traceId}-${published?.spanId}-01`,
  });
  const inOneTrace = collector.spans.filter(({ traceId }) => traceId === published?.traceId);
  expect(inOneTrace.map(({ name }) => name).sort()).toEqual([
    "GET /api/v1/invoices/{id}",
    "POST /callbacks/{token}",
    "confirm invoice",
    "publish invoice-events",
    "record callback",
    "store answer",
  ]);
});

it("a collector that hangs takes nothing from a callback's answer on Lambda", async () => {
  const stack = await lambdaStack(bundles);
  const collector = await startTraceReceiver();
  collector.behaviour = "hangs";
  const receive = stack.container("receive", { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  for (let count = 0; count < 3; count += 1)
    expect(await receive.invoke(callbackEvent())).toMatchObject({ statusCode: 200 });
  expect(await stack.query("select id from callback")).toHaveLength(3);
});
