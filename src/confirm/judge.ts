import type { Invoice } from "../collection-api/contract/index.ts";
import type { AlarmName } from "../database/alarms.ts";
import type { Verdict } from "../database/tables.ts";
import type { Settlement } from "../store/settlement.ts";
import { backOffMs } from "../workers/back-off.ts";
import { anomaliesOf } from "./anomalies.ts";
import type { Answer } from "./answer.ts";
import { confirmedInvoice } from "./confirmed-invoice.ts";
import { NOT_FOUND_LADDER, nextStep, UNPAID_LADDER } from "./ladder.ts";
import { paidEvent } from "./paid-event.ts";
import type { ClaimedQuestion } from "./question.ts";
import { classOfStatus, type Rules } from "./rules.ts";

export interface Judgement {
  settlement: Settlement;
  alarms: { name: AlarmName; detail: string }[];
}

/** What changes of a question by its answer; the rest stays. */
type Outcome = Pick<Settlement, "state" | "verdict"> & Partial<Settlement> & { alarms?: Judgement["alarms"] };

const QUESTION_BACK_OFF = { firstMs: 1_000, capMs: 30_000 };

/**
 * The confirm policy, whole and pure: one question and one answer in, everything that is written and raised out.
 * Only "unpaid", "not found" and answers outside the contract spend steps of the ladder; a fault of the whole
 * source never ends a question (G2).
 * @param dice from 0 to 1, for the jitter.
 */
export function judge(question: ClaimedQuestion, answer: Answer, rules: Rules, dice: number): Judgement {
  const { alarms = [], ...outcome } = outcomeOf(question, answer, rules, dice);
  if (question.erased) outcome.lastAnswer = null;
  const settlement: Settlement = {
    invoiceId: question.invoiceId,
    source: question.source,
    leaseToken: question.leaseToken,
    requests: question.requests,
    dueInMs: 0,
    lane: question.lane,
    attempt: question.attempt,
    faults: 0,
    lastError: null,
    lastAnswer: null,
    invoice: null,
    event: null,
    ...outcome,
  };
  if (settlement.state === "dead")
    alarms.push({
      name: "question_dead",
      detail: `Given up after ${settlement.attempt} answers: ${settlement.lastError}. See: invoice-relay dead show ${question.invoiceId}`,
    });
  return { settlement, alarms };
}

function outcomeOf(question: ClaimedQuestion, answer: Answer, rules: Rules, dice: number): Outcome {
  switch (answer.kind) {
    case "found":
      return found(question, answer, rules, dice);
    case "not_found":
      return wasPaid(question, rules)
        ? turnedBack(question)
        : onLadder(question, NOT_FOUND_LADDER, dice, { state: "done", verdict: "unknown_invoice" });
    case "outside_contract":
      return {
        ...onLadder(question, UNPAID_LADDER, dice, { state: "dead", verdict: question.verdict }),
        lastError: answer.error,
        lastAnswer: answer.evidence,
        alarms:
          question.attempt === 0 ? [{ name: "provider_answer_outside_contract", detail: answer.error }] : [],
      };
    case "interrupted":
      return { state: "due", verdict: question.verdict, faults: question.faults };
    case "rate_limited":
      return {
        ...backingOff(question, dice),
        dueInMs: answer.retryAfterMs ?? backingOff(question, dice).dueInMs,
        lastError: answer.error,
      };
    case "key_refused":
    case "fault":
      return { ...backingOff(question, dice), lastError: answer.error };
  }
}

function found(
  question: ClaimedQuestion,
  answer: Extract<Answer, { kind: "found" }>,
  rules: Rules,
  dice: number,
): Outcome {
  const { invoice } = answer;
  const confirmed = confirmedInvoice(question, invoice, answer.document, answer.receivedAt, rules.timeZone);
  const before = question.known === null ? null : classOfStatus(question.known.status, rules);
  const now = classOfStatus(invoice.status, rules);
  const alarms = anomaliesOf(invoice, now, question.known, before).map((detail) => ({
    name: "invoice_anomaly" as const,
    detail,
  }));
  const common = { invoice: confirmed, lane: "known" as const, alarms };

  // An older answer than the one that is known (G6): kept as a snapshot, decided by what is known.
  const counts = confirmed.newest ? now : (before ?? now);
  if (before === "paid" && now !== "paid") return { ...common, ...staysPaid(question) };
  switch (counts) {
    case "paid":
      return { ...common, ...paid(question, invoice, confirmed, rules, alarms) };
    case "invalid":
      return { ...common, state: "done", verdict: "invalidated" };
    case "unpaid":
      return {
        ...common,
        ...onLadder(question, UNPAID_LADDER, dice, { state: "done", verdict: "not_paid" }),
      };
    case "unknown":
      return {
        ...common,
        ...onLadder(question, UNPAID_LADDER, dice, { state: "dead", verdict: question.verdict }),
        lastError: `The provider says the status is "${confirmed.status}", which is neither in PAID_STATUSES nor in INVALID_STATUSES`,
      };
  }
}

function paid(
  question: ClaimedQuestion,
  invoice: Invoice,
  confirmed: NonNullable<Settlement["invoice"]>,
  rules: Rules,
  alarms: Judgement["alarms"],
): Outcome {
  const expected = rules.collectionNames === null || rules.collectionNames.has(invoice.collectionName ?? "");
  if (!expected && !question.released) {
    const detail = `It is paid, but its collection "${confirmed.collectionName}" is none of COLLECTION_IDS. Release it with: invoice-relay quarantine release ${question.invoiceId}`;
    return {
      state: "done",
      verdict: "quarantined",
      lastError: detail,
      alarms: [...alarms, { name: "invoice_quarantined", detail }],
    };
  }
  const event = question.recordOnly ? null : paidEvent(question.source, invoice, confirmed, rules);
  const truncated = {
    name: "event_truncated",
    detail: "Too large for SNS: its event goes without metadata and beneficiaries.",
  } as const;
  return {
    state: "done",
    verdict: "paid",
    event,
    alarms: event?.truncated ? [...alarms, truncated] : alarms,
  };
}

const wasPaid = (question: ClaimedQuestion, rules: Rules): boolean =>
  question.known !== null && classOfStatus(question.known.status, rules) === "paid";

const staysPaid = (question: ClaimedQuestion): Outcome => ({
  state: "done",
  verdict: question.verdict === "quarantined" ? "quarantined" : "paid",
});

const turnedBack = (question: ClaimedQuestion): Outcome => ({
  ...staysPaid(question),
  alarms: [
    {
      name: "invoice_anomaly",
      detail:
        "It was Paid and the provider now says that it does not exist. It stays paid here; ask the provider why.",
    },
  ],
});

function onLadder(
  question: ClaimedQuestion,
  ladder: readonly number[],
  dice: number,
  end: { state: "done" | "dead"; verdict: Verdict | null },
): Outcome {
  const dueInMs = nextStep(ladder, question.attempt, dice);
  return dueInMs === null
    ? end
    : { state: "due", verdict: "pending", dueInMs, attempt: question.attempt + 1 };
}

const backingOff = (question: ClaimedQuestion, dice: number) => ({
  state: "due" as const,
  verdict: question.verdict,
  faults: question.faults + 1,
  dueInMs: backOffMs(question.faults + 1, QUESTION_BACK_OFF, dice),
});
