import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { httpApp } from "../../src/app/http-app.ts";
import { connect } from "../../src/database/connect.ts";
import { listen } from "../../src/kit/http-server.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import { Secret } from "../../src/kit/secret.ts";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../src/kit/settings.ts";
import { Paced } from "../../src/kit/waiting.ts";
import { CallbackIntake } from "../../src/receive/callback-intake.ts";
import { callbackRoutes } from "../../src/receive/callback-routes.ts";
import { CallbackLog } from "../../src/receive/log/callback-log.ts";
import { openSession } from "../support/database.ts";
import { type Harness, startHarness, TOKEN } from "../support/relay.ts";

/** The way in with a short queue before the commit. */
async function receiverWithQueueOf(maxWaiting: number, harness: Harness): Promise<string> {
  const { db, close } = connect(new Secret(harness.databaseUrl), { max: 1 });
  const metrics = createMetrics();
  const logger = createLogger({ level: "silent" });
  const log = new CallbackLog({
    db,
    onConfirmations: () => undefined,
    maxBatch: 1,
    maxInFlight: 1,
    maxWaiting,
  });
  const sources = sourcesOf(readSettings(harness.environment(), SERVE_REQUIRES));
  const intake = new CallbackIntake({ mayRecord: () => true, sources, log, logger });
  const paced = new Paced({ everyMs: 60_000, act: () => undefined });
  const routes = callbackRoutes({
    intake,
    metrics,
    tracer: null,
    ackStatus: 200,
    ackBody: "",
    redirectUrl: null,
    nothingNamed: paced,
  });
  const server = await listen(httpApp([routes], logger), { name: "receiver", port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await server.close(0);
    paced.stop();
    await close();
  });
  return server.url;
}

describe("when the queue before the commit is full", () => {
  it("more is refused with 503 and Retry-After: 1, nothing half-done, and what waited is recorded (G8)", async () => {
    const harness = await startHarness();
    const url = await receiverWithQueueOf(4, harness);
    const outside = await openSession(harness.databaseUrl);
    await outside.query("begin");
    await outside.query("lock table callback in exclusive mode");

    const answers: Response[] = [];
    const sent = Array.from({ length: 20 }, async () => {
      const body = JSON.stringify({ data: { id: randomUUID() } });
      answers.push(await fetch(`${url}/callbacks/${TOKEN}`, { method: "POST", body }));
    });
    await vi.waitFor(() => expect(answers.length).toBeGreaterThanOrEqual(15));
    for (const answer of answers)
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    await outside.query("rollback");
    await Promise.all(sent);

    const taken = answers.filter((answer) => answer.status === 200).length;
    expect(taken).toBeGreaterThanOrEqual(4);
    expect(await harness.query("select from callback")).toHaveLength(taken);
    expect(await harness.query("select from confirmation")).toHaveLength(taken);
  });
});
