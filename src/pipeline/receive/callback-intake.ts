import type { Request } from "express";
import type { FailedCheck, Source } from "../../platform/config/index.ts";
import { faultOf, RelayError } from "../../platform/errors/index.ts";
import { plainAddress } from "../../platform/http/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { failpoint } from "../../platform/process/index.ts";
import { CallbackTokens, CallerChecks, refusedAlarm } from "./caller/verifiers.ts";
import type { IncomingCallback } from "./log/append-statements.ts";
import type { CallbackLog } from "./log/callback-log.ts";
import {
  callbackAddress,
  comesFromBrowser,
  idsInHeaders,
  type NoBody,
  readBody,
  referenceOf,
  requestMask,
} from "./read-request.ts";
import { BODY_LIMIT } from "./reading/decode-body.ts";
import { type CallbackReading, readCallback } from "./reading/read-callback.ts";

export const CALLBACK_METHODS: readonly string[] = ["POST", "GET", "HEAD"];

interface CallbackIntakeOptions {
  sources: readonly Source[];
  log: CallbackLog;
  /** False until the database has been found in order: nothing is recorded before. */
  mayRecord: () => boolean;
  logger: Logger;
}

/** The outcome of a callback, never an exception. */
export type Intake =
  | TurnedAway
  /** Committed. `invoiceIds` have confirmations now, unless a check failed. */
  | ({ kind: "recorded" } & Recorded)
  /** Committed, asking nothing. */
  | ({ kind: "refused"; check: FailedCheck } & Recorded)
  /** Not committed, or nobody can tell: the sender must try again. */
  | { kind: "unrecorded"; retryAfterS: number };

const TURNED_AWAY = [400, 404, 405, 413] as const;

/** All that a callback is answered: a browser 200 or 303, one that failed a check 400. */
export const callbackStatuses = (ackStatus: number): number[] => [
  ...new Set([ackStatus, 200, 303, ...TURNED_AWAY, 503]),
];

export interface TurnedAway {
  kind: "turned_away";
  status: (typeof TURNED_AWAY)[number];
  why: string;
}

interface Recorded {
  id: string;
  source: string;
  invoiceIds: readonly string[];
}

/** Token → body → checks → ids → record. The holder of the response chooses the answer. */
export class CallbackIntake {
  readonly #options: CallbackIntakeOptions;
  readonly #tokens: CallbackTokens;
  readonly #checks: ReadonlyMap<string, CallerChecks>;
  readonly #mask: ReturnType<typeof requestMask>;

  constructor(options: CallbackIntakeOptions) {
    this.#options = options;
    this.#tokens = new CallbackTokens(options.sources);
    this.#checks = new Map(
      options.sources.map((source) => [source.name, new CallerChecks(source.callbackChecks)]),
    );
    this.#mask = requestMask(options.sources);
  }

  /** @param traceparent of the request; null while tracing is off. */
  async take(request: Request, traceparent: string | null = null): Promise<Intake> {
    const address = addressOf(request);
    const called = callbackAddress(request.originalUrl);
    const found = this.#tokens.sourceOf(called.token);
    if (found === null) {
      // Left unread, Node would read any body to its end.
      await readBody(request, BODY_LIMIT);
      return WRONG_TOKEN;
    }
    const { method, headers } = request;
    if (!CALLBACK_METHODS.includes(method))
      return turnedAway(405, "A callback is sent with POST, GET or HEAD.");

    const body = await readBody(request, BODY_LIMIT);
    if (typeof body === "string") return WITHOUT_BODY[body];
    const { name: source } = found;
    const checks = this.#checks.get(source);
    const check = checks?.failedBy({ headers, body, address }) ?? null;
    const reference = referenceOf(called);
    const reading = readCallback({
      method,
      query: called.query,
      reference,
      contentType: headers["content-type"] ?? null,
      body,
    });
    const { invoiceIds, foundBy } = reading.kind === "ids" ? reading : NO_IDS;
    const { rest, query } = called;
    const texts = this.#mask({ rest, query, reference, rawHeaders: request.rawHeaders });
    return await this.#record({
      source,
      method,
      path: texts.path,
      query: texts.query,
      headers: texts.headers,
      reference: texts.reference,
      body,
      remoteAddress: address === "" ? null : address,
      invoiceIds,
      alsoNamed: otherIds(reading, idsInHeaders(texts.headers)),
      foundBy,
      verdict: check !== null ? "refused" : reading.kind === "ids" ? null : reading.kind,
      failedCheck: check,
      traceparent,
      // A payer's browser signs nothing, and is no reason to alarm a person.
      raises:
        check === null || comesFromBrowser(request)
          ? NO_ALARMS
          : [refusedAlarm(source, check, checks?.headers ?? [])],
    });
  }

  async #record(callback: IncomingCallback): Promise<Intake> {
    const { source, invoiceIds, failedCheck: check } = callback;
    if (!this.#options.mayRecord()) return { kind: "unrecorded", retryAfterS: 5 };
    try {
      failpoint("callback read");
      const id = await this.#options.log.append(callback);
      failpoint("callback recorded");
      return check === null
        ? { kind: "recorded", id, source, invoiceIds }
        : { kind: "refused", id, source, invoiceIds, check };
    } catch (error) {
      return this.#unrecorded(source, error);
    }
  }

  #unrecorded(source: string, error: unknown): Intake {
    this.#options.logger.warn(
      { source, ...faultOf(error) },
      "a callback could not be recorded; its sender was asked to try again",
    );
    return { kind: "unrecorded", retryAfterS: error instanceof RelayError && error.next === "retry" ? 1 : 5 };
  }
}

const turnedAway = (status: TurnedAway["status"], why: string): TurnedAway => ({
  kind: "turned_away",
  status,
  why,
});

const WRONG_TOKEN = turnedAway(
  404,
  "There is nothing here. Check the callback URL: invoice-relay callback-url prints it.",
);

const WITHOUT_BODY: Readonly<Record<NoBody, Intake>> = {
  broken_off: turnedAway(400, "The request broke off before its end."),
  too_large: turnedAway(413, `A callback may hold ${BODY_LIMIT} bytes at most.`),
};

const NO_IDS = { invoiceIds: [], foundBy: null };
const NO_ALARMS: IncomingCallback["raises"] = [];

/** The UUIDs that erasing finds the callback by, beside its invoice ids. */
function otherIds(reading: CallbackReading, inHeaders: readonly string[]) {
  if (inHeaders.length === 0) return reading.alsoNamed;
  const named = new Set([...reading.alsoNamed, ...inHeaders]);
  if (reading.kind === "ids") for (const id of reading.invoiceIds) named.delete(id);
  return [...named];
}

/** As a trusted proxy names it, if well-formed: a proxy may pass on anything. */
function addressOf(request: Request): string {
  const peer = request.socket.remoteAddress ?? "";
  const direct = plainAddress(peer) ?? peer;
  if (request.headers["x-forwarded-for"] === undefined) return direct;
  return plainAddress(request.ip ?? "") ?? direct;
}
