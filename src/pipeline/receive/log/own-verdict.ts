import type { Selectable } from "kysely";
import type { Tables } from "../../../platform/database/index.ts";

/** The verdict of a callback that asks about no invoice. */
export type OwnVerdict = NonNullable<Selectable<Tables["callback"]>["verdict"]>;

export const OWN_VERDICTS = ["unreadable", "ping", "refused"] as const satisfies readonly OwnVerdict[];

export const isOwnVerdict = (verdict: string | null | undefined): verdict is OwnVerdict =>
  OWN_VERDICTS.some((own) => own === verdict);
