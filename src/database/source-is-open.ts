import { sql } from "kysely";

/** Past this share of "not found", the unknown lane is throttled. */
export const FLOODED = 0.5;

/** A condition on a row of `source`: it is well, and may be asked as questions come. */
export const sourceIsOpen = sql<boolean>`source.paused_by is null and source.opens_at <= now() and source.faults = 0 and source.unknown_share <= ${sql.lit(FLOODED)}`;
