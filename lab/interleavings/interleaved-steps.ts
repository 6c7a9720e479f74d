import fc from "fast-check";

const ABOUT_AN_INVOICE = [
  "callback",
  "reconcile",
  "replay",
  "providerPays",
  "providerTurnsBack",
  "providerSaysOlder",
  "providerIsBroken",
  "providerIsWell",
] as const;

const BY_ITSELF = [
  "workerConfirms",
  "workerDiesAsking",
  "workerAnswersTooLate",
  "lateAnswerArrives",
  "leasesExpire",
  "timePasses",
  "workerPublishes",
  "workerDiesPublishing",
] as const;

/** What may happen next. Numbers choose one of the invoices. */
export type Step =
  | { do: (typeof ABOUT_AN_INVOICE)[number]; invoice: number }
  | { do: (typeof BY_ITSELF)[number] };

export const INVOICES = 3;

/** Any step, of any kind. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom(...ABOUT_AN_INVOICE), invoice: fc.nat(INVOICES - 1) }),
  fc.record({ do: fc.constantFrom(...BY_ITSELF) }),
);
