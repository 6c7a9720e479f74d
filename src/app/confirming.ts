import { CollectionNames } from "../confirm/collection-names.ts";
import { ConfirmLine, confirmPolicy } from "../confirm/confirm-line.ts";
import { statusSets } from "../confirm/invoices/confirmed-invoice.ts";
import { newestInvoiceId } from "../confirm/invoices/read-invoices.ts";
import { OutcomeStore } from "../confirm/outcome-store.ts";
import type { Claimed } from "../confirm/queue/claim.ts";
import { KeyProbe, SourceProof } from "../confirm/source-proof.ts";
import type { Source } from "../kit/sources-file.ts";
import type { Provider } from "../provider/provider.ts";
import type { ClaimedEvent } from "../publish/claim-events.ts";
import { hurryListWork } from "../reconcile/leftovers.ts";
import { UnknownIds } from "../upstreams/unknown-ids.ts";
import { Upstream } from "../upstreams/upstream.ts";
import { SOURCE } from "../upstreams/upstream-kind.ts";
import type { Handoff } from "../work/policy.ts";
import { Pump } from "../work/pump.ts";
import { Signal } from "../work/signal.ts";
import type { JobContext } from "./job.ts";
import { routesOf } from "./upstreams.ts";

/** What confirms in one process. @param events where new events may go without a claim; null for nowhere */
export function createConfirmPump(
  context: JobContext,
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
  { db, hot, settings, lease, alarms, metrics, tracer = null }: JobContext,
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
