import { randomUUID } from "node:crypto";
import pg from "pg";
import { answerParent } from "../harness/answer-parent.ts";
import { appendCallback } from "../harness/append-callback.ts";
import { createCallbackJob } from "../harness/callback-job.ts";
import { nowMs } from "../harness/clock.ts";
import { callbackBody } from "../harness/sample-payment.ts";
import type { Sent } from "./load-generator.ts";

// The least that a callback takes: commit it, ask, commit the answer, publish, commit the outcome; one callback after
// the other, with no HTTP server, no queue and no claim between.
let pool: pg.Pool | undefined;
let job: (invoiceId: string) => Promise<void>;

const calls = {
  start: ({
    databaseUrl,
    providerUrl,
    snsUrl,
  }: {
    databaseUrl: string;
    providerUrl: string;
    snsUrl: string;
  }) => {
    pool = new pg.Pool({ connectionString: databaseUrl, max: 1, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    job = createCallbackJob({ pool, providerUrl, snsUrl, connections: 1, lingerMs: 0 });
  },
  run: async (ms: number): Promise<Sent[]> => {
    const sent: Sent[] = [];
    for (const until = nowMs() + ms; nowMs() < until; ) {
      const invoiceId = randomUUID();
      const body = Buffer.from(callbackBody(randomUUID(), invoiceId));
      const sentAt = nowMs();
      await pool?.query(
        appendCallback({
          invoiceId,
          method: "POST",
          reference: "order-10023",
          remoteAddress: "127.0.0.1",
          headers: ["Content-Type", "application/json"],
          body,
        }),
      );
      sent.push({ invoiceId, sentAt, answeredAt: nowMs() });
      await job(invoiceId);
    }
    return sent;
  },
  stop: () => pool?.end(),
};

export type BareSequenceCalls = typeof calls;
answerParent(calls);
