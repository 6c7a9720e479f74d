import { alarmWebhookOf, tellingOne } from "../app/alarm-webhook.ts";
import type { Shared } from "../app/pass.ts";
import { startTracing, type Tracing } from "../app/tracing.ts";
import { Alarms } from "../database/alarms.ts";
import { connect, type Purpose } from "../database/connect.ts";
import { messageOf } from "../kit/errors.ts";
import { createLogger } from "../kit/log.ts";
import { createMetrics } from "../kit/metrics.ts";
import { readSettings, SERVE_REQUIRES } from "../kit/settings.ts";
import { sourcesOf } from "../kit/sources.ts";
import { DatabaseAway } from "./database-away.ts";
import { readEnvironment } from "./read-environment.ts";
import { requireVerifiedTls } from "./require-verified-tls.ts";

/** What every function keeps for the lifetime of its container. */
export interface LambdaRelay extends Omit<Shared, "onEvents" | "onConfirmations"> {
  /** The function's name in AWS, and the program's version. */
  lambda: { name: string; version: string };
  /** null while it is off. */
  tracing: Tracing | null;
  /** Watches whether Postgres answers. */
  databaseAway: DatabaseAway;
  /** Wakes the next function; null when the stack has none. */
  queueUrls: { confirm: string | null; publish: string | null };
  /**
   * Replaces connections that broke while the container was frozen. Await it before each invocation's work.
   */
  awaken(): Promise<void>;
  close(): Promise<void>;
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
export async function openRelay(connections: number, purpose: Purpose): Promise<LambdaRelay> {
  const environment = await readEnvironment(process.env);
  const settings = readSettings(environment, SERVE_REQUIRES);
  requireVerifiedTls(settings.DATABASE_URL);
  const { AWS_LAMBDA_FUNCTION_NAME: name = "lambda", INVOICE_RELAY_VERSION: version = "unknown" } =
    environment;
  const log = createLogger({ level: settings.LOG_LEVEL });
  const { db, weedOut, close } = connect(settings.DATABASE_URL, {
    max: connections,
    purpose,
    applicationName: `invoice-relay ${name}`,
    unprepared: environment.DATABASE_PROXY === "true",
    onIdleError: (error) =>
      log.info({ error: messageOf(error) }, "a connection ended while the container was frozen"),
  });
  const metrics = createMetrics();
  const tracing = await startTracing(settings, log, version);
  const alarms = new Alarms({ db, log, metrics });
  const tellPeople = tellingOne(alarmWebhookOf(settings, metrics));
  let usedAt = Date.now();
  return {
    settings,
    lambda: { name, version },
    sources: sourcesOf(settings),
    log,
    metrics,
    tracing,
    alarms,
    db,
    databaseAway: new DatabaseAway({ alarms, tellPeople }),
    queueUrls: {
      confirm: environment.CONFIRM_QUEUE_URL ?? null,
      publish: environment.PUBLISH_QUEUE_URL ?? null,
    },
    async awaken() {
      const slept = Date.now() - usedAt > SLEPT_MS;
      usedAt = Date.now();
      if (slept) await weedOut(SIGN_OF_LIFE_MS);
    },
    close,
  };
}
