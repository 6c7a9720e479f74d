import { connect, type Purpose } from "../../database/connect.ts";
import { messageOf } from "../../kit/errors.ts";
import { faultOf } from "../../kit/fault.ts";
import { createLogger } from "../../kit/log.ts";
import { readSettings, SERVE_REQUIRES } from "../../kit/settings.ts";
import { composeRelay, type RelayParts } from "../compose.ts";
import { startTracing } from "../tracing.ts";
import { readEnvironment, requireVerifiedTls } from "./read-environment.ts";
import { WakeQueue } from "./wake-queue.ts";

/** What every function keeps for the lifetime of its container. */
export interface Container {
  parts: RelayParts;
  /** The function's name in AWS, and the program's version. */
  lambda: { name: string; version: string };
  /**
   * Replaces connections that broke while the container was frozen. Await it before each invocation's work.
   */
  awaken(): Promise<void>;
  /** Sends wake-ups and spans. Await it at an invocation's end: the container may be frozen after it. */
  flush(): Promise<unknown>;
}

/** The part of Lambda's context that this needs. */
export interface Invocation {
  awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/**
 * A container that was frozen for longer than this, in ms, checks its connections: one round trip.
 */
const SLEPT_MS = 1_000;

/** A connection that does not answer within this time, in ms, is replaced. */
const SIGN_OF_LIFE_MS = 1_500;

/**
 * Opens what a function needs, with a small pool of `connections`: a container serves one invocation at a
 * time, and there may be a thousand containers.
 * @throws SettingsError, RelayError
 */
export async function openContainer(connections: number, purpose: Purpose): Promise<Container> {
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
    confirm: new WakeQueue({ queueUrl: environment.CONFIRM_QUEUE_URL ?? null, log }),
    publish: new WakeQueue({ queueUrl: environment.PUBLISH_QUEUE_URL ?? null, log }),
    // It runs every minute, by its schedule.
    reconcile: null,
  };
  const parts = composeRelay({
    settings,
    log,
    tracing,
    pools: { recording: db, hot: db, working: db },
    wake: (work) => queues[work]?.wake(),
    signals: null,
  });
  let usedAt = Date.now();
  return {
    parts,
    lambda: { name, version },
    async awaken() {
      // By the time of day, which goes on while a container is frozen; set back, it looks as well.
      const slept = Math.abs(Date.now() - usedAt) > SLEPT_MS;
      usedAt = Date.now();
      if (slept) await endSilentSessions(SIGN_OF_LIFE_MS);
    },
    flush: () => Promise.all([queues.confirm.flush(), queues.publish.flush(), tracing?.flush()]),
  };
}

/**
 * Creates something on the first call and returns the same to later calls in this container, which survives
 * between invocations. If that fails, the next call tries again.
 */
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
export const loggingFaults =
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
