import type { RequestHandler, Router } from "express";
import { builtPages, consolePages } from "../console/console-pages.ts";
import { Alarms } from "../database/alarms.ts";
import type { Connection } from "../database/connect.ts";
import type { Tables } from "../database/tables.ts";
import { DAY_MS } from "../kit/days.ts";
import { listen, type RunningServer } from "../kit/http-server.ts";
import type { Logger } from "../kit/log.ts";
import { createMetrics, type Metrics } from "../kit/metrics.ts";
import type { ServeSettings } from "../kit/settings.ts";
import { type Source, sourcesOf } from "../kit/sources.ts";
import { httpLimits } from "../receive/http-limits.ts";
import { type Loop, startLoop } from "../workers/loop.ts";
import { BEAT_MS, RelayProcess } from "../workers/relay-process.ts";
import { Signal } from "../workers/signal.ts";
import type { WakeUps } from "../workers/wake-up.ts";
import { adminRoutes } from "./admin.ts";
import { alarmWebhookOf, tellingOne } from "./alarm-webhook.ts";
import { callbackReceiver } from "./callback-receiver.ts";
import { capConnections, capRequests } from "./cap-addresses.ts";
import { DatabaseWatch } from "./database-watch.ts";
import { aliveRoute, opsRoutes } from "./health-routes.ts";
import { httpApp } from "./http-app.ts";
import { MetricsPage } from "./metrics-page.ts";
import type { Pass, Passes, Shared } from "./pass.ts";
import { createPasses } from "./passes.ts";
import { protectAnswers } from "./protect-answers.ts";
import { Readiness } from "./readiness.ts";
import type { Tracing } from "./tracing.ts";
import { servedBy } from "./upstreams.ts";

/** How often most loops look without a wake-up, in ms. */
const POLL_MS = 1_000;
const MINUTE_MS = 60_000;

interface RelayParts {
  settings: ServeSettings;
  log: Logger;
  recording: Connection<Tables>;
  hot: Connection<Tables>;
  working: Connection<Tables>;
  wakeUps: WakeUps;
  /** null while it is off. */
  tracing: Tracing | null;
}

