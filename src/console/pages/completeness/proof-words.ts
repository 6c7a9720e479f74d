import type { ProgressLine } from "../../../operate/operations/proof.ts";
import type { Certificate } from "../../../reconcile/certificate/certificate.ts";
import type { Reconciled, Unread } from "../../../reconcile/on-request.ts";
import { countText } from "../kit/money-text.ts";

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
