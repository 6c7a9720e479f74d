import type { AlarmName } from "../../platform/alarms/index.ts";
import { backOffMs } from "../../platform/process/index.ts";
import type { ConfirmedInvoice } from "./invoices/confirmed-invoice.ts";
import type { NewEvent } from "./paid-event.ts";
import type { ConfirmationKey, Priority, Verdict } from "./queue/confirmation.ts";
import type { Rules } from "./rules.ts";

/** What follows from one answer: all that is written for it, in one transaction (answer-statement.ts). */
export interface Outcome extends ConfirmationKey {
  /** Written only while this is still the row's lease (G6). */
  leaseToken: string;
  /** What `requests` was at the claim; a higher count since then means that it is asked again. */
  requests: number;
  state: "due" | "done" | "dead";
  verdict: Verdict | null;
  /** For `due`: when it is asked again, in ms from now. */
  dueInMs: number;
  priority: Priority;
  attempt: number;
  faults: number;
  /** It answers what was requested before it: an age counts from later requests only. */
  covered: boolean;
  lastError: string | null;
  /** Evidence of an answer outside the contract. */
  lastAnswer: string | null;
  /** Without new evidence, that of an earlier answer stays: this one was no better. */
  keepsEvidence: boolean;
  invoice: ConfirmedInvoice | null;
  event: NewEvent | null;
  /** Alarms about the invoice. */
  raises: readonly RaisedAlarm[];
  clears: readonly AlarmName[];
}

interface RaisedAlarm {
  name: AlarmName;
  detail: string;
}

/** What changes of a confirmation by its answer; the rest stays. */
export type Changes = Pick<Outcome, "state" | "verdict"> &
  Partial<Omit<Outcome, "raises">> & { raises?: RaisedAlarm[] };

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

const JITTER = 0.1;

const UP_TO_TEN_MINUTES = [2 * SECOND, 10 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];

/** Every retry schedule: when an invoice is asked for again, in ms from the answer before. */
export const RETRY_SCHEDULES = {
  unpaid: [...UP_TO_TEN_MINUTES, HOUR, 6 * HOUR, 24 * HOUR],
  /** The provider does not know the id. */
  notFound: UP_TO_TEN_MINUTES,
} as const satisfies Record<string, readonly number[]>;

/** After a fault no step is spent. No longer than the source's own: once that is tried again, one is due. */
const FAULT_BACK_OFF = { firstMs: SECOND, capMs: 10 * SECOND };

/**
 * The longest that any schedule waits after so many attempts, in ms, by their number. A Retry-After may ask for more:
 * the source is held back for that, in its own row.
 */
export function longestWaits(
  schedules: Readonly<Record<string, readonly number[]>> = RETRY_SCHEDULES,
): number[] {
  const all = Object.values(schedules);
  const attempts = Math.max(...all.map(({ length }) => length)) + 1;
  return Array.from({ length: attempts }, (_, attempt) =>
    Math.max(FAULT_BACK_OFF.capMs, ...all.map((waits) => (waits[attempt - 1] ?? 0) * (1 + JITTER))),
  );
}

/** What decides when a confirmation is asked again. */
export interface RetryContext {
  confirmation: Pick<Outcome, "verdict" | "attempt" | "faults">;
  paidBefore: boolean;
  rules: Rules;
  /** From 0 to 1; moves a wait by up to a tenth either way, so that a burst does not stay one. */
  dice: number;
}

/** Asked again after the schedule's next wait. @param end what becomes of it once the schedule has ended */
export function retryOn(
  schedule: keyof typeof RETRY_SCHEDULES,
  { confirmation, paidBefore, dice }: RetryContext,
  end: Pick<Outcome, "state" | "verdict">,
): Changes {
  const step = RETRY_SCHEDULES[schedule][confirmation.attempt];
  if (step === undefined) return end;
  return {
    state: "due",
    verdict: paidBefore ? confirmation.verdict : "pending",
    dueInMs: Math.round(step * (1 + JITTER * (2 * dice - 1))),
    attempt: confirmation.attempt + 1,
  };
}

/** Asked again after a while, and no wait of a schedule is spent. */
export function backOff({ confirmation: { verdict, faults }, dice }: RetryContext) {
  const dueInMs = backOffMs(faults + 1, FAULT_BACK_OFF, dice);
  return { state: "due", verdict, faults: faults + 1, dueInMs } as const;
}

/** So many faults in a row of one invoice, some three minutes, raise an alarm while others are answered. */
export const ALARMING_FAULTS = 20;

/** So many more, some ten minutes, raise it again. */
const ALARMING_AGAIN = 60;

/** A fault of the source has an alarm of its own; one of this invoice alone would wait unseen (G2). */
export function backOffUnanswered(tried: RetryContext, error: string): Changes {
  const changes = { ...backOff(tried), lastError: error };
  const isAlarming = changes.faults % ALARMING_AGAIN === ALARMING_FAULTS;
  if (!isAlarming || !tried.rules.othersAreAnswered) return changes;
  const detail =
    `It gets no usable answer, while the provider answers about others: ${error}. It is still being asked ` +
    "for; ask the provider why.";
  return { ...changes, raises: [{ name: "invoice_unanswered", detail }] };
}
