import { sql } from "kysely";

/** After so many faults in a row one event tries whether the topic works again. */
const PROBING_FAULTS = 3;

/** A condition on a row of `topic`: events may be sent to it as they come. */
export const topicIsOpen = sql<boolean>`topic.paused_by is null and topic.opens_at <= now() and topic.faults < ${sql.lit(PROBING_FAULTS)}`;
