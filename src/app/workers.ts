import type { Kysely } from "kysely";
import { CollectionClient } from "../collection-api/index.ts";
import { confirmPass } from "../confirm/confirm-pass.ts";
import { ConfirmSource } from "../confirm/confirm-source.ts";
import { KeyProbe } from "../confirm/key-probe.ts";
import { SourceGate } from "../confirm/source-gate.ts";
import type { Alarms } from "../database/alarms.ts";
import { makePartitions } from "../database/partitions.ts";
import type { Tables } from "../database/tables.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { SERVE_REQUIRES, Settings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { PublicationStore } from "../publish/publication-store.ts";
import { publishPass } from "../publish/publish-pass.ts";
import { createSnsSender } from "../publish/sns-sender.ts";
import { TopicGate } from "../publish/topic-gate.ts";
import { certifyPass } from "../reconcile/certify-pass.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";
import { Scout } from "../reconcile/scout.ts";
import { sweepPass } from "../reconcile/sweep-pass.ts";
import { replayPass } from "../replay/replay-pass.ts";
import { applyRetention } from "../replay/retention.ts";
import { SettlementStore } from "../store/settlement-store.ts";
import { releaseExpired } from "../workers/leases.ts";
import { Signal } from "../workers/signal.ts";
import { reconcileSource } from "./reconcile-source.ts";
import { routesOf } from "./register.ts";
import { createReplayWorkshop } from "./replay-workshop.ts";

export type ServeSettings = Settings<(typeof SERVE_REQUIRES)[number]>;

/** What the passes of one process share. */
export interface PassContext {
  db: Kysely<Tables>;
  settings: ServeSettings;
  sources: readonly Source[];
  alarms: Alarms;
  log: Logger;
  metrics: Metrics;
  /** Wakes the publishers of all processes. */
  onEvents: () => void;
  /** Wakes the confirmers of all processes. */
  onQuestions: () => void;
  confirmWake?: Signal;
  publishWake?: Signal;
}

/** A pass does all that is due now, and says when there may be more, in ms; `serve`, Lambda and the CLI call the same ones. */
export type Pass = (stop: AbortSignal) => Promise<number | null>;

const BATCHES_IN_FLIGHT = 8;
const SNS_TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;

export interface Passes {
  confirm: Pass;
  publish: Pass;
  /** Work whose lease ran out goes back to those that live. */
  rescue: Pass;
  /** Reads the provider's lists for what callbacks missed. */
  sweep: Pass;
  /** Finds genuine ids in a flooded unknown lane. */
  scout: Pass;
  /** The daily certificate. */
  certify: Pass;
  /** Takes up replays that nobody works on. */
  replay: Pass;
  /** Drops what the log keeps no longer. */
  retention: Pass;
  /** Makes the log's partitions that are due. */
  partitions: Pass;
  close(): Promise<void>;
}

export function createPasses(context: PassContext): Passes {
  const { db, settings, alarms, log, metrics } = context;
  const clients: CollectionClient[] = [];
  const lists: ReconcileSource[] = [];
  const sources = context.sources.map((source) => {
    const client = new CollectionClient({
      baseUrl: source.collectionApiUrl,
      apiKey: source.collectionApiKey,
      timeoutMs: settings.CONFIRM_TIMEOUT,
      connections: settings.CONFIRM_CONCURRENCY,
    });
    clients.push(client);
    lists.push(reconcileSource(source, client, settings));
    return new ConfirmSource({
      source,
      client,
      limits: {
        ratePerSecond: settings.CONFIRM_RATE_PER_SECOND ?? null,
        unknownRatePerSecond: settings.UNKNOWN_RATE_PER_SECOND,
      },
      gate: new SourceGate({ db, alarms, source: source.name }),
      keyProbe: new KeyProbe({ db, alarms, client, source, timeoutMs: settings.CONFIRM_TIMEOUT }),
      rules: {
        paidStatuses: lowerCase(settings.PAID_STATUSES),
        invalidStatuses: lowerCase(settings.INVALID_STATUSES),
        personalData: settings.EVENT_PERSONAL_DATA,
        timeZone: settings.PROVIDER_TIME_ZONE,
      },
    });
  });
  const store = new SettlementStore({ db, onEvents: context.onEvents });
  const sender = createSnsSender({
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_SNS,
    connections: BATCHES_IN_FLIGHT,
    timeoutMs: SNS_TIMEOUT_MS,
  });
  const publications = new PublicationStore(db);
  const gates = new Map<string, TopicGate>();
  const routes = routesOf(context.sources).map((route) => {
    const gate = gates.get(route.topicArn) ?? new TopicGate({ db, alarms, topicArn: route.topicArn });
    gates.set(route.topicArn, gate);
    return { ...route, gate };
  });
  const shared = { db, alarms, log, metrics, leaseMs: settings.LEASE_DURATION };
  const confirmOptions = {
    ...shared,
    store,
    sources,
    concurrency: settings.CONFIRM_CONCURRENCY,
    timeoutMs: settings.CONFIRM_TIMEOUT,
    wake: context.confirmWake ?? new Signal(),
  };
  const publishOptions = {
    ...shared,
    store: publications,
    sender,
    routes,
    batchesInFlight: BATCHES_IN_FLIGHT,
    wake: context.publishWake ?? new Signal(),
  };
  const reconcileOptions = { ...shared, sources: lists, onQuestions: context.onQuestions };
  const workshop = createReplayWorkshop({
    db,
    leaseMs: settings.LEASE_DURATION,
    onQuestions: context.onQuestions,
    sns: {
      routes: routesOf(context.sources),
      region: settings.AWS_REGION,
      endpoint: settings.AWS_ENDPOINT_URL_SNS,
    },
  });
  const scout = new Scout(reconcileOptions);
  return {
    sweep: (stop) => sweepPass({ ...reconcileOptions, intervalMs: settings.RECONCILE_INTERVAL }, stop),
    scout: (stop) => scout.pass(stop),
    certify: (stop) => certifyPass(reconcileOptions, stop),
    confirm: (stop) => confirmPass(confirmOptions, stop),
    publish: (stop) => publishPass(publishOptions, stop),
    async rescue() {
      if ((await releaseExpired(db, "confirmation")) > 0) context.confirmWake?.raise();
      if ((await releaseExpired(db, "event")) > 0) context.publishWake?.raise();
      return null;
    },
    replay: (stop) => replayPass({ ...workshop, alarms, log }, stop),
    async retention() {
      const retentionMs = settings.RETENTION;
      const { partitions, stragglers, unknownQuestions } = await applyRetention({
        db,
        actor: "relay",
        retentionMs,
      });
      if (partitions.length + stragglers + unknownQuestions > 0)
        log.info(
          { partitions, stragglers, unknownQuestions },
          "dropped callbacks that are older than RETENTION",
        );
      return DAY_MS;
    },
    async partitions() {
      const made = await makePartitions(db);
      if (made.length > 0) log.info({ partitions: made }, "made partitions of the callback log");
      return DAY_MS;
    },
    async close() {
      sender.close();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

const lowerCase = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.map((word) => word.trim().toLowerCase()));
