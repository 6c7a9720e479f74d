import type { RequestHandler, Router } from "express";
import type { Alarm } from "../alarms/alarms.ts";
import { builtPages, consolePages } from "../console/console-pages.ts";
import type { Connection } from "../database/connect.ts";
import type { Tables } from "../database/tables.ts";
import { listen, type RunningServer } from "../kit/http-server.ts";
import { DAY_MS } from "../kit/time.ts";
import { httpLimits } from "../receive/read-body.ts";
import { type Loop, startLoop } from "../work/loop.ts";
import { BEAT_MS, RelayProcess } from "../work/relay-process.ts";
import { Signal } from "../work/signal.ts";
import { noteSilence } from "../work/silent-processes.ts";
import type { WakeUps } from "../work/wake-up.ts";
import { adminRoutes } from "./admin.ts";
import { callbackReceiver } from "./callback-receiver.ts";
import type { RelayParts } from "./compose.ts";
import { aliveRoute, capConnections, capRequests, httpApp, opsRoutes, protectAnswers } from "./http-app.ts";
import { keysRoute } from "./keys-route.ts";
import { MetricsPage } from "./metrics-page.ts";
import type { Pass, Passes } from "./pass.ts";
import { createPasses } from "./passes.ts";

/** How often one look tells which loops have something to do, in ms. */
const LOOK_MS = 1_000;
const MINUTE_MS = 60_000;
/** How often loops that the look wakes go round by themselves, in ms: nothing is waited for so long. */
const SELDOM_MS = 30 * MINUTE_MS;

/** What one address may have of all connections, where no setting says otherwise. */
const SHARE_OF_ADDRESS = 0.4;

interface RelayProcessParts extends RelayParts {
  pools: Record<"record" | "hot" | "work", Connection<Tables>>;
  wakeUps: WakeUps;
}

/** What one `serve` runs: its servers and loops, and how all of it stops. */
export class Relay {
  server: RunningServer | null = null;
  ops: RunningServer | null = null;
  readonly #parts: RelayProcessParts;
  readonly #loops: Loop[] = [];
  #passes: Passes | null = null;
  readonly #recordingChanges = new Signal();
  /** Alarms of silent processes that nobody was told of yet. */
  readonly #untold = new Set<Alarm & { raisedAt: Date }>();
  readonly #silenceBegins = new Signal();
  #presence: RelayProcess | null = null;
  readonly #stoppable: { stop(): void }[] = [];
  /** What holds connections open, and so is stopped before the servers. */
  readonly #hangsUp: { stop(): void }[] = [];
  #stopping: Promise<void> | null = null;
  /** The database was looked at and found right: nothing is recorded before that. */
  #isStarted = false;

  constructor(parts: RelayProcessParts) {
    this.#parts = parts;
  }

  watchDatabase(): void {
    this.#parts.database.start(() => this.#recordingChanges.raise());
  }

  /** Records, works, and is seen by others, from now on. */
  start(does: { http: boolean; workers: boolean }): void {
    this.#isStarted = true;
    this.#startPresence(does);
    if (does.workers) this.#startLoops();
    else this.#startTelling();
  }

  #startPresence(does: { http: boolean; workers: boolean }): void {
    const { log, metrics, db, serves, database, alarms } = this.#parts;
    const presence = new RelayProcess(db, { ...does, serves, whyFailing: () => database.whyFailing });
    const pass = async () => {
      if (!(await presence.beat())) this.#untold.clear();
      else
        for (const alarm of await noteSilence(db, alarms, { mayClose: does.workers }))
          if (!does.workers) this.#untold.add({ ...alarm, raisedAt: new Date() });
      if (this.#untold.size > 0) this.#silenceBegins.raise();
      return BEAT_MS;
    };
    this.#presence = presence;
    const wake = this.#recordingChanges;
    this.#loops.push(startLoop({ name: "presence", pass, wake, pollMs: BEAT_MS, log, metrics }));
  }

  /**
   * Without workers people are told of silence at once, and again until they are: those of other processes may
   * be what has died, and a process that only takes callbacks may have no right to mark an alarm as told.
   */
  #startTelling(): void {
    const { notifyPeople, log, metrics } = this.#parts;
    const pass = async () => {
      for (const alarm of this.#untold) if (await notifyPeople?.(alarm)) this.#untold.delete(alarm);
      return null;
    };
    const wake = this.#silenceBegins;
    this.#loops.push(startLoop({ name: "tell", pass, wake, pollMs: BEAT_MS, log, metrics }));
  }

  /** Makes the workers without starting them, so that recorded work can be handed over to them. */
  prepareWorkers(): void {
    this.#passes = createPasses(this.#parts);
  }

