import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Connection, connect } from "../../../src/database/connect.ts";
import type { Tables } from "../../../src/database/tables.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { answerParent } from "../harness/answer-parent.ts";
import { appendCallback } from "../harness/append-callback.ts";
import { createCallbackJob } from "../harness/callback-job.ts";
import { nowMs } from "../harness/clock.ts";
import { outletWithOurLevers } from "../harness/outlet-with-our-levers.ts";
import { callbackBody } from "../harness/sample-payment.ts";
import type { Sent } from "./load-generator.ts";

// The least that a callback takes: commit it, ask, commit the answer, publish, commit the outcome; one
// callback after the other, with no HTTP server, no queue and no claim between.
let recording: pg.Pool | undefined;
let storing: Connection<Tables> | undefined;
let job: (invoiceId: string) => Promise<void>;

const calls = {
  start: (options: { databaseUrl: string; providerUrl: string; snsUrl: string }) => {
    const { databaseUrl, providerUrl, snsUrl } = options;
    recording = new pg.Pool({ connectionString: databaseUrl, max: 1, options: "-c timezone=UTC" });
    recording.on("error", () => undefined);
    storing = connect(new Secret(databaseUrl), { max: 1, purpose: "hot" });
    const outlet = outletWithOurLevers({ db: storing.db, snsUrl, shared: false });
    job = createCallbackJob({ providerUrl, connections: 1, outlet });
  },
  /** For so many ms; `perSecond`: an even rate, null for one right after the other. */
  run: async ({ ms, perSecond }: { ms: number; perSecond: number | null }): Promise<Sent[]> => {
    const sent: Sent[] = [];
    const startedAt = nowMs();
    while (nowMs() < startedAt + ms) {
      const invoiceId = randomUUID();
      const body = Buffer.from(callbackBody(randomUUID(), invoiceId));
      const sentAt = nowMs();
      await recording?.query(
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
      if (perSecond !== null) await delay(startedAt + (sent.length * 1_000) / perSecond - nowMs());
    }
    return sent;
  },
  stop: async () => {
    await recording?.end();
    await storing?.close();
  },
};

export type BareSequenceCalls = typeof calls;
answerParent(calls);
