import type { CollectionClient } from "../collection-api/index.ts";
import { confirmPass } from "../confirm/confirm-pass.ts";
import { ConfirmSource } from "../confirm/confirm-source.ts";
import { type FreshQuestion, HandedQuestions } from "../confirm/handed-questions.ts";
import { KeyProbe } from "../confirm/key-probe.ts";
import { SourceGate } from "../confirm/source-gate.ts";
import { messageOf } from "../kit/errors.ts";
import type { Source } from "../kit/sources.ts";
import { type EventTaker, SettlementStore } from "../store/settlement-store.ts";
import { releaseQuestions } from "../workers/leases.ts";
import { Signal } from "../workers/signal.ts";
import type { Pass, PassContext } from "./pass.ts";

/** The confirming pass of one process, over the clients of its sources, and how new questions get to it. */
export function confirming(
  context: PassContext,
  clients: readonly { source: Source; client: CollectionClient }[],
  taker: EventTaker | null,
): { pass: Pass; handed: HandedQuestions | null } {
  const { hot, settings, alarms, log, metrics } = context;
  const { CONFIRM_RATE_PER_SECOND: rate, LEASE_DURATION: leaseMs } = settings;
  const release = (questions: readonly FreshQuestion[]) =>
    void releaseQuestions(hot, questions).catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, "leases could not be given back; they run out by themselves");
    });
  // Without a wake-up nobody records beside the confirmer; under a limit of questions a second every claim is counted.
  const handed =
    context.confirmWake === undefined || (rate ?? null) !== null
      ? null
      : new HandedQuestions({ leaseMs, release });
  const options = {
    db: hot,
    alarms,
    log,
    metrics,
    store: new SettlementStore({ db: hot, onEvents: context.onEvents, taker }),
    sources: clients.map(({ source, client }) => confirmSource(context, source, client)),
    concurrency: settings.CONFIRM_CONCURRENCY,
    timeoutMs: settings.CONFIRM_TIMEOUT,
    leaseMs,
    wake: context.confirmWake ?? new Signal(),
    handed,
  };
  return { pass: (stop) => confirmPass(options, stop), handed };
}

function confirmSource(
  { db, settings, alarms }: PassContext,
  source: Source,
  client: CollectionClient,
): ConfirmSource {
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
}

const lowerCase = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.map((word) => word.trim().toLowerCase()));
