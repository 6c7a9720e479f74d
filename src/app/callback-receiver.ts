import type { RequestHandler } from "express";
import type { Kysely } from "kysely";
import type { ClaimedConfirmation } from "../confirmations/claim.ts";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import { messageOf } from "../kit/errors.ts";
import type { Handoff } from "../kit/handoff.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import { Paced } from "../kit/paced.ts";
import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { CallbackIntake } from "../receive/callback-intake.ts";
import { callbackRoutes } from "../receive/callback-routes.ts";
import { payerPageRoutes } from "../receive/payer-page/payer-page-routes.ts";
import { CallbackLog } from "../record/callback-log.ts";
import { paymentState } from "../record/payment-state.ts";
import { closeAfterAnswer } from "./protect-answers.ts";

export interface CallbackReceiverOptions {
  settings: ServeSettings;
  sources: readonly Source[];
  /** The pool that only recording uses. */
  recording: Kysely<Tables>;
  /** For everything that may wait. */
  working: Kysely<Tables>;
  alarms: Alarms;
  logger: Logger;
  metrics: Metrics;
  onConfirmations: () => void;
  /** A confirmer in this process; null when there is none. */
  handoff: Handoff<ClaimedConfirmation> | null;
  /** A callback named no invoice: the next sweep should come forward. At most once a minute and source. */
  onNothingNamed: (source: string) => void;
}

const NOTHING_NAMED_EVERY_MS = 60_000;
const REFUSED_EVERY_MS = 10_000;
const OVER_BUDGET_EVERY_MS = 60_000;

/** Callbacks within budget for so long, in ms, end the alarm about those that were over it. */
export const OVER_BUDGET_ENDS_MS = 10 * OVER_BUDGET_EVERY_MS;

/** Everything between a callback's request and its answer, put together; `stop` ends what is paced. */
export function callbackReceiver(options: CallbackReceiverOptions): {
  routers: RequestHandler[];
  stop(): void;
} {
  const { settings, sources, recording, working, alarms, logger, metrics } = options;
  const nothingNamed = new Paced({ everyMs: NOTHING_NAMED_EVERY_MS, act: options.onNothingNamed });
  const overBudget = new Paced({ everyMs: OVER_BUDGET_EVERY_MS, act: (key) => void raiseOverBudget(key) });
  const refused = new Paced({ everyMs: REFUSED_EVERY_MS, act: (key) => void raiseRefused(key) });
  const intake = new CallbackIntake({
    sources,
    log: new CallbackLog({
      db: recording,
      onConfirmations: options.onConfirmations,
      handoff: options.handoff,
    }),
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
    ackStatus: settings.CALLBACK_ACK_STATUS,
    ackBody: settings.CALLBACK_ACK_BODY,
    redirectUrl: settings.CALLBACK_REDIRECT_URL ?? null,
    nothingNamed,
    overBudget,
    refused,
  });
  const pages = payerPageRoutes({ stateOf: (id) => paymentState(working, id), logger });

  function raiseOverBudget(key: string): Promise<void> {
    const [source = "", subject = ""] = key.split(" ");
    const detail =
      "Callbacks come over budget: their bodies are cut, their ids are asked for in turn. If the provider " +
      "sends no more than usual, the token has leaked: set a new one in CALLBACK_TOKENS";
    return keep(source, alarms.goesOn({ name: "callbacks_over_budget", source, subject, detail }));
  }

  function raiseRefused(key: string): Promise<void> {
    const [source = "", check = ""] = key.split(" ");
    const detail =
      `Callbacks with a right token fail the check "${check}": someone forges them, or a secret or address ` +
      "changed. They are kept as refused and ask nothing; once the settings are right, run: invoice-relay " +
      "replay callbacks";
    return keep(source, alarms.raise({ name: "callback_refused", source, subject: check, detail }));
  }

  async function keep(source: string, kept: Promise<void>): Promise<void> {
    try {
      await kept;
    } catch (error) {
      logger.warn({ source, error: messageOf(error) }, "an alarm could not be kept");
    }
  }

  return {
    routers: [callbacks, closeAfterAnswer, pages],
    stop: () => {
      nothingNamed.stop();
      overBudget.stop();
      refused.stop();
    },
  };
}
