import { CollectionNames } from "../confirm/collection-names.ts";
import { ConfirmLine, confirmPolicy } from "../confirm/confirm-line.ts";
import { statusSets } from "../confirm/invoices/confirmed-invoice.ts";
import { newestInvoiceId } from "../confirm/invoices/read-invoices.ts";
import { OutcomeStore } from "../confirm/outcome-store.ts";
import { type Claimed, confirmationLeases } from "../confirm/queue/claim.ts";
import { KeyProbe, SourceProof } from "../confirm/source-proof.ts";
import { faultOf } from "../kit/errors.ts";
import { isNotAllowed } from "../kit/postgres-errors.ts";
import type { Source } from "../kit/sources-file.ts";
import { step } from "../kit/step.ts";
import { DAY_MS, HOUR_MS } from "../kit/time.ts";
import { backOffMs } from "../kit/waiting.ts";
import { noteWaiting } from "../operate/backlog.ts";
import { type Chores, type ChoresDone, doChores } from "../operate/chores.ts";
import { closeAlarmsOfRemoved } from "../operate/close-alarms.ts";
import { checkErased } from "../operate/erase.ts";
import { settleStatuses } from "../operate/open-invoices.ts";
import { noticeEndedPauses } from "../operate/pause.ts";
import { applyRetention } from "../operate/retention.ts";
import type { Provider } from "../provider/provider.ts";
import type { ClaimedEvent } from "../publish/claim-events.ts";
import { holdOrReleaseTestEvents, outboxLeases } from "../publish/outbox.ts";
import { isReadyForNextMonth, makePartitions } from "../receive/log/partitions.ts";
import { certifyPass } from "../reconcile/certificate/certify.ts";
import { forgetListWork, hurryListWork, rescueListWork } from "../reconcile/leftovers.ts";
import { sweepPass } from "../reconcile/sweep/sweep.ts";
import { ReplayRunner, replayPass } from "../replay/replay-runner.ts";
import { UnknownIds } from "../upstreams/unknown-ids.ts";
import { Upstream } from "../upstreams/upstream.ts";
import { SOURCE } from "../upstreams/upstream-kind.ts";
import type { Handoff } from "../work/policy.ts";
import { Pump } from "../work/pump.ts";
import { Signal } from "../work/signal.ts";
import { alarmWebhook, notifyPeoplePass } from "./alarm-webhook.ts";
import { bringForward } from "./bring-forward.ts";
import { lookForWork } from "./look.ts";
import type { Pass, PassContext } from "./pass.ts";
import { providerOf, reconcileSource } from "./providers.ts";
import { createPublishPump } from "./publishing.ts";
import { routesOf, servedBy } from "./upstreams.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** One chore that fails must not keep the others waiting for long. */
const CHORES_WAIT_LIMIT_MS = 30_000;

