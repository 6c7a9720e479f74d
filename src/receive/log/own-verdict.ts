import type { Selectable } from "kysely";
import type { Tables } from "../../database/tables.ts";
import { FAILED_CHECKS, type FailedCheck } from "../../kit/failed-checks.ts";

/** The verdict of a callback that asks about no invoice. */
export type OwnVerdict = NonNullable<Selectable<Tables["callback"]>["verdict"]>;

export const OWN_VERDICTS = ["unreadable", "ping", "refused"] as const satisfies readonly OwnVerdict[];

/** Why a callback was refused. @param check null of one that came before that was written down. */
export const whyRefused = (check: FailedCheck | null): string =>
  check === null ? "it failed a check" : FAILED_CHECKS[check];

export const isOwnVerdict = (verdict: string | null | undefined): verdict is OwnVerdict =>
  OWN_VERDICTS.some((own) => own === verdict);
