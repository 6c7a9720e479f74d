import { type RunningRelay, serve } from "../../../src/app/serve.ts";
import { createLogger } from "../../../src/kit/log.ts";
import { readSettings, SERVE_REQUIRES } from "../../../src/kit/settings.ts";
import { answerParent } from "../harness/answer-parent.ts";
import { profiler } from "../harness/profiler.ts";
import { TOKEN, TOPIC_ARN } from "../harness/sample-payment.ts";

export interface RelayOptions {
  databaseUrl: string;
  providerUrl: string;
  snsUrl: string;
  http: boolean;
  workers: boolean;
}

let relay: RunningRelay | undefined;

const calls = {
  /** The real relay, with its default settings but for the budgets of one address. */
  start: async ({ databaseUrl, providerUrl, snsUrl, http, workers }: RelayOptions) => {
    const environment = {
      PORT: "0",
      PUBLIC_URL: "https://relay.example.com",
      DATABASE_URL: databaseUrl,
      COLLECTION_API_URL: providerUrl,
      COLLECTION_API_KEY: "bench-api-key",
      COLLECTION_IDS: "none",
      CALLBACK_TOKENS: TOKEN,
      SNS_TOPIC_ARN: TOPIC_ARN,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL_SNS: snsUrl,
    };
    relay = await serve({
      settings: readSettings(environment, SERVE_REQUIRES),
      log: createLogger({ level: "warn" }),
      host: "127.0.0.1",
      http,
      workers,
    });
    return { port: relay.port ?? 0 };
  },
  /** Bytes of the heap that are in use once everything that can go has gone; needs `--expose-gc`. */
  heap: () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  },
  ...profiler,
  stop: () => relay?.stop(),
};

export type RelayCalls = typeof calls;
answerParent(calls);
