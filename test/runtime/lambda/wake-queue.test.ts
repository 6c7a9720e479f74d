import { expect, it, vi } from "vitest";
import { createLogger } from "../../../src/platform/log/log.ts";
import { wakeQueue } from "../../../src/runtime/lambda/container.ts";
import { startServer } from "../../support/own-server.ts";
import { onTestFinished } from "../../support/own-test.ts";

it("a wake-up that SQS lets hang is the last one for a while: no callback waits for the next", async () => {
  let requests = 0;
  let hangs = true;
  const sqs = await startServer((_, response) => {
    requests += 1;
    if (!hangs) response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end("{}");
  });
  onTestFinished(sqs.close);
  const aws = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  for (const [name, value] of Object.entries({ ...aws, AWS_ENDPOINT_URL_SQS: sqs.url }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const restMs = 1_000;
  const queue = wakeQueue(`${sqs.url}/000000000000/queue`, createLogger({ level: "silent" }), restMs);
  for (let callback = 0; callback < 20; callback += 1) {
    queue.wake();
    await queue.flush();
  }
  expect(requests).toBe(1);

  hangs = false;
  await vi.waitFor(async () => {
    queue.wake();
    await queue.flush();
    expect(requests).toBe(2);
  });
});
