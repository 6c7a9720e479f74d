import { isIP } from "node:net";
import type { Request } from "express";
import { messageOf, RelayError } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Source } from "../kit/source.ts";
import { step } from "../kit/step.ts";
import type { CallbackLog, IncomingCallback } from "../record/callback-log.ts";
import { callbackAddress } from "./callback-address.ts";
import { CallbackTokens } from "./caller/callback-tokens.ts";
import { CallerChecks, type FailedCheck } from "./caller/caller-checks.ts";
import { WrongTokens } from "./caller/wrong-tokens.ts";
import { readBody } from "./read-body.ts";
import { type Reading, readCallback } from "./reading/read-callback.ts";
import { SecretMask } from "./secret-mask.ts";

/** The most bytes of a callback's body, as sent and after decompression. */
export const BODY_LIMIT = 256 * 1024;

export const CALLBACK_METHODS = ["POST", "GET", "HEAD"] as const;

export interface CallbackIntakeOptions {
  sources: readonly Source[];
  log: CallbackLog;
  logger: Logger;
  metrics: Metrics;
  wrongTokensPerMinute: number;
}

/** What became of a callback; nothing of it is an exception. */
export type Intake =
  | { kind: "turned_away"; status: 400 | 404 | 405 | 413 | 429; why: string }
  /** Committed. `invoiceIds` are questions now, unless a check failed. */
  | { kind: "recorded"; id: string; source: string; invoiceIds: readonly string[] }
  /** Committed, asking nothing. */
  | { kind: "refused"; id: string; source: string; invoiceIds: readonly string[]; check: FailedCheck }
  /** Not committed, or nobody can tell: the sender must try again. */
  | { kind: "unrecorded"; retryAfterS: number };

/** Who may call → read → judge → record. What is answered is decided by whoever holds the response. */
export class CallbackIntake {
  readonly #options: CallbackIntakeOptions;
  readonly #tokens: CallbackTokens;
  readonly #checks: ReadonlyMap<string, CallerChecks>;
  readonly #wrongTokens: WrongTokens;
  readonly #mask: SecretMask;

  constructor(options: CallbackIntakeOptions) {
    this.#options = options;
    this.#tokens = new CallbackTokens(options.sources);
    this.#checks = new Map(
      options.sources.map((source) => [source.name, new CallerChecks(source.callbackChecks)]),
    );
    this.#wrongTokens = new WrongTokens(options.wrongTokensPerMinute);
    this.#mask = new SecretMask(options.sources);
  }

  async take(request: Request): Promise<Intake> {
    const address = addressOf(request);
    const { token, reference, query, path } = callbackAddress(request.originalUrl);
    const source = this.#tokens.sourceOf(token);
    if (source === null) return this.#wrongToken(address);
    if (!CALLBACK_METHODS.some((method) => method === request.method))
      return { kind: "turned_away", status: 405, why: "A callback is sent with POST, GET or HEAD." };

    const outcome = await readBody(request, BODY_LIMIT);
    if (outcome.kind === "broken_off")
      return { kind: "turned_away", status: 400, why: "The request broke off before its end." };
    if (outcome.kind === "too_large") return tooLarge("");
    const { body } = outcome;
    const reading = readCallback(
      {
        method: request.method,
        query,
        reference,
        contentType: request.headers["content-type"] ?? null,
        contentEncoding: request.headers["content-encoding"] ?? null,
        body,
      },
      { inflatedBytes: BODY_LIMIT },
    );
    if (reading.kind === "too_large") return tooLarge(", after decompression too");

    const check =
      this.#checks.get(source.name)?.failedBy({ headers: request.headers, body, address }, new Date()) ??
      null;
    return await this.#record(
      {
        source: source.name,
        method: request.method,
        ...this.#mask.mask({ path, query, reference, rawHeaders: request.rawHeaders }),
        body,
        remoteAddress: address === "" ? null : address,
        ...whatWasRead(reading),
        ...(check === null ? {} : { verdict: "refused" }),
      },
      check,
    );
  }

  #wrongToken(address: string): Intake {
    return this.#wrongTokens.count(address, Date.now())
      ? { kind: "turned_away", status: 429, why: "Too many wrong addresses were tried from here." }
      : {
          kind: "turned_away",
          status: 404,
          why: "There is nothing here. Check the callback URL: invoice-relay callback-url prints it.",
        };
  }

  async #record(callback: IncomingCallback, check: FailedCheck | null): Promise<Intake> {
    const { source, invoiceIds } = callback;
    try {
      step("callback read");
      const id = await this.#options.log.append(callback);
      step("callback recorded");
      return check === null
        ? { kind: "recorded", id, source, invoiceIds }
        : { kind: "refused", id, source, invoiceIds, check };
    } catch (error) {
      this.#options.logger.warn(
        { source, error: messageOf(error) },
        "a callback could not be recorded; its sender was told to try again",
      );
      return {
        kind: "unrecorded",
        retryAfterS: error instanceof RelayError && error.next === "retry" ? 1 : 5,
      };
    }
  }
}

const tooLarge = (addition: string): Intake => ({
  kind: "turned_away",
  status: 413,
  why: `A callback may hold ${BODY_LIMIT} bytes at most${addition}.`,
});

function whatWasRead(
  reading: Exclude<Reading, { kind: "too_large" }>,
): Pick<IncomingCallback, "invoiceIds" | "foundBy" | "verdict"> {
  return reading.kind === "ids"
    ? { invoiceIds: reading.invoiceIds, foundBy: reading.foundBy, verdict: null }
    : { invoiceIds: [], foundBy: null, verdict: reading.kind };
}

/** Behind a trusted proxy the client's own; a proxy may pass on anything, so only a real address counts. */
function addressOf(request: Request): string {
  const direct = request.socket.remoteAddress ?? "";
  if (request.headers["x-forwarded-for"] === undefined) return direct;
  const claimed = request.ip ?? "";
  return isIP(claimed) === 0 ? direct : claimed;
}
