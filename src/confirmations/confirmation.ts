import type { Selectable } from "kysely";
import type { ConfirmationTable } from "../database/tables.ts";

type Row = Selectable<ConfirmationTable>;

export type ConfirmationState = Row["state"];
export type Verdict = NonNullable<Row["verdict"]>;
/** Known ids go before unknown ones, and replays last. */
export type Priority = Row["priority"];
export type OpenedBy = Row["opened_by"];

/** Which confirmation: of this invoice, asked for with this source's key. */
export interface ConfirmationKey {
  /** Lower case. */
  invoiceId: string;
  source: string;
}

export const distinctKeys = <Key extends ConfirmationKey>(keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [`${key.invoiceId} ${key.source}`, key])).values(),
];
