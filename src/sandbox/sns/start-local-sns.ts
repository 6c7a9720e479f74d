import { listen } from "../../kit/http-server.ts";
import type { Logger } from "../../kit/log.ts";
import { createRequestHandler } from "./answer-request.ts";
import { createControl } from "./control.ts";
import { createDelivery } from "./delivery.ts";
import { createEnvelopes, createSigner, type Signer } from "./envelope.ts";
import { createFaults } from "./faults.ts";
import { createJournal, showMessage } from "./journal.ts";
import { createOperations } from "./operations.ts";
import { Topics } from "./topics.ts";

export interface LocalSnsOptions {
  /** 0 takes a free port. */
  port: number;
  /** The interface to listen on; 127.0.0.1 when left out. */
  host?: string;
  log?: Logger;
  /** The region of its topics; us-east-1 when left out. */
  region?: string;
  /** Where subscribers reach it, for the links in what they get; its own `url` when left out. */
  publicUrl?: string;
  /** How many messages, and how many deliveries, are kept for looking at later; 100,000 when left out. */
  keep?: number;
  /** The pauses before each repeated delivery, in ms; by default five, over 18 s. */
  retryDelaysMs?: readonly number[];
  /** What signs the letters; a key of its own is made, in about 100 ms, when left out. */
  signer?: Signer;
  /** The time in ms since 1970; the machine's clock when left out. */
  now?: () => number;
}

const RETRY_DELAYS_MS = [100, 500, 2_000, 5_000, 10_000];
const KEEP = 100_000;

// Node's own 5 s would cut a connection just as a client that publishes now and then uses it again.
const KEEP_ALIVE_MS = 120_000;

/**
 * Starts an SNS endpoint for local use and tests: the Query protocol of the AWS SDK, standard and FIFO
 * topics, signed delivery to HTTP subscribers. Everything is in memory and bounded, and gone when it stops.
 * It differs from Amazon's in that a FIFO topic takes HTTP subscribers too (in no order), attributes are texts,
 * and it knows the operations that the relay and its consumers need.
 * @throws RelayError that names the port when it is taken.
 */
export async function startLocalSns(options: LocalSnsOptions) {
  const { log, host = "127.0.0.1", region = "us-east-1", now = Date.now } = options;
  const journal = createJournal(options.keep ?? KEEP);
  const faults = createFaults();
  const topics = new Topics({ region, now });
  const signer = options.signer ?? (await createSigner(region));
  const envelopes = createEnvelopes(signer, () => options.publicUrl ?? url);
  const retryDelaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS;
  const delivery = createDelivery({ topics, envelopes, journal, now, retryDelaysMs, log });
  const handler = createRequestHandler({
    operations: createOperations({ topics, journal, delivery, faults, now }),
    control: createControl({ journal, faults }),
    faults,
    signer,
    log,
  });
  const running = await listen(handler.handle, {
    port: options.port,
    host,
    name: "local SNS",
    server: { keepAliveTimeout: KEEP_ALIVE_MS },
  });
  const url = urlOf(host, running.port);
  return {
    /** What the AWS SDK takes as its `endpoint`, or as `AWS_ENDPOINT_URL_SNS`. */
    url,
    port: running.port,
    /** The certificate that its signatures are verified with; the same is served at SigningCertURL. */
    certificatePem: signer.certificatePem,
    /** The kept messages of a topic (of all when it is left out), oldest first. */
    messages: (topicArn?: string) =>
      journal.messages
        .list()
        .filter((accepted) => topicArn === undefined || accepted.topicArn === topicArn)
        .map(showMessage),
    /** The kept ends of deliveries, oldest first. */
    deliveries: () => journal.deliveries.list(),
    clear() {
      journal.messages.clear();
      journal.deliveries.clear();
    },
    /** Lets something go wrong. @throws ZodError for a fault of no known kind. */
    addFault: faults.add,
    clearFaults: faults.clear,
    /** Drops what waits for delivery, lets requests under way finish, and stops listening. */
    async close() {
      const closed = running.close();
      handler.close();
      await Promise.all([closed, delivery.close()]);
    },
  };
}

export type LocalSns = Awaited<ReturnType<typeof startLocalSns>>;

/** An address that callers on this machine can use, also when it listens on every interface. */
function urlOf(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
