import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { answerParent, nowMs } from "../harness/child.ts";
import { type Addresses, appendCallback, callbackBody } from "../harness/payment.ts";
import { startQueueJob } from "../jobs/queue-job.ts";
import type { Sent } from "./load-generator.ts";

// The least that a callback takes: commit it, ask, commit the answer, publish, commit the outcome; one
// callback after the other, with no HTTP server, no queue and no claim between.
let recording: pg.Pool | undefined;
let job: ReturnType<typeof startQueueJob> | undefined;

const calls = {
  start: (addresses: Addresses) => {
    const connectionString = addresses.databaseUrl;
    recording = new pg.Pool({ connectionString, max: 1, options: "-c timezone=UTC" });
    recording.on("error", () => undefined);
    job = startQueueJob({ ...addresses, levers: true, connections: 1, alone: true });
  },
  /** For so many ms; `perSecond`: an even rate, null for one right after the other. */
  run: async ({ ms, perSecond }: { ms: number; perSecond: number | null }): Promise<Sent[]> => {
    const sent: Sent[] = [];
    const startedAt = nowMs();
    while (nowMs() < startedAt + ms) {
      const invoiceId = randomUUID();
      const body = Buffer.from(callbackBody(randomUUID(), invoiceId));
      const sentAt = nowMs();
      await recording?.query(appendCallback(invoiceId, ["Content-Type", "application/json"], body));
      sent.push({ invoiceId, sentAt, answeredAt: nowMs() });
      await job?.run(invoiceId);
      if (perSecond !== null) await delay(startedAt + (sent.length * 1_000) / perSecond - nowMs());
    }
    return sent;
  },
  stop: async () => {
    await recording?.end();
    await job?.close();
  },
};

export type BareSequenceCalls = typeof calls;
answerParent(calls);
