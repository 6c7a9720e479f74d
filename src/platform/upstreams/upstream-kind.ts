import { type RawBuilder, sql } from "kysely";
import type { AlarmName } from "../alarms/index.ts";
import type { UpstreamAlarm, UpstreamPolicy } from "./machine.ts";

/** Where one kind of upstream keeps its state, how it is treated, and how its alarms describe it. */
export interface UpstreamKind {
  table: "source" | "topic";
  key: "name" | "arn";
  policy: UpstreamPolicy;
  /** The work that waits while it takes nothing, as wake-ups name it. */
  work: "confirm" | "publish";
  alarms: Record<UpstreamAlarm, AlarmName>;
  /** Plain words for an alarm: what is wrong, and what happens next. */
  words(alarm: UpstreamAlarm, name: string, error: string): string;
  /** The source that its alarms name; a topic may serve several. */
  sourceOf(name: string): string;
}

const because = (reason: string): string => (reason === "" ? "" : ` (${reason})`);

/** Each confirmation backs off by itself, so single faults of a provider account do not count. */
export const SOURCE: UpstreamKind = {
  table: "source",
  key: "name",
  policy: {
    opensAfter: 5,
    alarmsAfter: 5,
    backOff: { firstMs: 1_000, capMs: 10_000 },
    probe: { firstMs: 5_000, capMs: 60_000 },
    trialMs: 10_000,
  },
  work: "confirm",
  alarms: {
    failing: "source_failing",
    paused: "source_paused",
    retry_after: "retry_after_capped",
    standing: "pause_standing",
  },
  words: (alarm, name, error) =>
    ({
      failing:
        `The provider fails again and again: ${error}. Confirmations wait and are asked again by ` +
        "themselves.",
      paused:
        `The provider refuses the key of source "${name}". Check it (COLLECTION_API_KEY, or the source's ` +
        "entry in SOURCES_FILE), and whether the provider allows this address. Confirmations wait; " +
        "asking goes on by itself once the key works.",
      retry_after:
        `The provider asks to wait longer than 15 minutes (${error}). It is asked again after 15 minutes ` +
        "all the same.",
      standing: `A person paused asking the provider for source "${name}"${because(error)}, and it stays paused.`,
    })[alarm],
  sourceOf: (name) => name,
};

/** The topic that events are sent to. Every event would meet the same fault, so the first one counts. */
export const TOPIC: UpstreamKind = {
  table: "topic",
  key: "arn",
  policy: {
    opensAfter: 1,
    alarmsAfter: 5,
    backOff: { firstMs: 500, capMs: 10_000 },
    probe: { firstMs: 500, capMs: 30_000 },
    trialMs: 10_000,
  },
  work: "publish",
  alarms: {
    failing: "topic_failing",
    paused: "topic_paused",
    retry_after: "retry_after_capped",
    standing: "pause_standing",
  },
  words: (alarm, _arn, error) =>
    ({
      failing: `SNS fails again and again: ${error}. Events wait and are sent again by themselves.`,
      paused:
        `SNS refuses this topic: ${error}. Check that the topic exists, its region, and the credentials. ` +
        "Events wait; sending goes on by itself once it works.",
      retry_after:
        `SNS asks to wait longer than 15 minutes (${error}). It is tried again after 15 minutes all the ` +
        "same.",
      standing: `A person paused sending to this topic${because(error)}, and it stays paused.`,
    })[alarm],
  sourceOf: () => "",
};

/** So many of the last answers about unknown ids are kept; once most of them are "not found", it is a flood. */
export const ANSWERS_KEPT = 100;

/** A condition on rows of `source`: a "not found" came lately. Without one for so long, a flood is over. */
export const someWereNotFoundLately = sql<boolean>`source.not_found_at > now() - interval '10 minutes'`;

/** A condition on rows of `source`: unknown ids are requested slowly, since most of them prove unknown. */
export const sourceIsFlooded = sql<boolean>`
  (bit_count(source.unknown_answers) > ${sql.lit(ANSWERS_KEPT / 2)} and ${someWereNotFoundLately})`;

const open = (kind: UpstreamKind): RawBuilder<boolean> => {
  const column = (name: string) => sql.ref(`${kind.table}.${name}`);
  return sql`${column("paused_by")} is null and ${column("opens_at")} <= now()`;
};

/** A condition on rows of `source`: requests may go to it at all. */
export const sourceIsOpen: RawBuilder<boolean> = open(SOURCE);

/** A condition on rows of `topic`: it may be sent to at all. */
export const topicIsOpen: RawBuilder<boolean> = open(TOPIC);

/** A condition on rows of `source`: requests may go to it as confirmations come. */
export const sourceIsHealthy = sql<boolean>`
  ${open(SOURCE)} and source.faults + source.slow_downs = 0 and source.retry_at = '-infinity'
  and not ${sourceIsFlooded}`;

/** A condition on rows of `topic`: events may be sent to it as they come. */
export const topicIsHealthy = sql<boolean>`
  ${open(TOPIC)} and topic.faults + topic.slow_downs < ${sql.lit(TOPIC.policy.opensAfter)}
  and topic.retry_at = '-infinity'`;

/** Joins the source of that name while it is healthy; `source.name` is null while it is not. */
export const joinHealthySource = (name: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`left join source on source.name = ${name} and ${sourceIsHealthy}`;

/** Joins the topic of that ARN while it is healthy; `topic.arn` is null while it is not. */
export const joinHealthyTopic = (arn: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`left join topic on topic.arn = ${arn} and ${topicIsHealthy}`;
