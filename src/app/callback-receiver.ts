import type { RequestHandler } from "express";
import type { Kysely } from "kysely";
import type { ClaimedConfirmation } from "../confirmations/claim.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Handoff } from "../kit/handoff.ts";
import type { Logger } from "../kit/log.ts";
import { Paced } from "../kit/paced.ts";
import type { Tracer } from "../kit/trace.ts";
import { CallbackIntake } from "../receive/callback-intake.ts";
import { callbackRoutes } from "../receive/callback-routes.ts";
import { payerPageRoutes } from "../receive/payer-page/payer-page-routes.ts";
import { ReadingThread } from "../receive/reading-thread.ts";
import { BODY_LIMIT } from "../receive/what-is-named.ts";
import { shareBudgets } from "../record/callback-budgets.ts";
import { CallbackLog } from "../record/callback-log.ts";
import { paymentState } from "../record/payment-state.ts";
import type { Shared } from "./pass.ts";
import { closeAfterAnswer } from "./protect-answers.ts";

export interface CallbackReceiverOptions extends Omit<Shared, "db" | "log" | "onEvents"> {
  /** The pool that only recording uses. */
  recording: Kysely<Tables>;
  /** For everything that may wait. */
  working: Kysely<Tables>;
  logger: Logger;
  tracer: Tracer | null;
  /** A confirmer in this process; null when there is none. */
  handoff: Handoff<ClaimedConfirmation> | null;
  /**
   * A callback named no invoice: the next sweep should come sooner. Called at most once a minute for each
   * source.
   */
  onNothingNamed: (source: string) => void;
  /** Whether heavy callbacks are read in a thread of their own, as where one process takes many at once. */
  hasReadingThread: boolean;
  /** False while the start waits for the database; always true when left out. */
  mayRecord?: () => boolean;
}

const NOTHING_NAMED_EVERY_MS = 60_000;
const SHARE_EVERY_MS = 1_000;

export interface CallbackReceiver {
  routers: RequestHandler[];
  /**
   * Shares with the other processes what callers spent of their budgets; to be called where no timer runs.
   */
  shareBudgets(): Promise<void>;
  /** Shares budgets each second from now on. */
  startSharing(): void;
  /** Stops the timers and the reading thread. */
  stop(): void;
}

/** Puts together everything between a callback's request and its answer. */
export function callbackReceiver(options: CallbackReceiverOptions): CallbackReceiver {
  const { settings, sources, recording, working, alarms, logger, metrics, tracer } = options;
  const nothingNamed = new Paced({ everyMs: NOTHING_NAMED_EVERY_MS, act: options.onNothingNamed });
  const readingThread = options.hasReadingThread ? new ReadingThread({ inflatedBytes: BODY_LIMIT }) : null;
  const intake = new CallbackIntake({
    sources,
    readingThread,
    log: new CallbackLog({
      db: recording,
      onConfirmations: options.onConfirmations,
      onAlarms: (raised) => alarms.tell(raised),
      handoff: options.handoff,
      tracer,
    }),
    mayRecord: options.mayRecord ?? (() => true),
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
    stateOf: (id) => paymentState(working, id),
    tokens: sources.flatMap(({ callbackTokens }) => callbackTokens),
    logger,
  });

  const shareSpent = async () => {
    try {
      await intake.shareBudgets((spent) => shareBudgets(working, spent));
    } catch (error) {
      logger.debug({ error: messageOf(error) }, "budgets could not be shared; they are shared later");
    }
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    routers: [callbacks, closeAfterAnswer, pages],
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