/** Whatever a relay does by itself: `serve` has a loop for each, a Lambda function takes some of them. */
export function createPasses(context: PassContext) {
  const { db, settings, lease, alarms, log } = context;
  const providers = context.sources.map((source) => ({ source, provider: providerOf(source, settings) }));
  const publisher = createPublishPump(context);
  // Without wake-ups there is nobody to hand work to: in Lambda each pass is a function of its own.
  const worksBeside = (context.wakes ?? null) !== null;
  const confirmer = createConfirmPump(context, providers, worksBeside ? publisher.pump : null);
  const names = context.sources.map(({ name }) => name);
  const replays = new ReplayRunner({
    ...context,
    routes: routesOf(context.sources),
    sources: names,
  });
  return {
    /** Looks for what is due, for all of the others; `serve` alone has loops that it can wake. */
    look: lookForWork(context.hot, context.sources),
    confirm: (stop: AbortSignal) => confirmer.drain(stop),
    publish: (stop: AbortSignal) => publisher.pump.drain(stop),
    /** Frees work whose lease ran out. */
    async rescue() {
      if ((await confirmationLeases.releaseExpired(db)) > 0) {
        step("confirmations rescued");
        context.wakes?.confirm.raise();
      }
      if ((await outboxLeases.releaseExpired(db)) > 0) {
        step("events rescued");
        context.wakes?.publish.raise();
      }
      await rescueListWork(db);
      return null;
    },
    /** A step back of Postgres' clock delays work by an hour at most. */
    async bringForward() {
      const moved = await bringForward(db, { leaseMs: lease.ms, sweepMs: settings.RECONCILE_INTERVAL });
      if (moved > 0) log.warn({ moved }, "rows were due later than anything waits, and are due now");
      return HOUR_MS;
    },
    /** The small chores: Test events held or let go, ended pauses, quiet alarms, late erasures, old budgets. */
    async chores() {
      let hasMore = false;
      const retryInMs = await maintain(context, {
        // By today's settings, in every pass: an older or newer process may write others.
        async held_events() {
          const { released, more } = await holdOrReleaseTestEvents(db, context.sources);
          hasMore ||= more;
          if (released === 0) return;
          log.info({ released }, "held events of Test invoices go out: there is a topic for them now");
          context.onEvents();
        },
        async settled_statuses() {
          const { opened, more } = await settleStatuses(db, context.sources, settings);
          hasMore ||= more;
          if (opened === 0) return;
          log.info({ opened }, "PAID_STATUSES or INVALID_STATUSES name the status that invoices waited with");
          context.onConfirmations();
        },
        async ended_pauses() {
          const resumed = await noticeEndedPauses(db);
          if (resumed.length > 0) log.info({ resumed }, "a pause has ended by itself");
        },
        late_personal_data: () => checkErased(db),
        quiet_alarms: () => alarms.clearQuiet(),
      });
      return hasMore ? SECOND_MS : retryInMs && Math.min(retryInMs, CHORES_WAIT_LIMIT_MS);
    },
    /** For each source that has a list. */
    lists: providers
      .filter(({ source }) => source.collectionIds.length > 0)
      .map(({ source, provider }) => listPasses(context, source, provider)),
    /** Forgets old runs over lists, and squares alarms with what the processes serve. */
    async tidy() {
      await forgetListWork(db);
      const serves = servedBy(context.sources);
      alarms.notifyCleared(await closeAlarmsOfRemoved(db, serves));
      await noteWaiting(db, alarms);
      return MINUTE_MS;
    },
    replay: (stop: AbortSignal) => replayPass({ runner: replays, log }, stop),
    /** Drops what has been kept for long enough. */
    async retention(stop?: AbortSignal) {
      let retryInMs: number | null = null;
      const {
        stays,
        personalData,
        failed: _,
        ...left
      } = await applyRetention({
        db,
        actor: "relay",
        retentionMs: settings.RETENTION,
        personalDataMs: settings.PERSONAL_DATA_RETENTION,
        stop,
        onDone: (done) => {
          retryInMs = logChores(context, done);
        },
      });
      if (personalData !== null && personalData.invoices > 0)
        log.info({ personalData }, "blanked what is older than PERSONAL_DATA_RETENTION");
      if (left.partitions.length + left.stragglers + left.unknownConfirmations > 0)
        log.info(left, "dropped callbacks that are older than RETENTION, and ids that stayed unknown");
      if (personalData?.more === true) return 0;
      return retryInMs ?? DAY_MS;
    },
    /** Makes the log's partitions that are due. */
    partitions: async () =>
      (await maintain(context, { partitions: () => keepPartitions(context) })) ?? DAY_MS,
    notify: notifyPeoplePass(context, alarmWebhook(settings, context.metrics)),
    /** Where new confirmations of this process may go without a claim; under a rate limit each must be counted. */
    handoff: worksBeside && settings.CONFIRM_RATE_PER_SECOND === undefined ? confirmer : null,
    async close() {
      // Work that was handed over at the very end is finished or given back.
      for (const pump of [confirmer, publisher.pump])
        await pump.drain(AbortSignal.abort()).catch((error: unknown) => {
          log.warn(faultOf(error), "some work was cut off; it is taken up when its lease has run out");
        });
      publisher.close();
      await Promise.all(providers.map(({ provider }) => provider.close()));
    },
  };
}

/** What reads one source's lists. Each source has passes of its own: none waits for another's list (G11). */
function listPasses(context: PassContext, source: Source, provider: Provider) {
  const { settings } = context;
  const options = {
    ...context,
    source: reconcileSource(source, provider, settings),
    intervalMs: settings.RECONCILE_INTERVAL,
  };
  const sweep: Pass = (stop) => sweepPass(options, stop);
  const certify: Pass = (stop) => certifyPass(options, stop);
  return { source: source.name, sweep, certify };
}

