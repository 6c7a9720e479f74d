import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../../platform/errors/index.ts";
import { listen } from "../../platform/http/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { jsonIn } from "../../platform/values/index.ts";
import { createDelivery, createEnvelopes, createSigner, type Signer } from "./delivery.ts";
import { createFaults, type Fault, type Faults, refusalOfCall } from "./faults.ts";
import { createJournal, type Journal, showMessage } from "./message.ts";
import { createOperations } from "./operations.ts";
import { errorAnswer, type Operation, readForm, SnsError, successAnswer } from "./protocol.ts";
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
  /** How many messages, and how many deliveries, are kept for inspection; 100,000 when left out. */
  keep?: number;
  /** The pauses before each repeated delivery, in ms; by default five, over 18 s. */
  retryDelaysMs?: readonly number[];
  /** Signs the envelopes; a key of its own is made, in about 100 ms, when left out. */
  signer?: Signer;
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
  const { log, host = "127.0.0.1", region = "us-east-1" } = options;
  const journal = createJournal(options.keep ?? KEEP);
  const faults = createFaults();
  const topics = new Topics(region);
  const signer = options.signer ?? (await createSigner(region));
  const envelopes = createEnvelopes(signer, () => options.publicUrl ?? url);
  const retryDelaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS;
  const delivery = createDelivery({ envelopes, journal, retryDelaysMs, log });
  const handler = createRequestHandler({
    operations: createOperations({ topics, journal, delivery, faults }),
    journal,
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
  const { url } = running;
  return {
    /** The `endpoint` for the AWS SDK, or its `AWS_ENDPOINT_URL_SNS`. */
    url,
    port: running.port,
    /** The certificate that its signatures are verified with; the same is served at SigningCertURL. */
    certificatePem: signer.certificatePem,
    /** The kept messages of a topic (of all when it is left out), oldest first. */
    messages: (topicArn?: string) => messagesOf(journal, topicArn),
    /** The kept ends of deliveries, oldest first. */
    deliveries: () => journal.deliveries.list(),
    clear() {
      journal.messages.clear();
      journal.deliveries.clear();
    },
    /** Lets something go wrong. */
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

/** Answers every request: the control side below `/_control`, the signing certificate, and the Query protocol of SNS. */
function createRequestHandler(parts: {
  operations: Readonly<Record<string, Operation>>;
  faults: Faults;
  journal: Journal;
  signer: Signer;
  log: Logger | undefined;
}) {
  const { operations, faults, journal, signer, log } = parts;
  const unanswered = new Set<ServerResponse>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && url?.pathname === MESSAGES_PATH) {
      const messages = messagesOf(journal, url.searchParams.get("topic") ?? undefined);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ messages }));
    } else if (url?.pathname === FAULTS_PATH) {
      if (request.method === "DELETE") faults.clear();
      else faults.add(jsonIn(await text(request)) as Fault);
      response.writeHead(204).end();
    } else if (request.method === "GET" && url?.pathname === signer.certificatePath) {
      response.writeHead(200, { "content-type": "application/x-pem-file" }).end(signer.certificatePem);
    } else {
      const requestId = randomUUID();
      try {
        await answerProtocol(request, response, url?.search.slice(1) ?? "", requestId);
      } catch (error) {
        const refusal = error instanceof SnsError ? error : new SnsError("InternalError", messageOf(error));
        if (refusal !== error) log?.error({ error: messageOf(error) }, "Local SNS failed");
        sendXml(response, refusal.status, errorAnswer(refusal, requestId), requestId);
      }
    }
  }

  /** @throws SnsError for a request that is refused. */
  async function answerProtocol(
    request: IncomingMessage,
    response: ServerResponse,
    query: string,
    requestId: string,
  ): Promise<void> {
    const body = await text(request);
    const fields = readForm(query === "" ? body : `${query}&${body}`);
    const name = typeof fields.Action === "string" ? fields.Action : "";
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    if (operation === undefined)
      throw new SnsError("InvalidAction", `The action ${name} is not valid for this endpoint.`);

    const fault = faults.takeForCall(name, fields.TopicArn);
    if (fault?.kind === "hang") {
      unanswered.add(response.once("close", () => unanswered.delete(response)));
      return;
    }
    if (fault?.kind === "empty-answer") return sendXml(response, 200, "", requestId);
    if (fault?.kind === "slow") await pause(fault.delayMs ?? 0, undefined, { ref: false });
    const refusal = fault && refusalOfCall(fault.kind);
    if (refusal !== undefined) throw refusal;
    const xml = successAnswer(name, operation.answer(fields), requestId);
    if (fault?.kind === "drop") request.socket.destroy();
    else sendXml(response, 200, xml, requestId);
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse): void {
      answer(request, response).catch((error: unknown) => {
        // Only a connection that broke while it was read or written comes here.
        log?.debug({ error: messageOf(error) }, "Local SNS lost a connection");
        response.destroy();
      });
    },
    /** Cuts the connections that an injected fault left without an answer. */
    close(): void {
      for (const response of unanswered) response.destroy();
    },
  };
}

function sendXml(response: ServerResponse, status: number, xml: string, requestId: string): void {
  response
    .writeHead(status, {
      "content-type": "text/xml",
      "content-length": Buffer.byteLength(xml),
      "x-amzn-requestid": requestId,
    })
    .end(xml);
}

/** No path of the SNS protocol is like these. `?topic=<arn>` selects the messages of one topic. */
const MESSAGES_PATH = "/_control/messages";
const FAULTS_PATH = "/_control/faults";

const messagesOf = (journal: Journal, topicArn?: string) =>
  journal.messages
    .list()
    .filter((accepted) => topicArn === undefined || accepted.topicArn === topicArn)
    .map(showMessage);
