import { hash } from "node:crypto";
import type { Request } from "express";
import { plainAddress, WrongTokens } from "../kit/addresses.ts";
import { RelayError } from "../kit/errors.ts";
import { faultOf } from "../kit/fault.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { Secret } from "../kit/secret.ts";
import type { Source } from "../kit/sources-file.ts";
import { step } from "../kit/step.ts";
import {
  CallbackBudgets,
  type CallbackCost,
  type OverBudget,
  type ShareBudgets,
} from "./caller/callback-budgets.ts";
import { CallbackTokens, type TokenOwner } from "./caller/callback-tokens.ts";
import { alarmsAbout, CallerChecks } from "./caller/caller-checks.ts";
import type { CallbackCut, CallbackLog, IncomingCallback } from "./log/callback-log.ts";
import type { FailedCheck } from "./log/own-verdict.ts";
import { comesFromBrowser } from "./payer-page/payer-page.ts";
import { type NoBody, readBody } from "./read-body.ts";
import { BODY_LIMIT } from "./reading/decode-body.ts";
import type { Unread } from "./reading/parse-json.ts";
import type { CallbackReading } from "./reading/read-callback.ts";
import { type ReadingThread, readOrHandOver } from "./reading-thread.ts";
import { callbackAddress, findIdsBeside, referenceOf, requestMask } from "./request-texts.ts";

export const CALLBACK_METHODS: readonly string[] = ["POST", "GET", "HEAD"];

export interface CallbackIntakeOptions {
  sources: readonly Source[];
  log: CallbackLog;
  /** Reads what is heavy; null to read everything here. */
  readingThread: ReadingThread | null;
  /** False until the database has been found in order: nothing is recorded before. */
  mayRecord: () => boolean;
  logger: Logger;
  metrics: Metrics;
  wrongTokensPerMinute: number;
  /** What one address may bring in an hour. */
  budgetPerHour: CallbackCost;
}

/** What became of a callback; nothing of it is an exception. */
export type Intake =
  | TurnedAway
  /** Committed. `invoiceIds` have confirmations now, unless a check failed. */
  | ({ kind: "recorded" } & Recorded)
  /** Committed, asking nothing. */
  | ({ kind: "refused"; check: FailedCheck } & Recorded)
  /** Not committed, or nobody can tell: the sender must try again. */
  | { kind: "unrecorded"; retryAfterS: number };

export interface TurnedAway {
  kind: "turned_away";
  status: 400 | 404 | 405 | 413 | 429;
  why: string;
}

interface Recorded {
  id: string;
  source: string;
  token: Secret;
  invoiceIds: readonly string[];
  cut: CallbackCut | null;
}

/** Token → body → checks → ids → budget → record. Whoever holds the response decides what is answered. */
export class CallbackIntake {
  readonly #options: CallbackIntakeOptions;
  readonly #tokens: CallbackTokens;
  readonly #checks: ReadonlyMap<string, CallerChecks>;
  readonly #wrongTokens: WrongTokens;
  readonly #budgets: CallbackBudgets;
  readonly #mask: ReturnType<typeof requestMask>;

