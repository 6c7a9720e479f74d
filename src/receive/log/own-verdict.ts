import type { Selectable } from "kysely";
import type { Tables } from "../../database/tables.ts";

/** The verdict of a callback that asks about no invoice. */
export type OwnVerdict = NonNullable<Selectable<Tables["callback"]>["verdict"]>;

export const OWN_VERDICTS = ["unreadable", "ping", "refused"] as const satisfies readonly OwnVerdict[];

/** Each check of its source that a refused callback may have failed, and what that says of it. */
export const FAILED_CHECKS = {
  address: "its sender's address is not allowed",
  header_missing: "it came without a header that is checked",
  header_token: "its header token is wrong",
  hmac: "its HMAC does not hold",
  standard_webhook: "its signature does not hold",
} as const;

export type FailedCheck = keyof typeof FAILED_CHECKS;

/** Why a callback was refused. @param check null of one that came before that was written down. */
export const whyRefused = (check: FailedCheck | null): string =>
  check === null ? "it failed a check" : FAILED_CHECKS[check];

export const isOwnVerdict = (verdict: string | null | undefined): verdict is OwnVerdict =>
  OWN_VERDICTS.some((own) => own === verdict);
