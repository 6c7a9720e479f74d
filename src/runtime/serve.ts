import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { loadSdk } from "../pipeline/publish/index.ts";
import type { ServeSettings } from "../platform/config/index.ts";
import { type ConnectOptions, connect, requireSchema } from "../platform/database/index.ts";
import { faultOf, isDatabaseAway, messageOf } from "../platform/errors/index.ts";
import type { Logger } from "../platform/log/index.ts";
import { programVersion } from "../platform/process/index.ts";
import { registerKey } from "../platform/signing/index.ts";
import { makeSignals } from "../platform/worker/index.ts";
import { composeRelay } from "./compose.ts";
import { createJobs } from "./jobs.ts";
import { startLoops } from "./loops.ts";
import { keepPartitions } from "./maintenance.ts";
import { serversOf } from "./servers.ts";
import { register } from "./sources.ts";
import { startTracing } from "./tracing.ts";

interface ServeOptions {
  settings: ServeSettings;
  log: Logger;
  http: boolean;
  workers: boolean;
  /** The interface to listen on; all of them when left out. */
  host?: string;
  /** Aborted to stop the relay: a start that waits for the database ends then. */
  stop?: AbortSignal;
}

/**
 * Separate pools, so that no other work keeps a callback waiting for a connection, and no report a payment.
 * Recording has two commits under way, outcomes of confirmations and of events two each beside the claims;
 * everything else shares the rest.
 */
const RECORD_CONNECTIONS = 4;
const HOT_CONNECTIONS = 6;
const WORKING_CONNECTIONS = 4;

/** Enough for ours, which stand between those of packages. */
const STACK_FRAMES = 30;

/**
 * Starts the relay. Parts that need no database start first: while that is away the process lives, is not ready,
 * answers callbacks with 503, and goes on by itself.
 * @throws RelayError when the schema does not fit (it says which command to run), or the port is taken; the
 *   database's error when it refuses the values of DATABASE_URL.
 */
export async function serve(options: ServeOptions) {
  const { settings, log, http, workers, host, stop = new AbortController().signal } = options;
  Error.stackTraceLimit = STACK_FRAMES;
  const onIdleError = (error: Error) =>
    log.warn({ error: messageOf(error) }, "a database connection broke; the pool makes a new one");
  const pool = (max: number, kind: ConnectOptions = {}) =>
    connect(settings.DATABASE_URL, { max, onIdleError, ...kind });
  const pools = {
    record: pool(RECORD_CONNECTIONS, { purpose: "hot" }),
    hot: pool(HOT_CONNECTIONS, { purpose: "hot" }),
    work: pool(WORKING_CONNECTIONS),
  };
  if (workers) await loadSdk();
  const wakes = makeSignals();
  const parts = composeRelay({
    settings,
    log,
    tracing: await startTracing(settings, log, programVersion()),
    pools: { record: pools.record.db, hot: pools.hot.db, work: pools.work.db },
    wake: (work) => wakes[work].raise(),
    wakes,
  });
  let isStarted = false;
  let stopping: Promise<void> | null = null;
  let loops: ReturnType<typeof startLoops> | null = null;
  // Made before they are started, so that recorded work can be dispatched to them.
  const jobs = workers ? createJobs(parts) : null;
  const servers = serversOf(parts, {
    host,
    pools: { record: pools.record.usage, hot: pools.hot.usage, work: pools.work.usage },
    isStarted: () => isStarted,
    isStopping: () => stopping !== null,
  });
  const stopAll = async () => {
    await Promise.all([servers.close(), parts.database.stop()]);
    servers.stop();
    await loops?.stop();
    await jobs?.close();
    await loops?.leave();
    await Promise.all([parts.tracing?.close(), ...Object.values(pools).map((pool) => pool.close())]);
  };
  const stopRelay = () => {
    stopping ??= stopAll();
    return stopping;
  };
  const prepare = async () => {
    await requireSchema(parts.hot, "relay");
    await register(parts.hot, parts.sources);
    // Registered before its first signature, so that every signature can be checked.
    if (parts.signer !== null && workers) await registerKey(parts.hot, parts.signer);
    // The default partition takes callbacks meanwhile, so nothing waits for it: the workers try again.
    const problem = await keepPartitions(parts).catch(faultOf);
    if (problem !== null) log.warn(problem, "partitions of the callback log are missing");
  };
  try {
    parts.database.start();
    const opsServer = settings.OPS_PORT === undefined ? null : await servers.openOps(settings.OPS_PORT);
    const server = http ? await servers.openPublic(jobs?.handoff ?? null) : null;
    if (await waitForDatabase(prepare, { log, stop })) {
      isStarted = true;
      loops = startLoops(parts, { http, jobs, wakes });
    }
    const ops = opsServer ?? server;
    return {
      /** Where it listens for callbacks on this machine; null without HTTP. */
      url: server?.url ?? null,
      port: server?.port ?? null,
      /** Where operators are served on this machine: on OPS_PORT, else where callbacks are. */
      opsUrl: ops?.url ?? null,
      opsPort: ops?.port ?? null,
      /** The operators' pages on this machine; null where signing in is impossible, or nothing listens. */
      consoleUrl: ops === null || settings.ADMIN_TOKENS === undefined ? null : `${ops.url}/console`,
      /** Takes no new requests, finishes recorded work or releases its lease; within 10 s. */
      stop: stopRelay,
    };
  } catch (error) {
    await stopRelay();
    throw error;
  }
}

export type RunningRelay = Awaited<ReturnType<typeof serve>>;

/** Uncaught errors end the process, as in Node; their trace goes to the log, masked, not to stderr. */
export function endOnUncaught(log: Logger): void {
  process.on("uncaughtException", (error, origin) => {
    log.fatal({ origin, ...faultOf(error) }, "a bug ends this process; its work is taken up by the next");
    process.exit(1);
  });
}

const AGAIN_MS = 1_000;

/**
 * Tries until the database is there. Its absence is logged when it begins, and each time the reason changes.
 * @returns true once it is there; false once `stop` is aborted, perhaps with a try still under way.
 * @throws any other error at once: a fault that a person must repair is not waited for.
 */
async function waitForDatabase(
  attempt: () => Promise<void>,
  { log, stop }: { log: Logger; stop: AbortSignal },
): Promise<boolean> {
  const stopped = once(stop, "abort");
  let reason: string | null = null;
  while (!stop.aborted) {
    try {
      await Promise.race([attempt(), stopped]);
      if (stop.aborted) return false;
      if (reason !== null) log.info("the database is there: the start goes on");
      return true;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      const why = messageOf(error);
      if (why !== reason)
        log.warn(
          { error: why },
          "waiting for the database; meanwhile callbacks are answered 503, to be sent again",
        );
      reason = why;
    }
    await sleep(AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  return false;
}