function createConfirmPump(
  context: PassContext,
  providers: readonly { source: Source; provider: Provider }[],
  events: Handoff<ClaimedEvent> | null,
): Pump<Claimed> {
  const { hot, settings, lease, alarms, log } = context;
  const routes = routesOf(context.sources);
  const store = new OutcomeStore({ db: hot, alarms, onEvents: context.onEvents, handoff: events, routes });
  const lines = providers.map(({ source, provider }) => lineOf(context, store, source, provider));
  const policy = confirmPolicy({ db: hot, lines, concurrency: settings.CONFIRM_CONCURRENCY, lease });
  return new Pump({ policy, lease, wake: context.wakes?.confirm ?? new Signal(), log });
}

function lineOf(
  { db, hot, settings, lease, alarms, metrics, tracer = null }: PassContext,
  store: OutcomeStore,
  source: Source,
  provider: Provider,
): ConfirmLine {
  const { name, collectionIds } = source;
  const timeoutMs = settings.CONFIRM_TIMEOUT;
  const onRecovered = () => hurryListWork(db, name);
  const upstream = new Upstream({ db, alarms, kind: SOURCE, name, onRecovered });
  return new ConfirmLine({
    db: hot,
    name,
    provider,
    upstream,
    store,
    metrics,
    tracer,
    timeoutMs,
    lease,
    replayLimit: Math.ceil(settings.CONFIRM_CONCURRENCY / 4),
    limits: {
      ratePerSecond: settings.CONFIRM_RATE_PER_SECOND ?? null,
      unknownRatePerSecond: settings.UNKNOWN_RATE_PER_SECOND,
    },
    keyProbe: new KeyProbe({ db, provider, upstream, timeoutMs }),
    proof: new SourceProof({
      provider,
      collectionIds,
      timeoutMs,
      knownInvoiceId: () => newestInvoiceId(db, name),
    }),
    names: new CollectionNames({ provider, upstream, collectionIds, timeoutMs }),
    unknownIds: new UnknownIds({ db, alarms, source: name }),
    rules: {
      ...statusSets({ paidStatuses: settings.PAID_STATUSES, invalidStatuses: settings.INVALID_STATUSES }),
      hasTestTopic: source.snsTestTopicArn !== null,
      personalData: settings.EVENT_PERSONAL_DATA,
      timeZone: settings.PROVIDER_TIME_ZONE,
      currency: source.currency,
    },
  });
}

export type Passes = ReturnType<typeof createPasses>;

type MaintenanceContext = Pick<PassContext, "db" | "alarms" | "log">;

/** What failed is tried again neither so often that it is a burden nor so late that nobody sees it mended. */
const BACK_OFF = { firstMs: 60_000, capMs: 3_600_000 };

/** Does these chores. @returns how long until the next try of what failed, in ms; null when all is done. */
async function maintain(context: MaintenanceContext, chores: Chores): Promise<number | null> {
  return logChores(context, await doChores(context.db, chores));
}

/** Logs what failed, and the alarms. @returns the same. */
function logChores(context: Omit<MaintenanceContext, "db">, done: ChoresDone): number | null {
  const { failed, bugs, failures, told } = done;
  context.alarms.notifyAll(told);
  if (failed.length === 0) return null;
  context.log.warn({ failed, failures }, "maintenance failed; it will be tried again");
  for (const bug of bugs) context.log.error(bug, "a chore met a bug");
  return backOffMs(failures, BACK_OFF);
}

/**
 * Makes the log's partitions that are due, if that can be done now: until it is, the default partition takes
 * the callbacks, so nothing waits for it. A database user who may not do it leaves it to `migrate`.
 * @returns what is wrong, for a person; null when nothing is.
 */
export async function keepPartitions({ db, log }: Pick<PassContext, "db" | "log">): Promise<string | null> {
  try {
    const made = await makePartitions(db, new Date(), { tries: 1, brief: true });
    if (made.length > 0) log.info({ partitions: made }, "made partitions of the callback log");
    return null;
  } catch (error) {
    if (!isNotAllowed(error)) throw error;
    log.info(
      "this database user may not make partitions of the callback log: `migrate` makes them, and " +
        "whoever holds the role worker",
    );
    if (await isReadyForNextMonth(db)) return null;
    return (
      "the coming month of the callback log has no partition, and this database user may not make one: " +
      "run invoice-relay migrate, or grant the role worker"
    );
  }
}
