import type { ClaimedConfirmation } from "../confirm/queue/claim.ts";
import { faultOf } from "../kit/fault.ts";
import { Paced } from "../kit/waiting.ts";
import { CallbackIntake } from "../receive/callback-intake.ts";
import { callbackRoutes } from "../receive/callback-routes.ts";
import { shareBudgets } from "../receive/caller/callback-budgets.ts";
import { CallbackLog } from "../receive/log/callback-log.ts";
import { paymentState } from "../receive/log/callbacks-about.ts";
import { payerPageRoutes } from "../receive/payer-page/payer-page-routes.ts";
import { ReadingThread } from "../receive/reading-thread.ts";
import type { Handoff } from "../work/policy.ts";
import type { RelayParts } from "./compose.ts";
import { closeAfterAnswer } from "./http-app.ts";

interface ReceiverOptions {
  /** A confirmer in this process; null when there is none. */
  handoff: Handoff<ClaimedConfirmation> | null;
  /** Whether heavy callbacks are read in a thread of their own, as where one process takes many at once. */
  hasReadingThread: boolean;
  /** False while the start waits for the database; always true when left out. */
  mayRecord?: () => boolean;
}

const NOTHING_NAMED_EVERY_MS = 60_000;
const SHARE_EVERY_MS = 1_000;

/** Puts together everything between a callback's request and its answer. */
export function callbackReceiver(
  parts: RelayParts,
  { handoff, hasReadingThread, mayRecord = () => true }: ReceiverOptions,
) {
  const { settings, sources, recording, db, database, alarms, metrics, tracer = null, log: logger } = parts;
  const nothingNamed = new Paced({ everyMs: NOTHING_NAMED_EVERY_MS, act: parts.onNothingNamed });
  const onFault = (error: unknown) => logger.error(faultOf(error), "a callback could not be read");
  const readingThread = hasReadingThread ? new ReadingThread({ onFault }) : null;
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
  const intake = new CallbackIntake({
    sources,
    readingThread,
    log,
    mayRecord,
    logger,
    metrics,
    wrongTokensPerMinute: settings.WRONG_TOKENS_PER_MINUTE,
    budgetPerHour: {
      bytes: settings.CALLBACK_MEBIBYTES_PER_HOUR * 1024 ** 2,
      callbacks: settings.CALLBACKS_PER_HOUR,
      ids: settings.CALLBACK_IDS_PER_HOUR,
    },
  });
  const callbacks = callbackRoutes({
    intake,
    metrics,
    tracer,
    ackStatus: settings.CALLBACK_ACK_STATUS,
    ackBody: settings.CALLBACK_ACK_BODY,
    redirectUrl: settings.CALLBACK_REDIRECT_URL ?? null,
    nothingNamed,
  });
  const pages = payerPageRoutes({
    stateOf: (id) => paymentState(db, id),
    tokens: sources.flatMap(({ callbackTokens }) => callbackTokens),
    logger,
  });

  const shareSpent = async () => {
    try {
      await intake.shareBudgets((spent) => shareBudgets(db, spent));
    } catch (error) {
      logger.debug(faultOf(error), "budgets could not be shared; they are shared later");
    }
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    routers: [callbacks, closeAfterAnswer, pages],
    /** Shares with the other processes what callers spent of their budgets; to be called where no timer runs. */
    shareBudgets: shareSpent,
    startSharing: () => {
      timer = setInterval(() => void shareSpent(), SHARE_EVERY_MS).unref();
    },
    stop: () => {
      clearInterval(timer);
      nothingNamed.stop();
      readingThread?.stop();
    },
  };
}
