import { CollectionClient } from "../collection-api/index.ts";
import { makePartitions } from "../database/partitions.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { certifyPass } from "../reconcile/certify-pass.ts";
import { Scout } from "../reconcile/scout.ts";
import { sweepPass } from "../reconcile/sweep-pass.ts";
import { replayPass } from "../replay/replay-pass.ts";
import { applyRetention } from "../replay/retention.ts";
import { releaseExpired } from "../workers/leases.ts";
import { confirming } from "./confirming.ts";
import type { PassContext, Passes } from "./pass.ts";
import { publishing } from "./publishing.ts";
import { reconcileSource } from "./reconcile-source.ts";
import { routesOf } from "./register.ts";
import { createReplayWorkshop } from "./replay-workshop.ts";

const DAY_MS = 86_400_000;

export function createPasses(context: PassContext): Passes {
  const { db, settings, alarms, log } = context;
  const clients = context.sources.map((source) => ({ source, client: clientOf(source, settings) }));
  const publisher = publishing(context);
  const reconcileOptions = {
    db,
    alarms,
    log,
    leaseMs: settings.LEASE_DURATION,
    sources: clients.map(({ source, client }) => reconcileSource(source, client, settings)),
    onQuestions: context.onQuestions,
  };
  const scout = new Scout(reconcileOptions);
  const confirmer = confirming(context, clients, publisher.handed);
  const workshop = replayWorkshop(context);
  return {
    confirm: confirmer.pass,
    publish: publisher.pass,
    async rescue() {
      if ((await releaseExpired(db, "confirmation")) > 0) context.confirmWake?.raise();
      if ((await releaseExpired(db, "event")) > 0) context.publishWake?.raise();
      return null;
    },
    sweep: (stop) => sweepPass({ ...reconcileOptions, intervalMs: settings.RECONCILE_INTERVAL }, stop),
    scout: (stop) => scout.pass(stop),
    certify: (stop) => certifyPass(reconcileOptions, stop),
    replay: (stop) => replayPass({ ...workshop, alarms, log }, stop),
    async retention() {
      const { partitions, stragglers, unknownQuestions } = await applyRetention({
        db,
        actor: "relay",
        retentionMs: settings.RETENTION,
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
    questionTaker: confirmer.handed,
    async close() {
      await publisher.close();
      await Promise.all(clients.map(({ client }) => client.close()));
    },
  };
}

const clientOf = (source: Source, settings: ServeSettings): CollectionClient =>
  new CollectionClient({
    baseUrl: source.collectionApiUrl,
    apiKey: source.collectionApiKey,
    timeoutMs: settings.CONFIRM_TIMEOUT,
    connections: settings.CONFIRM_CONCURRENCY,
  });

const replayWorkshop = ({ db, settings, sources, onQuestions }: PassContext) =>
  createReplayWorkshop({
    db,
    leaseMs: settings.LEASE_DURATION,
    onQuestions,
    sns: {
      routes: routesOf(sources),
      region: settings.AWS_REGION,
      endpoint: settings.AWS_ENDPOINT_URL_SNS,
    },
  });
