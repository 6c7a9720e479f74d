import type { z } from "zod";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import { DAY_MS, isTooIntricate } from "../../platform/values/index.ts";
import { type CollectionApiErrorKind, type FaultDetails, meaningOf } from "./collection-api-error.ts";
import { leaveOutIntricate, parseExactJson } from "./contract/exact-json.ts";
import { type Envelope, envelopeRead, SPECIFIED_MESSAGES, saysSuccess } from "./contract/operations.ts";
import type { HttpAnswer } from "./send-request.ts";

/** A success: what was read, and what it was read from. */
export interface ClassifiedAnswer<Data> {
  data: Data;
  /** The answer's `data` as parsed; numbers that JavaScript would change are kept as raw JSON. */
  document: unknown;
  message: string;
  text: string;
  /** Fields of `data` were too intricate to be read: `document` only says so in their place. */
  leftOut: boolean;
}

/** A page of a thousand invoices has ten thousand pieces; so many of any kind take about 25 ms (G12). */
const ANSWER_LIMITS = { depth: 64, pieces: 20_000 };

/** Interface, part A; error statuses from part B. Pure. @param read the schema of the answer's `data`. */
export function classifyAnswer<Data>(
  answer: HttpAnswer,
  read: z.ZodType<Data>,
  now: Date,
): ClassifiedAnswer<Data> | FaultDetails {
  const { status, text } = answer;
  const outside = (detail: string, more: Partial<FaultDetails> = {}): FaultDetails => ({
    ...{ kind: "outside_contract", detail, status, evidence: text },
    ...more,
  });
  if (header(answer, "content-encoding") !== undefined)
    return outside("answered in an encoding that was not requested", { evidence: undefined });

  // Where no data is expected, "No content" is a whole answer.
  const body = status === 204 ? NO_CONTENT : parse(text);
  const said = envelopeRead.safeParse(body.json).data;
  const kind = faultOf(status, said);
  if (kind !== undefined) return refusal(kind, answer, said, now);
  if (body.isTooIntricate)
    return outside("answered with a document that is too deep, or of too many pieces, to be an answer");
  if (body.json === undefined)
    return outside("answered with something that is not JSON", { kind: "broken_json" });
  if (said === undefined || !saysSuccess(said.status))
    return outside("answered with an envelope that says neither success nor which failure", {
      providerMessage: said?.message ?? undefined,
    });
  const data = read.safeParse(said.data, { error: ownWords });
  if (!data.success) {
    const problems = problemsOf(data.error).map((problem) => `data: ${problem}`);
    return outside("answered outside the contract", { problems });
  }
  const { leftOut = false } = body;
  return { data: data.data, document: said.data, message: said.message ?? "", text, leftOut };
}

interface Parsed {
  /** Left out where the text is no JSON, or was not read. */
  json?: unknown;
  isTooIntricate?: boolean;
  leftOut?: boolean;
}

const NO_CONTENT: Parsed = { json: { status: "success" } };

function parse(text: string): Parsed {
  if (isTooIntricate(text, ANSWER_LIMITS)) {
    const rest = leaveOutIntricate(text);
    return isTooIntricate(rest, ANSWER_LIMITS) ? { isTooIntricate: true } : { ...parse(rest), leftOut: true };
  }
  try {
    return { json: parseExactJson(text.startsWith("\uFEFF") ? text.slice(1) : text) };
  } catch {
    return {};
  }
}

/** The fault that status and message name; undefined for an HTTP status and envelope without a fault. */
function faultOf(status: number, said: Envelope | undefined): CollectionApiErrorKind | undefined {
  const holdsData = said?.data !== undefined && said.data !== null;
  if (!holdsData) {
    if (says(said, SPECIFIED_MESSAGES.unknownInvoice)) return "not_found";
    if (says(said, SPECIFIED_MESSAGES.notPayable)) return "rule_refused";
  }
  // A part of an answer proves nothing of the whole.
  if (status < 200 || status >= 300 || status === PARTIAL) return kindOfStatus(status);
  const inEnvelope = said?.status?.trim() ?? "";
  return /^[45]\d\d$/.test(inEnvelope) ? kindOfStatus(Number(inEnvelope)) : undefined;
}

const PARTIAL = 206;

/** How many of an answer's errors, and messages how long in characters, are compared with specified ones. */
const ERRORS_COMPARED = 20;
const LONGEST_MESSAGE = 200;

const says = (said: Envelope | undefined, message: string): boolean =>
  [said?.message ?? "", ...(said?.errors ?? []).slice(0, ERRORS_COMPARED)].some(
    (one) => one.length <= LONGEST_MESSAGE && comparable(one) === comparable(message),
  );

/**
 * Whether this surely comes from the provider: by the specified words, or by its error envelope. A gateway's
 * JSON may have a status and a message too, but only the provider names the error's group, `type` (part B).
 */
const isTheProviders = (said: Envelope | undefined): boolean =>
  says(said, SPECIFIED_MESSAGES.unknownInvoice) ||
  (said !== undefined && said.status !== null && said.message !== null && said.type !== null);

const comparable = (message: string) =>
  message
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, " ")
    .trim();

function kindOfStatus(status: number): CollectionApiErrorKind {
  if (status === 401 || status === 403) return "key_refused";
  if (status === 404) return "not_found";
  if (status === 408) return "timeout";
  if (status === 409 || status === 412) return "rule_refused";
  if (status === 429) return "rate_limited";
  if (status >= 500) return "server_fault";
  if (status >= 400) return "invalid";
  return status >= 300 && status !== 304 ? "redirected" : "outside_contract";
}

function refusal(
  kind: CollectionApiErrorKind,
  answer: HttpAnswer,
  said: Envelope | undefined,
  received: Date,
): FaultDetails {
  // By the provider's own clock, where it says its time: this one may be set wrong.
  const sentAt = httpDateMs(header(answer, "date") ?? "");
  const now = Number.isNaN(sentAt) ? received : new Date(sentAt);
  return {
    kind,
    detail: meaningOf(kind).detail ?? "",
    status: answer.status,
    providerMessage: said?.message ?? undefined,
    problems: said?.errors,
    retryAfterMs: retryAfterMs(header(answer, "retry-after"), now),
    evidence: answer.text,
    inEnvelope: isTheProviders(said),
  };
}

function header(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === "" || first?.toLowerCase() === "identity" ? undefined : first;
}

/** A Retry-After: seconds or an HTTP date. @returns ms from `now`, at most a day; undefined where it says neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : httpDateMs(text) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), DAY_MS);
}

// Date.parse reads nearly anything ("-5" is a year): an HTTP date begins with the day's name.
const httpDateMs = (text: string) => (/^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN);
