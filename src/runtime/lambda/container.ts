import { randomBytes } from "node:crypto";
import { readSettings, SERVE_REQUIRES, SettingsError } from "../../platform/config/index.ts";
import { connect, type Purpose } from "../../platform/database/index.ts";
import { faultOf, messageOf, RelayError } from "../../platform/errors/index.ts";
import { isLoopbackHost } from "../../platform/http/index.ts";
import { createLogger, type Logger } from "../../platform/log/index.ts";
import type { Secret } from "../../platform/values/index.ts";
import { composeRelay } from "../compose.ts";
import { startTracing } from "../tracing.ts";

type Environment = Record<string, string | undefined>;

/** Settings that `serve` needs, but a single function may lack. */
const KEPT_AWAY = ["COLLECTION_API_KEY", "CALLBACK_TOKENS"] as const;

/**
 * The settings of one function: its environment, and the secrets that its role may read from SSM.
 * SECRET_SETTINGS names them, and the encrypted values are at SETTINGS_PATH/<name>. Without SETTINGS_PATH only the
 * environment counts. Secrets that this function must not have are replaced by random values.
 * @throws RelayError that names the missing parameters
 */
export async function readEnvironment(environment: Environment): Promise<Environment> {
  const { SETTINGS_PATH, SECRET_SETTINGS = "" } = environment;
  if (SETTINGS_PATH === undefined || SETTINGS_PATH === "") return environment;
  const secrets = SECRET_SETTINGS.split(",").filter((secret) => secret !== "");
  const strange = Object.fromEntries(KEPT_AWAY.map((name) => [name, randomBytes(24).toString("base64url")]));
  const values = await readParameters(secrets.map((name) => `${SETTINGS_PATH}/${name}`));
  const read = Object.fromEntries(secrets.map((name) => [name, values.get(`${SETTINGS_PATH}/${name}`)]));
  return { ...strange, ...environment, ...read };
}

async function readParameters(names: readonly string[]): Promise<Map<string, string>> {
  const { GetParametersCommand, SSMClient } = await import("@aws-sdk/client-ssm");
  const client = new SSMClient({});
  try {
    const { Parameters = [], InvalidParameters = [] } = await client.send(
      new GetParametersCommand({ Names: [...names], WithDecryption: true }),
    );
    if (InvalidParameters.length > 0)
      throw new RelayError(
        `SSM has no parameter ${InvalidParameters.join(", ")}. Create it with: aws ssm put-parameter ` +
          "--type SecureString --name …",
      );
    return new Map(Parameters.map(({ Name = "", Value = "" }) => [Name, Value]));
  } finally {
    client.destroy();
  }
}

/** Over TLS with the certificate verified, if remote. @throws SettingsError: what to add to DATABASE_URL */
export function requireVerifiedTls(databaseUrl: Secret): void {
  const url = new URL(databaseUrl.reveal());
  if (isLoopbackHost(url.hostname) || url.searchParams.get("sslmode") === "verify-full") return;
  throw new SettingsError([
    "DATABASE_URL should end in ?sslmode=verify-full, so that the server's certificate is verified",
  ]);
}

