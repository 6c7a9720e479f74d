import type { ClaimedConfirmation } from "../confirm/queue/claim.ts";
import { Paced } from "../kit/waiting.ts";
import { CallbackIntake } from "../receive/callback-intake.ts";
import { callbackRoutes } from "../receive/callback-routes.ts";
import { CallbackLog } from "../receive/log/callback-log.ts";
import type { Handoff } from "../work/policy.ts";
import type { RelayParts } from "./compose.ts";

interface ReceiverOptions {
  /** A confirmer in this process; null when there is none. */
  handoff: Handoff<ClaimedConfirmation> | null;
  /** False while the start waits for the database; always true when left out. */
  mayRecord?: () => boolean;
}

const NOTHING_NAMED_EVERY_MS = 60_000;

/** Puts together everything between a callback's request and its answer. */
export function callbackReceiver(parts: RelayParts, { handoff, mayRecord = () => true }: ReceiverOptions) {
  const { settings, sources, recording, database, alarms, metrics, tracer = null, log: logger } = parts;
  const nothingNamed = new Paced({ everyMs: NOTHING_NAMED_EVERY_MS, act: parts.onNothingNamed });
  const log = new CallbackLog({
    db: recording,
    onConfirmations: parts.onConfirmations,
    onAlarms: (raised) => alarms.notify(raised),
    onCommit: () => database.noteCommit(),
    onFailure: (error) => database.noteFailure(error),
    handoff,
    tracer,
  });
  database.retryWith(() => log.retryFailed());
  const router = callbackRoutes({
    intake: new CallbackIntake({ sources, log, mayRecord, logger }),
    metrics,
    tracer,
    ackStatus: settings.CALLBACK_ACK_STATUS,
    ackBody: settings.CALLBACK_ACK_BODY,
    redirectUrl: settings.CALLBACK_REDIRECT_URL ?? null,
    nothingNamed,
  });
  return { router, stop: () => nothingNamed.stop() };
}
