import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, it, onTestFinished, vi } from "vitest";
import { httpApp } from "../../src/app/http-app.ts";
import { listen } from "../../src/kit/http-server.ts";
import { createLogger } from "../../src/kit/log.ts";
import { createMetrics } from "../../src/kit/metrics.ts";
import { Secret } from "../../src/kit/secret.ts";
import type { Source } from "../../src/kit/sources-file.ts";
import { Paced } from "../../src/kit/waiting.ts";
import { CallbackIntake } from "../../src/receive/callback-intake.ts";
import { callbackRoutes } from "../../src/receive/callback-routes.ts";
import { CallbackLog } from "../../src/receive/log/callback-log.ts";
import { openDatabase, openSession, ownDatabase } from "../support/database.ts";
import { TOKEN } from "../support/relay.ts";

it("while the queue before the commit is full, more gets 503 and Retry-After: 1, nothing half-done (G8)", async () => {
  const { url, db } = await ownDatabase();
  const limits = { maxBatch: 1, maxInFlight: 1, maxWaiting: 4 };
  const log = new CallbackLog({
    db: openDatabase(url, { max: 1 }),
    onConfirmations: () => undefined,
    ...limits,
  });
  const callbackChecks = { hmac: null, headerToken: null, standardWebhooks: null, allowedAddresses: [] };
  const sources = [
    { name: "default", callbackTokens: [new Secret(TOKEN)], callbackChecks } as unknown as Source,
  ];
  const logger = createLogger({ level: "silent" });
  const intake = new CallbackIntake({ mayRecord: () => true, sources, log, logger });
  const nothingNamed = new Paced({ everyMs: 60_000, act: () => undefined });
  const answering = { ackStatus: 200, ackBody: "", redirectUrl: null };
  const routes = callbackRoutes({
    intake,
    metrics: createMetrics(),
    tracer: null,
    nothingNamed,
    ...answering,
  });
  const server = await listen(httpApp([routes], logger), { name: "receiver", port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await server.close(0);
    nothingNamed.stop();
  });
  const outside = await openSession(url);
  await outside.query("begin");
  await outside.query("lock table callback in exclusive mode");

  const answers: Response[] = [];
  const sent = Array.from({ length: 20 }, async () => {
    const body = JSON.stringify({ data: { id: randomUUID() } });
    answers.push(await fetch(`${server.url}/callbacks/${TOKEN}`, { method: "POST", body }));
  });
  await vi.waitFor(() => expect(answers.length).toBeGreaterThanOrEqual(15));
  for (const answer of answers)
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  await outside.query("rollback");
  await Promise.all(sent);

  const taken = answers.filter((answer) => answer.status === 200).length;
  expect(taken).toBeGreaterThanOrEqual(4);
  const { rows } = await sql`select (select count(*)::int from callback) as callbacks,
    (select count(*)::int from confirmation) as confirmations`.execute(db);
  expect(rows).toEqual([{ callbacks: taken, confirmations: taken }]);
});
