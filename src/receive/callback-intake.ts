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
import { CallbackBudgets, type CallbackCost, type ShareBudgets } from "./caller/callback-budgets.ts";
import { CallbackTokens, type TokenOwner } from "./caller/callback-tokens.ts";
import { alarmsAbout, CallerChecks } from "./caller/caller-checks.ts";
import type { CallbackCut, CallbackLog, IncomingCallback } from "./log/callback-log.ts";
import type { FailedCheck } from "./log/own-verdict.ts";
import { comesFromBrowser } from "./payer-page/payer-page.ts";
import { readBody } from "./read-body.ts";
import type { ReadingThread } from "./reading-thread.ts";
import { callbackAddress, type MaskedTexts, requestMask } from "./request-texts.ts";
import { BODY_LIMIT, findIdsBeside, type NamedIds, namedIn } from "./what-is-named.ts";

export const CALLBACK_METHODS = ["POST", "GET", "HEAD"] as const;

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
  | { kind: "turned_away"; status: 400 | 404 | 405 | 413 | 429; why: string }
  /** Committed. `invoiceIds` have confirmations now, unless a check failed. */
  | ({ kind: "recorded" } & Recorded)
  /** Committed, asking nothing. */
  | ({ kind: "refused"; check: FailedCheck } & Recorded)
  /** Not committed, or nobody can tell: the sender must try again. */
  | { kind: "unrecorded"; retryAfterS: number };

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
    if (!CALLBACK_METHODS.some((method) => method === request.method))
      return { kind: "turned_away", status: 405, why: "A callback is sent with POST, GET or HEAD." };

    const outcome = await readBody(request, BODY_LIMIT);
    if (outcome.kind === "broken_off")
      return { kind: "turned_away", status: 400, why: "The request broke off before its end." };
    if (outcome.kind === "too_large") return tooLarge("");
    if (outcome.kind === "no_room") return { kind: "unrecorded", retryAfterS: 1 };
    if (outcome.kind === "too_many_pieces")
      return { kind: "turned_away", status: 413, why: "The body came in too many small chunks." };
    const { body } = outcome;
    const { source } = owner;
    const { reference, query, path } = called;
    // Before anything is inflated or parsed.
    const check =
      this.#checks.get(source.name)?.failedBy({ headers: request.headers, body, address }, new Date()) ??
      null;
    let read: NamedIds | "too_large";
    try {
      const how = { thread: this.#options.readingThread, isRefused: check !== null };
      read = await namedIn(request, { address, query, reference, body }, how);
    } catch (error) {
      return this.#unrecorded(source.name, error);
    }
    if (read === "too_large") return tooLarge(", after decompression too");
    const kept = this.#withinBudget(owner, address, body, { ...read, isRefused: check !== null });
    const overBudget = kept.cut?.overBudget ?? null;
    const texts = this.#mask({ path, query, reference, rawHeaders: request.rawHeaders });
    return await this.#record(
      {
        source: source.name,
        method: request.method,
        ...texts,
        ...kept,
        remoteAddress: address === "" ? null : address,
        invoiceIds: read.invoiceIds,
        alsoNamed: collectAlsoNamed(read, texts, overBudget !== null),
        foundBy: read.foundBy,
        verdict: read.verdict,
        failedCheck: check,
        traceparent,
        raises: alarmsAbout({
          source: source.name,
          check,
          overBudget,
          isBrowser: comesFromBrowser(request),
        }),
      },
      owner,
      check,
    );
  }

  /** And what was cut of it. Refused callbacks have a token budget of their own: forgeries spend no real one. */
  #withinBudget(
    { source, name }: TokenOwner,
    address: string,
    body: Buffer,
    { invoiceIds, unread, isRefused }: Pick<NamedIds, "invoiceIds" | "unread"> & { isRefused: boolean },
  ): Pick<IncomingCallback, "body" | "cut"> {
    const cost = { bytes: body.length, callbacks: 1, ids: isRefused ? 0 : invoiceIds.length };
    const caller = { token: isRefused ? `${name} refused` : name, address };
    const overBudget = this.#budgets.take(caller, cost, performance.now());
    if (overBudget === null && unread.length === 0) return { body, cut: null };
    const { metrics } = this.#options;
    if (overBudget !== null) metrics.callbacksCut.inc({ source: source.name, what: overBudget });
    for (const what of unread) metrics.callbacksCut.inc({ source: source.name, what: `unread_${what}` });
    const kept = overBudget === null ? { body, cut: null } : cutBody(body);
    return { body: kept.body, cut: { overBudget, body: kept.cut, unread } };
  }

  #wrongToken(address: string): Intake {
    return this.#wrongTokens.count(address, performance.now())
      ? { kind: "turned_away", status: 429, why: "Too many wrong addresses were tried from here." }
      : {
          kind: "turned_away",
          status: 404,
          why: "There is nothing here. Check the callback URL: invoice-relay callback-url prints it.",
        };
  }

  async #record(
    callback: IncomingCallback,
    { token }: TokenOwner,
    check: FailedCheck | null,
  ): Promise<Intake> {
    const { source, invoiceIds, cut } = callback;
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

/** More than stand in what is kept of a callback over budget. */
const NAMED_OVER_BUDGET = 256;

/** The UUIDs that erasing finds a callback by, beside its invoice ids. */
function collectAlsoNamed(
  { invoiceIds, alsoNamed }: NamedIds,
  texts: MaskedTexts,
  isOverBudget: boolean,
): string[] {
  const named = new Set([...findIdsBeside(texts), ...alsoNamed]);
  for (const id of invoiceIds) named.delete(id);
  return isOverBudget ? [...named].slice(0, NAMED_OVER_BUDGET) : [...named];
}

const tooLarge = (addition: string): Intake => ({
  kind: "turned_away",
  status: 413,
  why: `A callback may hold ${BODY_LIMIT} bytes at most${addition}.`,
});

/** As a trusted proxy names it, if well-formed: a proxy may pass on anything. */
function addressOf(request: Request): string {
  const peer = request.socket.remoteAddress ?? "";
  const direct = plainAddress(peer) ?? peer;
  if (request.headers["x-forwarded-for"] === undefined) return direct;
  return plainAddress(request.ip ?? "") ?? direct;
}

/** How many bytes are kept of a body over budget: more than an honest callback has. */
const KEPT_BYTES = 4_096;

/** A body over budget as it is recorded: whole when it is short, else its beginning and what was cut. */
const cutBody = (body: Buffer) =>
  body.length <= KEPT_BYTES
    ? { body, cut: null }
    : { body: body.subarray(0, KEPT_BYTES), cut: { bytes: body.length, sha256: hash("sha256", body) } };
