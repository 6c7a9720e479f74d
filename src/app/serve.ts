import { type ConnectOptions, connect } from "../database/connect.ts";
import { requireSchema } from "../database/migrate.ts";
import { requireWholeSessions } from "../database/whole-sessions.ts";
import { messageOf } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { programVersion } from "../kit/program-version.ts";
import type { ServeSettings } from "../kit/settings.ts";
import { WakeUps } from "../workers/wake-up.ts";
import { letHeapGrow } from "./heap-growth.ts";
import { keepPartitions } from "./keep-partitions.ts";
import { Relay } from "./relay.ts";
import { startTracing } from "./tracing.ts";
import { register } from "./upstreams.ts";
import { waitForDatabase } from "./wait-for-database.ts";
import { tellWhatIsOn } from "./what-is-on.ts";

export interface ServeOptions {
  settings: ServeSettings;
  log: Logger;
  /** Take callbacks, on PORT. */
  http: boolean;
  /** Confirm and publish. */
  workers: boolean;
  /** The interface to listen on; all of them when left out. */
  host?: string;
  /** Aborted to stop the relay: a start that waits for the database ends then. */
  stop?: AbortSignal;
}

export interface RunningRelay {
  /** Where it listens for callbacks on this machine; null without HTTP. */
  url: string | null;
  port: number | null;
  /** Where operators are served on this machine: on OPS_PORT, else where callbacks are. */
  opsUrl: string | null;
  opsPort: number | null;
  /** The operators' pages on this machine; null where nobody can sign in, or nothing listens. */
  consoleUrl: string | null;
  /** Takes no new requests, finishes what was recorded or gives its lease back; within 10 s. */
  stop(): Promise<void>;
}

/**
 * Separate pools, so that nothing keeps a callback waiting for a connection, and no report keeps a payment
 * waiting: recording has two commits under way, outcomes of confirmations and of events two each beside the
 * claims; everything else shares the rest.
 */
const RECORD_CONNECTIONS = 4;
const HOT_CONNECTIONS = 6;
const WORKING_CONNECTIONS = 4;

/**
 * Starts the relay. What needs no database stands first: while that is away the process lives, is not ready,
 * answers callbacks with 503, and goes on by itself.
 * @throws RelayError when the schema does not fit (it says which command to run), or the port is taken; the
 *   database's error when it refuses what DATABASE_URL says.
 */
export async function serve(options: ServeOptions): Promise<RunningRelay> {
  const { settings, log, http, workers, host, stop = new AbortController().signal } = options;
  letHeapGrow();
  const onIdleError = (error: Error) =>
    log.warn({ error: messageOf(error) }, "a database connection broke; the pool makes a new one");
  const pool = (max: number, kind: ConnectOptions = {}) =>
    connect(settings.DATABASE_URL, { max, onIdleError, ...kind });
  const recording = pool(RECORD_CONNECTIONS, { purpose: "hot" });
  const hot = pool(HOT_CONNECTIONS, { purpose: "hot" });
  const working = pool(WORKING_CONNECTIONS);
  const wakeUps = new WakeUps({ url: settings.DATABASE_URL, log });
  const tracing = await startTracing(settings, log, programVersion());
  const relay = new Relay({ settings, log, recording, hot, working, wakeUps, tracing });
  try {
    relay.watchDatabase();
    if (workers) relay.prepareWorkers();
    if (settings.OPS_PORT !== undefined) await relay.startOps(settings.OPS_PORT, host);
    if (http) await relay.startHttp(host);
    let isTold = false;
    const look = async () => {
      await requireSchema(hot.db, "relay");
      await requireWholeSessions(settings.DATABASE_URL);
      await register(hot.db, relay.sources);
      if (!isTold) tellWhatIsOn(log, settings, relay.sources);
      isTold = true;
      // The default partition takes callbacks meanwhile, so nothing waits for it: the workers try again.
      const problem = await keepPartitions({ db: working.db, log }).catch(messageOf);
      if (problem !== null) log.warn({ error: problem }, "partitions of the callback log are missing");
    };
    if (await waitForDatabase(look, { log, stop })) {
      await wakeUps.start();
      relay.start({ http, workers });
    }
  } catch (error) {
    await relay.stop();
    throw error;
  }
  const ops = relay.ops ?? relay.server;
  return {
    url: relay.server?.url ?? null,
    port: relay.server?.port ?? null,
    opsUrl: ops?.url ?? null,
    opsPort: ops?.port ?? null,
    consoleUrl: ops === null || settings.ADMIN_TOKENS === undefined ? null : `${ops.url}/console`,
    stop: () => relay.stop(),
  };
}
