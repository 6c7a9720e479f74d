import { startLocalSqs } from "../../support/local-sqs.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { startHarness } from "../../support/relay.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { startContainer } from "./container.ts";

/** Database, provider, topics, and a queue for each function that is woken. */
export async function lambdaStack(bundles: { of(handler: string): string }) {
  const harness = await startHarness();
  const [confirmQueue, publishQueue] = [await startLocalSqs(), await startLocalSqs()];
  return {
    ...harness,
    confirmQueue,
    publishQueue,
    /** A container of one function. */
    container: (handler: string, changes: Record<string, string | undefined> = {}) =>
      startContainer(
        bundles.of(handler),
        harness.environment({
          CONFIRM_QUEUE_URL: confirmQueue.queueUrl,
          PUBLISH_QUEUE_URL: publishQueue.queueUrl,
          // The SDK takes one endpoint for a service; no test has a function wake two others.
          AWS_ENDPOINT_URL_SQS: ["confirm", "replay"].includes(handler) ? publishQueue.url : confirmQueue.url,
          ...changes,
        }),
      ),
  };
}

/** A way to a stack's database that a test can break. */
export async function proxyTo(stack: { databaseUrl: string }) {
  const proxy = await TcpProxy.start(Number(new URL(stack.databaseUrl).port));
  onTestFinished(() => proxy.close());
  return { proxy, DATABASE_URL: proxy.through(stack.databaseUrl) };
}
