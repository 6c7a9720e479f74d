import type { Selectable } from "kysely";
import type { Tables } from "../../../platform/database/index.ts";

type Row = Selectable<Tables["confirmation"]>;

export type ConfirmationState = Row["state"];
export type Verdict = NonNullable<Row["verdict"]>;

/** In the order in which a person chooses among them. */
export const VERDICTS = [
  "pending",
  "paid",
  "quarantined",
  "invalidated",
  "not_paid",
  "unknown_invoice",
] as const satisfies readonly Verdict[];

/**
 * The state shown to people: a dead letter when it was given up before its answer, pending before its first
 * answer.
 */
export type ShownVerdict = Verdict | "dead";
export const SHOWN_VERDICTS = [...VERDICTS, "dead"] as const satisfies readonly ShownVerdict[];

export const shownVerdict = (confirmation: {
  state: ConfirmationState;
  verdict: Verdict | null;
}): ShownVerdict => {
  const verdict = confirmation.verdict ?? "pending";
  return confirmation.state === "dead" && verdict === "pending" ? "dead" : verdict;
};

/** Known ids go before unknown ones, and replays last. */
export type Priority = Row["priority"];
export type OpenedBy = Row["opened_by"];

/** Which confirmation: of this invoice, asked for with this source's key. */
export interface ConfirmationKey {
  /** Lower case. */
  invoiceId: string;
  source: string;
}