/** The part of Lambda's context that this needs. */
export interface Invocation {
  awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** A container that was frozen for longer than this, in ms, checks its connections: one round trip. */
const SLEPT_MS = 1_000;

/** A connection that does not answer within this time, in ms, is replaced. */
const SIGN_OF_LIFE_MS = 1_500;

/** A small pool: a container serves one invocation, of a thousand perhaps. @throws SettingsError, RelayError */
export async function openContainer(connections: number, purpose: Purpose) {
  const environment = await readEnvironment(process.env);
  const settings = readSettings(environment, SERVE_REQUIRES);
  requireVerifiedTls(settings.DATABASE_URL);
  const { AWS_LAMBDA_FUNCTION_NAME: name = "lambda", INVOICE_RELAY_VERSION: version = "unknown" } =
    environment;
  const log = createLogger({ level: settings.LOG_LEVEL });
  const { db, endSilentSessions } = connect(settings.DATABASE_URL, {
    max: connections,
    purpose,
    applicationName: `invoice-relay ${name}`,
    unprepared: environment.DATABASE_PROXY === "true",
    onIdleError: (error) =>
      log.info({ error: messageOf(error) }, "a connection ended while the container was frozen"),
  });
  const tracing = await startTracing(settings, log, version);
  const queues = {
    confirm: wakeQueue(environment.CONFIRM_QUEUE_URL, log),
    publish: wakeQueue(environment.PUBLISH_QUEUE_URL, log),
    // It runs every minute, by its schedule.
    reconcile: null,
  };
  const parts = composeRelay({
    settings,
    log,
    tracing,
    pools: { record: db, hot: db, work: db },
    wake: (work) => queues[work]?.wake(),
    wakes: null,
  });
  let usedAt = Date.now();
  return {
    parts,
    /** The function's name in AWS, and the program's version. */
    lambda: { name, version },
    /** Replaces connections that broke while the container was frozen. Await it before each invocation's work. */
    async awaken() {
      // By the time of day, which goes on while a container is frozen; set back, it checks as well.
      const slept = Math.abs(Date.now() - usedAt) > SLEPT_MS;
      usedAt = Date.now();
      if (slept) await endSilentSessions(SIGN_OF_LIFE_MS);
    },
    /** Sends wake-ups and spans. Await it at an invocation's end: the container may be frozen after it. */
    flush: () => Promise.all([queues.confirm.flush(), queues.publish.flush(), tracing?.flush()]),
  };
}

/** The parts that every function keeps for the lifetime of its container. */
export type Container = Awaited<ReturnType<typeof openContainer>>;

/** Made on the first call and kept for the container's life; if that fails, the next call tries again. */
export function perContainer<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** A handler that logs what failed; Lambda's own line about it holds nothing more than that. */
export const logFaults =
  <Event, Answer>(work: (event: Event, invocation: Invocation) => Promise<Answer>) =>
  async (event: Event, invocation: Invocation): Promise<Answer> => {
    try {
      return await work(event, invocation);
    } catch (error) {
      const about = { requestId: invocation.awsRequestId, ...faultOf(error) };
      createLogger({ level: "error" }).error(about, "an invocation failed");
      throw Object.assign(new Error(messageOf(error)), {
        name: error instanceof Error ? error.name : "Error",
      });
    }
  };

/** The timeout for SQS, in ms: a wake-up must not delay the response. */
const SEND_TIMEOUT_MS = 1_000;

/** Wake-ups are left out for so long after one that SQS did not take: else each callback would wait for the next. */
const REST_MS = 10_000;

/**
 * Wakes a function through an SQS queue; without one its schedule does. Requests during a send share a message;
 * the schedule catches a lost one.
 */
export function wakeQueue(queueUrl: string | undefined, log: Logger, restMs = REST_MS) {
  if (queueUrl === undefined) return { wake: () => undefined, flush: async () => undefined };
  let send: Promise<() => Promise<unknown>> | null = null;
  let isAsked = false;
  let sending: Promise<void> | null = null;
  /** By `Date.now()`, which goes on while a container is frozen. */
  let restsUntil = 0;
  const sendAll = async () => {
    try {
      while (isAsked) {
        isAsked = false;
        send ??= createSend(queueUrl);
        await (await send)();
      }
    } catch (error) {
      send = null;
      restsUntil = Date.now() + restMs;
      log.warn(faultOf(error), "a wake-up could not be sent; the schedule will pick up the work");
    } finally {
      sending = null;
    }
  };
  return {
    wake() {
      if (Date.now() < restsUntil) return;
      isAsked = true;
      sending ??= sendAll();
    },
    /** Resolves once all requested wake-ups are sent or have failed. Await it before the container may be frozen. */
    flush: async () => await sending,
  };
}

// Loaded on first use: it would double the time until the first callback is recorded.
async function createSend(queueUrl: string): Promise<() => Promise<unknown>> {
  const { SendMessageCommand, SQSClient } = await import("@aws-sdk/client-sqs");
  const client = new SQSClient({ maxAttempts: 2 });
  return () =>
    client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: "wake up" }), {
      abortSignal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
}
