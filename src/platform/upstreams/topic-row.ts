import { type RawBuilder, sql } from "kysely";
import { type Database, hasTable, query, type Slots } from "../database/index.ts";

import { TOPIC, topicIsHealthy, topicIsOpen } from "./upstream-kind.ts";

interface TopicClaim {
  route: { topicArn: string };
  wanted: number;
}

/** Part of a claim: yields how many events the topic takes while it is healthy. */
export const whenTopicIsHealthy = <Given extends TopicClaim>({
  value,
}: Slots<Given>): RawBuilder<unknown> => sql`
  select ${value(({ wanted }) => wanted)}::bigint as wanted from topic
  where arn = ${value(({ route }) => route.topicArn)} and ${topicIsHealthy}
    and set_config('synchronous_commit', 'off', true) is not null`;

export interface TopicTrial extends TopicClaim {
  /** Of the row that admitted them. */
  version: number;
  /** They try whether the topic works again. */
  trial: boolean;
}

/** Part of a claim: yields a row unless the topic has changed since it admitted a trial. */
export const whenTopicIsUnchanged = <Given extends TopicTrial>({
  value,
}: Slots<Given>): RawBuilder<unknown> => sql`
  select ${value(({ wanted }) => wanted)}::bigint as wanted from topic
  where arn = ${value(({ route }) => route.topicArn)} and version = ${value(({ version }) => version)}
    and set_config('synchronous_commit', 'off', true) is not null
  for update`;

const trialTime = sql.lit(`${TOPIC.policy.trialMs} ms`);
const { firstMs, capMs } = TOPIC.policy.probe;

/** Part of the same claim: while what was `claimed` tries the topic, nobody else does. */
export const beginTrial = <Given extends TopicTrial>({ value }: Slots<Given>): RawBuilder<unknown> => sql`
  update topic set version = version + 1,
    opens_at = case when ${value(({ trial }) => trial)}::boolean and paused_by is null
      then clock_timestamp() + ${trialTime}::interval else opens_at end,
    probe_at = case when paused_by is not null
      then clock_timestamp() + least(${sql.lit(`${capMs} ms`)}::interval,
        greatest(${sql.lit(`${firstMs} ms`)}::interval, clock_timestamp() - paused_at)) end
  where arn = ${value(({ route }) => route.topicArn)} and exists (select from claimed)`;

/** A condition: a topic is open and one of ours, or no relay's own, so that nothing is known of it. */
export const topicTakesReplays = (arn: RawBuilder<unknown>, ours: RawBuilder<unknown>) => sql<boolean>`
  coalesce((select topic.arn = any(${ours}::text[]) and ${topicIsOpen} from topic where topic.arn = ${arn}), true)`;

const selectTopics = query((db) => db.selectFrom("topic").select("arn"));

/** The topics that a relay ever published to with this database; none before it is migrated. */
export async function knownTopics(db: Database): Promise<string[]> {
  if (!(await hasTable(db, "topic"))) return [];
  return (await selectTopics(db).execute()).map(({ arn }) => arn);
}