  constructor(options: CallbackIntakeOptions) {
    this.#options = options;
    this.#tokens = new CallbackTokens(options.sources);
    this.#checks = new Map(
      options.sources.map((source) => [source.name, new CallerChecks(source.callbackChecks)]),
    );
    this.#wrongTokens = new WrongTokens(options.wrongTokensPerMinute);
    this.#budgets = new CallbackBudgets(options.budgetPerHour);
    this.#mask = requestMask(options.sources);
  }

  /** Shares with the other processes what callers spent of their budgets. */
  shareBudgets(share: ShareBudgets): Promise<void> {
    return this.#budgets.share(share, () => performance.now());
  }

  /** @param traceparent of the request; null while tracing is off. */
  async take(request: Request, traceparent: string | null = null): Promise<Intake> {
    const address = addressOf(request);
    const called = callbackAddress(request.originalUrl);
    const owner = this.#tokens.ownerOf(called.token);
    if (owner === null) return this.#wrongToken(address);
    const { method, headers } = request;
    if (!CALLBACK_METHODS.includes(method))
      return turnedAway(405, "A callback is sent with POST, GET or HEAD.");

    const body = await readBody(request, BODY_LIMIT);
    if (typeof body === "string") return WITHOUT_BODY[body];
    const { name: source } = owner.source;
    // Before anything is inflated or parsed.
    const check = this.#checks.get(source)?.failedBy({ headers, body, address }) ?? null;
    const isRefused = check !== null;
    const reference = referenceOf(called);
    let reading: CallbackReading;
    try {
      const contentType = headers["content-type"] ?? null;
      const contentEncoding = headers["content-encoding"] ?? null;
      const toRead = {
        method,
        query: called.query,
        reference,
        contentType,
        contentEncoding,
        body,
        isRefused,
      };
      reading = await readOrHandOver(this.#options.readingThread, toRead, address);
    } catch (error) {
      return this.#unrecorded(source, error);
    }
    if (reading.kind === "too_large") return tooLarge(", after decompression too");
    const { invoiceIds, foundBy } = reading.kind === "ids" ? reading : NO_IDS;
    // Refused callbacks have a token budget of their own: forgeries spend no real one.
    const caller = { token: isRefused ? `${owner.name} refused` : owner.name, address };
    const cost = { bytes: body.length, callbacks: 1, ids: isRefused ? 0 : invoiceIds.length };
    const overBudget = this.#budgets.take(caller, cost, performance.now());
    const isWhole = overBudget === null && reading.unread.length === 0;
    const kept = isWhole ? { body, cut: null } : this.#cut(source, body, overBudget, reading.unread);
    const { rest, query } = called;
    const texts = this.#mask({ rest, query, reference, rawHeaders: request.rawHeaders });
    const alsoNamed = otherIds(invoiceIds, findIdsBeside(texts), reading.alsoNamed ?? []);
    const callback: IncomingCallback = {
      source,
      method,
      path: texts.path,
      query: texts.query,
      headers: texts.headers,
      reference: texts.reference,
      body: kept.body,
      cut: kept.cut,
      remoteAddress: address === "" ? null : address,
      invoiceIds,
      alsoNamed: overBudget === null ? alsoNamed : alsoNamed.slice(0, NAMED_OVER_BUDGET),
      foundBy,
      verdict: isRefused ? "refused" : reading.kind === "ids" ? null : reading.kind,
      failedCheck: check,
      traceparent,
      raises:
        isRefused || overBudget !== null
          ? alarmsAbout({ source, check, overBudget, isBrowser: comesFromBrowser(request) })
          : NO_ALARMS,
    };
    return await this.#record(callback, owner);
  }

  /** What is kept of a body over budget, or not read whole, and what is said of that. */
  #cut(
    source: string,
    body: Buffer,
    overBudget: OverBudget | null,
    unread: readonly Unread[],
  ): Pick<IncomingCallback, "body" | "cut"> {
    const { callbacksCut } = this.#options.metrics;
    for (const what of unread) callbacksCut.inc({ source, what: `unread_${what}` });
    if (overBudget !== null) callbacksCut.inc({ source, what: overBudget });
    if (overBudget === null || body.length <= KEPT_BYTES)
      return { body, cut: { overBudget, body: null, unread } };
    const whole = { bytes: body.length, sha256: hash("sha256", body) };
    return { body: body.subarray(0, KEPT_BYTES), cut: { overBudget, body: whole, unread } };
  }

  #wrongToken(address: string): Intake {
    return this.#wrongTokens.count(address, performance.now())
      ? turnedAway(429, "Too many wrong addresses were tried from here.")
      : turnedAway(
          404,
          "There is nothing here. Check the callback URL: invoice-relay callback-url prints it.",
        );
  }

  async #record(callback: IncomingCallback, { token }: TokenOwner): Promise<Intake> {
    const { source, invoiceIds, cut, failedCheck: check } = callback;
    if (!this.#options.mayRecord()) return { kind: "unrecorded", retryAfterS: 5 };
    try {
      step("callback read");
      const id = await this.#options.log.append(callback);
      step("callback recorded");
      return check === null
        ? { kind: "recorded", id, source, token, invoiceIds, cut }
        : { kind: "refused", id, source, token, invoiceIds, cut, check };
    } catch (error) {
      return this.#unrecorded(source, error);
    }
  }

  #unrecorded(source: string, error: unknown): Intake {
    this.#options.logger.warn(
      { source, ...faultOf(error) },
      "a callback could not be recorded; its sender was told to try again",
    );
    return { kind: "unrecorded", retryAfterS: error instanceof RelayError && error.next === "retry" ? 1 : 5 };
  }
}

const turnedAway = (status: TurnedAway["status"], why: string): TurnedAway => ({
  kind: "turned_away",
  status,
  why,
});

const tooLarge = (addition = ""): Intake =>
  turnedAway(413, `A callback may hold ${BODY_LIMIT} bytes at most${addition}.`);

const WITHOUT_BODY: Readonly<Record<NoBody, Intake>> = {
  broken_off: turnedAway(400, "The request broke off before its end."),
  too_large: tooLarge(),
  no_room: { kind: "unrecorded", retryAfterS: 1 },
  too_many_pieces: turnedAway(413, "The body came in too many small chunks."),
};

const NO_IDS = { invoiceIds: [], foundBy: null };
const NO_ALARMS: IncomingCallback["raises"] = [];

/** How many bytes are kept of a body over budget: more than an honest callback has. */
const KEPT_BYTES = 4_096;

/** How many other UUIDs are noted of a callback over budget: more than stand in what is kept of it. */
const NAMED_OVER_BUDGET = 256;

/** The UUIDs that erasing finds a callback by, beside its invoice ids. */
function otherIds(
  invoiceIds: readonly string[],
  beside: readonly string[],
  inBody: readonly string[],
): string[] {
  if (beside.length + inBody.length === 0) return [];
  const named = new Set([...beside, ...inBody]);
  for (const id of invoiceIds) named.delete(id);
  return [...named];
}

/** As a trusted proxy names it, if well-formed: a proxy may pass on anything. */
function addressOf(request: Request): string {
  const peer = request.socket.remoteAddress ?? "";
  const direct = plainAddress(peer) ?? peer;
  if (request.headers["x-forwarded-for"] === undefined) return direct;
  return plainAddress(request.ip ?? "") ?? direct;
}