  #startLoops(): void {
    const passes = this.#passes;
    if (passes === null) return;
    const { log, metrics, wakeUps, database } = this.#parts;
    const { confirm, publish, reconcile } = wakeUps.signals;
    const loops: { name: string; source?: string; pass: Pass; wake?: Signal; pollMs: number }[] = [
      { name: "confirm", pass: passes.confirm, wake: confirm, pollMs: SELDOM_MS },
      { name: "publish", pass: passes.publish, wake: publish, pollMs: SELDOM_MS },
      { name: "rescue", pass: passes.rescue, pollMs: SELDOM_MS },
      { name: "chores", pass: passes.chores, pollMs: MINUTE_MS },
      ...passes.lists.flatMap(({ source, sweep, scout, certify }) => [
        { name: "sweep", source, pass: sweep, wake: reconcile.branch(), pollMs: SELDOM_MS },
        { name: "scout", source, pass: scout, pollMs: SELDOM_MS },
        { name: "certify", source, pass: certify, pollMs: SELDOM_MS },
      ]),
      { name: "tidy", pass: passes.tidy, pollMs: MINUTE_MS },
      { name: "ledger", pass: passes.ledger, pollMs: MINUTE_MS },
      { name: "roots", pass: passes.roots, pollMs: MINUTE_MS },
      { name: "replay", pass: passes.replay, pollMs: SELDOM_MS },
      { name: "tell", pass: passes.notify, pollMs: SELDOM_MS },
      { name: "retention", pass: passes.retention, pollMs: DAY_MS },
      { name: "partitions", pass: passes.partitions, pollMs: DAY_MS },
    ];
    const wakes = loops.map(({ wake = new Signal(), ...loop }) => {
      this.#loops.push(startLoop({ ...loop, wake, log, metrics }));
      return { ...loop, wake };
    });
    const look = async () => {
      const found = await passes.look();
      if (found.takesCallbacks) database.noteAnswer();
      for (const { name, source = "", wake } of wakes) {
        const due = name in found && found[name as keyof typeof found];
        if (found.everythingIsDue || due === true || (Array.isArray(due) && due.includes(source)))
          wake.raise();
      }
      return LOOK_MS;
    };
    const wake = new Signal();
    this.#loops.push(startLoop({ name: "look", pass: look, wake, pollMs: LOOK_MS, log, metrics }));
  }

  async startHttp(host?: string): Promise<void> {
    const { settings } = this.#parts;
    const receiver = callbackReceiver(this.#parts, {
      handoff: this.#passes?.handoff ?? null,
      hasReadingThread: true,
      mayRecord: () => this.#isStarted,
    });
    receiver.startSharing();
    this.#stoppable.push(receiver);
    const behindTls = settings.PUBLIC_URL.startsWith("https:");
    const opsRoutes = settings.OPS_PORT === undefined ? this.#opsRoutes() : [];
    const handlers = [...receiver.routers, aliveRoute, keysRoute(this.#parts.db), ...opsRoutes];
    this.server = await this.#listen(handlers, { behindTls, port: settings.PORT, host });
  }

  /** What operators and their tools ask for, on a port that strangers need not reach. */
  async startOps(port: number, host?: string): Promise<void> {
    const handlers = [aliveRoute, keysRoute(this.#parts.db), ...this.#opsRoutes()];
    this.ops = await this.#listen(handlers, { behindTls: false, port, host });
  }

  #opsRoutes(): Router[] {
    const { settings, db, metrics, serves, sources, database, pools } = this.#parts;
    const watched = { sources, topics: serves.topics };
    const { record, hot, work } = pools;
    const usage = { record: record.usage, hot: hot.usage, work: work.usage };
    const metricsPage = new MetricsPage({ db, metrics, watched, database, pools: usage });
    this.#stoppable.push(metricsPage);
    const admin = adminRoutes(this.#parts);
    this.#hangsUp.push(admin);
    const isOpen = (settings.ADMIN_TOKENS ?? []).length > 0;
    return [
      opsRoutes({
        database,
        metricsPage,
        metricsAccess: {
          token: settings.METRICS_TOKEN,
          adminTokens: settings.ADMIN_TOKENS ?? [],
          isPublic: settings.OPS_PORT === undefined,
        },
        isStarted: () => this.#isStarted,
        isStopping: () => this.#stopping !== null,
      }),
      ...admin.routers,
      consolePages({ isOpen, folder: builtPages() }),
    ];
  }

  /** Each of the relay's ports has the same limits. */
  async #listen(
    handlers: readonly RequestHandler[],
    { behindTls, port, host }: { behindTls: boolean; port: number; host: string | undefined },
  ): Promise<RunningServer> {
    const { settings, log, metrics } = this.#parts;
    const most = settings.MAX_CONNECTIONS;
    const addressLimit = settings.MAX_CONNECTIONS_PER_ADDRESS ?? Math.ceil(SHARE_OF_ADDRESS * most);
    const app = httpApp(
      [protectAnswers({ behindTls }), capRequests(addressLimit, metrics), ...handlers],
      log,
      settings.TRUSTED_PROXIES ?? [],
    );
    const running = await listen(app, {
      name: "invoice-relay",
      port,
      server: httpLimits(settings.REQUEST_TIMEOUT),
      onHangUp: (reason) => metrics.hangUps.inc({ reason }),
      ...(host === undefined ? {} : { host }),
    });
    capConnections(running, { app, limits: { most, addressLimit }, metrics });
    return running;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { database, pools, wakeUps, tracing } = this.#parts;
    for (const part of this.#hangsUp) part.stop();
    await Promise.all([this.server?.close(2_000), this.ops?.close(2_000), database.stop()]);
    for (const part of this.#stoppable) part.stop();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#passes?.close();
    // If the database is away, the others notice its silence.
    await this.#presence?.leave().catch(() => undefined);
    await wakeUps.stop();
    await Promise.all([tracing?.close(), ...Object.values(pools).map((pool) => pool.close())]);
  }
}
