import fc from "fast-check";

/** What may happen next. Numbers choose one of the invoices. */
export type Step =
  | {
      do:
        | "callback"
        | "reconcile"
        | "replay"
        | "providerPays"
        | "providerTurnsBack"
        | "providerSaysOlder"
        | "providerIsBroken"
        | "providerIsWell";
      invoice: number;
    }
  | {
      do:
        | "workerConfirms"
        | "workerDiesAsking"
        | "workerAnswersTooLate"
        | "lateAnswerArrives"
        | "leasesExpire"
        | "timePasses"
        | "workerPublishes"
        | "workerDiesPublishing";
    };

export const INVOICES = 3;

/** Any step, of any kind. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom(
      "callback",
      "reconcile",
      "replay",
      "providerPays",
      "providerTurnsBack",
      "providerSaysOlder",
      "providerIsBroken",
      "providerIsWell",
    ),
    invoice: fc.nat(INVOICES - 1),
  }),
  fc.record({
    do: fc.constantFrom(
      "workerConfirms",
      "workerDiesAsking",
      "workerAnswersTooLate",
      "lateAnswerArrives",
      "leasesExpire",
      "timePasses",
      "workerPublishes",
      "workerDiesPublishing",
    ),
  }),
);