/** What one `serve` runs: its servers and loops, and how all of it stops. */
export class Relay {
  readonly sources: readonly Source[];
  server: RunningServer | null = null;
  ops: RunningServer | null = null;
  readonly #parts: RelayParts;
  readonly #metrics: Metrics = createMetrics();
  readonly #shared: Shared;
  readonly #loops: Loop[] = [];
  #passes: Passes | null = null;
  #databaseWatch: DatabaseWatch | null = null;
  #presence: RelayProcess | null = null;
  readonly #stoppable: { stop(): void }[] = [];
  /** What holds connections open, and so is stopped before the servers. */
  readonly #hangsUp: { stop(): void }[] = [];
  #stopping: Promise<void> | null = null;
  /** The database was looked at and found right: nothing is recorded before that. */
  #isStarted = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.sources = sourcesOf(parts.settings);
    const { settings, log, working, wakeUps } = parts;
    const [db, metrics] = [working.db, this.#metrics];
    this.#shared = {
      db,
      settings,
      sources: this.sources,
      alarms: new Alarms({ db, log, metrics }),
      log,
      metrics,
      onEvents: () => wakeUps.wake("publish"),
      onConfirmations: () => wakeUps.wake("confirm"),
    };
  }

  watchDatabase(): DatabaseWatch {
    const { settings, log, recording } = this.#parts;
    const metrics = this.#metrics;
    const watch = new DatabaseWatch({
      db: recording.db,
      // Over the same pool: the alarm's end is written as soon as that one answers, whatever hangs in the
      // others.
      alarms: new Alarms({ db: recording.db, log, metrics }),
      log,
      tellPeople: tellingOne(alarmWebhookOf(settings, metrics)),
    });
    this.#databaseWatch = watch;
    return watch;
  }

  /** Records, works, and is seen by others, from now on. */
  start(does: { http: boolean; workers: boolean }): void {
    this.#isStarted = true;
    this.#startPresence(does);
    if (does.workers) this.#startLoops();
  }

  /** Shows the other processes that this one is alive. */
  #startPresence(does: { http: boolean; workers: boolean }): void {
    const { log, working } = this.#parts;
    const presence = new RelayProcess(working.db, { ...does, serves: servedBy(this.sources) });
    const pass = async () => {
      await presence.beat();
      return BEAT_MS;
    };
    this.#presence = presence;
    const wake = new Signal();
    this.#loops.push(
      startLoop({ name: "presence", pass, wake, pollMs: BEAT_MS, log, metrics: this.#metrics }),
    );
  }

  /** Makes the workers without starting them, so that recorded work can be handed over to them. */
  prepareWorkers(): void {
    const { hot, wakeUps, tracing } = this.#parts;
    const { confirm, publish } = wakeUps.signals;
    this.#passes = createPasses({
      ...this.#shared,
      hot: hot.db,
      tracer: tracing?.tracer ?? null,
      confirmWake: confirm,
      publishWake: publish,
    });
  }

  #startLoops(): void {
    const passes = this.#passes;
    if (passes === null) return;
    const { settings, log, wakeUps } = this.#parts;
    const metrics = this.#metrics;
    const { confirm, publish, reconcile } = wakeUps.signals;
    const oftenMs = Math.max(POLL_MS, settings.LEASE_DURATION / 5);
    const loops: { name: string; source?: string; pass: Pass; wake?: Signal; pollMs: number }[] = [
      { name: "confirm", pass: passes.confirm, wake: confirm, pollMs: POLL_MS },
      { name: "publish", pass: passes.publish, wake: publish, pollMs: POLL_MS },
      { name: "rescue", pass: passes.rescue, pollMs: oftenMs },
      { name: "chores", pass: async (stop) => (await passes.chores(stop)) ?? oftenMs, pollMs: MINUTE_MS },
      ...passes.lists.flatMap(({ source, sweep, scout, certify }) => [
        { name: "sweep", source, pass: sweep, wake: reconcile.branch(), pollMs: POLL_MS },
        { name: "scout", source, pass: scout, pollMs: POLL_MS },
        { name: "certify", source, pass: certify, pollMs: MINUTE_MS },
      ]),
      { name: "tidy", pass: passes.tidy, pollMs: MINUTE_MS },
      { name: "replay", pass: passes.replay, pollMs: POLL_MS },
      { name: "tell", pass: passes.tell, pollMs: POLL_MS },
      { name: "retention", pass: passes.retention, pollMs: DAY_MS },
      { name: "partitions", pass: passes.partitions, pollMs: DAY_MS },
    ];
    for (const { wake = new Signal(), ...loop } of loops) {
      this.#loops.push(startLoop({ ...loop, wake, log, metrics }));
    }
  }

  async startHttp(host?: string): Promise<void> {
    const { settings, recording, wakeUps, tracing } = this.#parts;
    const { db: working, log: logger, ...shared } = this.#shared;
    const receiver = callbackReceiver({
      ...shared,
      recording: recording.db,
      working,
      logger,
      tracer: tracing?.tracer ?? null,
      handoff: this.#passes?.handoff ?? null,
      onNothingNamed: () => wakeUps.wake("reconcile"),
      hasReadingThread: true,
      mayRecord: () => this.#isStarted,
    });
    receiver.startSharing();
    this.#stoppable.push(receiver);
    const behindTls = settings.PUBLIC_URL.startsWith("https:");
    const opsRoutes = settings.OPS_PORT === undefined ? this.#opsRoutes({ behindTls }) : [];
    const handlers = [...receiver.routers, aliveRoute, ...opsRoutes];
    this.server = await this.#listen(handlers, { behindTls, port: settings.PORT, host });
  }

  /** What operators and their tools ask for, on a port that strangers need not reach. */
  async startOps(port: number, host?: string): Promise<void> {
    const behindTls = false;
    const handlers = [aliveRoute, ...this.#opsRoutes({ behindTls })];
    this.ops = await this.#listen(handlers, { behindTls, port, host });
  }

  #opsRoutes({ behindTls }: { behindTls: boolean }): Router[] {
    const { settings, log, recording, hot, working } = this.#parts;
    const metricsPage = new MetricsPage({
      db: working.db,
      metrics: this.#metrics,
      watched: {
        sources: this.sources,
        topics: servedBy(this.sources).topics,
      },
      database: this.#databaseWatch ?? this.watchDatabase(),
      pools: { record: recording.usage, hot: hot.usage, work: working.usage },
    });
    this.#stoppable.push(metricsPage);
    const readiness = new Readiness(recording.db, log);
    const admin = adminRoutes({ ...this.#shared, behindTls });
    this.#hangsUp.push(admin);
    const isOpen = (settings.ADMIN_TOKENS ?? []).length > 0;
    return [
      opsRoutes({
        readiness,
        metricsPage,
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
    const { settings, log } = this.#parts;
    const metrics = this.#metrics;
    const most = settings.MAX_CONNECTIONS_PER_ADDRESS;
    const app = httpApp(
      [protectAnswers({ behindTls }), capRequests(most, metrics), ...handlers],
      log,
      settings.TRUSTED_PROXIES ?? [],
    );
    const running = await listen(app, {
      name: "invoice-relay",
      port,
      server: httpLimits(settings.REQUEST_TIMEOUT),
      ...(host === undefined ? {} : { host }),
    });
    running.server.maxConnections = settings.MAX_CONNECTIONS;
    capConnections(running.server, { app, most, metrics });
    return running;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { recording, hot, working, wakeUps, tracing } = this.#parts;
    for (const part of this.#hangsUp) part.stop();
    await Promise.all([this.server?.close(2_000), this.ops?.close(2_000), this.#databaseWatch?.stop()]);
    for (const part of this.#stoppable) part.stop();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#passes?.close();
    // If the database is away, the others notice its silence.
    await this.#presence?.leave().catch(() => undefined);
    await wakeUps.stop();
    await Promise.all([tracing?.close(), ...[recording, hot, working].map((pool) => pool.close())]);
  }
}
