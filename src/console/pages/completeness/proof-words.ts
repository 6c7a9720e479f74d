import type { ProgressLine } from "../../../api/proof-schemas.ts";
import type { Certificate } from "../../../reconcile/certificate/certificate.ts";
import type { Reconciled, Unread } from "../../../reconcile/on-request.ts";
import { countText } from "../kit/text.ts";

type Progress = Extract<ProgressLine, { progress: unknown }>["progress"];

const STEPS = {
  lists: "reading the provider's lists",
  invoices: "asking about invoices",
  books: "comparing with the books",
} as const;

/** What is going on, and how far it is. */
export function progressWords({ source, step, done, total }: Progress): string {
  const far = total === null ? countText(done) : `${countText(done)} of ${countText(total)}`;
  return `${source}: ${STEPS[step]}, ${far}`;
}

/** What came of the sources that could be read, and which could not. */
export function outcomeWords<Result extends object>(
  results: readonly (Result | Unread)[],
  wordsFor: (readable: readonly Result[]) => string,
): string {
  const failed = results.filter((one): one is Unread => "error" in one);
  const readable = results.filter((one): one is Result => !("error" in one));
  return [
    ...failed.map(({ source, error }) => `${source} failed: ${error.message}`),
    `${failed.length > 0 ? "The others: " : ""}${wordsFor(readable)}`,
  ].join(" ");
}

/** What came of a certification. */
export function certifiedWords(certificates: readonly Pick<Certificate, "result" | "gaps">[]): string {
  const gaps = certificates.reduce((sum, certificate) => sum + certificate.gaps, 0);
  if (certificates.some(({ result }) => result === "refused"))
    return "Refused: the lists contradict themselves, so nothing is proven. Try again later.";
  if (gaps > 0)
    return `Not equal: ${gaps === 1 ? "a payment is" : `${countText(gaps)} payments are`} missing.`;
  return certificates.every(({ result }) => result === "equal")
    ? "Equal: every payment of the period came through."
    : "Not equal: nothing is missing, but something could hide money.";
}

/** What came of a reconciliation. */
export function reconciledWords(
  done: readonly Pick<Reconciled, "missing" | "opened" | "waitingInAll">[],
): string {
  const sum = (of: "missing" | "opened" | "waitingInAll") => done.reduce((all, one) => all + one[of], 0);
  if (sum("missing") === 0) return "Nothing was missing: every listed payment is known here.";
  const waiting = sum("waitingInAll");
  return (
    `${countText(sum("missing"))} missing; ${countText(sum("opened"))} asked about now` +
    `${waiting > 0 ? `, ${countText(waiting)} not published yet` : ""}. ` +
    "Certify again in a moment to prove it."
  );
}

/** What a difference means, in a few words; the certificate's own detail says more. */
const WORDS: Readonly<Record<string, string>> = {
  missing: "Nobody asked about it",
  not_confirmed: "Not confirmed yet",
  dead: "Given up: a dead letter",
  quarantined: "In quarantine",
  not_paid: "Not paid, by its last answer",
  recorded_only: "Only recorded",
  before_start: "From before the first serve",
  event_missing: "Its event is missing",
  unpublished: "Its event is not published yet",
  event_dead: "Its event was given up",
  held: "Its event is held",
  wrong_topic: "Published on another topic",
  no_acceptance: "No acceptance by SNS",
  amount_differs: "The amount differs",
  books_differ: "The books contradict the provider's answer",
  payload_differs: "The event says something else",
  digest_missing: "What was published cannot be checked",
  invoice_missing: "The stored answer is missing",
  not_at_provider: "The provider does not list it",
  status_unknown: "Its status is unknown",
  confirmation_missing: "Its confirmation is missing",
  verdict_differs: "Its verdict differs",
  event_without_payment: "An event without a payment",
  acceptance_without_event: "An acceptance without an event",
  id_unusable: "Its id cannot be used",
  callback_missing: "Its callback is not in the log",
  undated: "Without a day of payment",
  future: "Paid in the future",
  counted_by_asking: "Found by asking, not in the list",
  type_changed: "Its type has changed since its event",
  corrected: "Corrected by the provider since its event",
  test: "A Test invoice",
};

export const reasonWords = (reason: string): string => WORDS[reason] ?? reason.replaceAll("_", " ");
