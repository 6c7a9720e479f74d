import { type Kysely, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Tables } from "../database/tables.ts";
import type { ClaimedEvent } from "./entry.ts";

/** Which events go to which topic. */
export interface Route {
  source: string;
  invoiceType: "Live" | "Test";
  topicArn: string;
}

export interface EventClaim {
  events: ClaimedEvent[];
  /** When the topic opens again, in ms; null when it is open, or paused by an operator. */
  opensInMs: number | null;
  /** The topic failed lately, in whichever process: these events show whether it works again. */
  probing: boolean;
}

interface TopicRow {
  pausedBy: "operator" | "refused" | null;
  opensInMs: number;
  faults: number;
}

/** After so many faults in a row one event tries whether the topic works again. */
const PROBING_FAULTS = 3;

/**
 * Takes due events of one route, unless its topic is paused or backing off. A topic that failed is tried with
 * one event, and stays shut for the others until that one is through.
 */
export function claimEvents(
  db: Kysely<Tables>,
  route: Route,
  wanted: number,
  leaseMs: number,
): Promise<EventClaim> {
  return db.transaction().execute(async (trx) => {
    const { rows: topics } = await sql<TopicRow>`
      select set_config('synchronous_commit', 'off', true), paused_by as "pausedBy", faults,
        case when opens_at = '-infinity' then 0 else extract(epoch from opens_at - clock_timestamp()) * 1000 end::float8 as "opensInMs"
      from topic where arn = ${route.topicArn} for update`.execute(trx);
    const [topic] = topics;
    if (topic === undefined)
      throw new Error(`The topic ${route.topicArn} has no row: it is made when serve starts`);
    if (topic.pausedBy === "operator") return { events: [], opensInMs: null, probing: false };
    if (topic.opensInMs > 0) return { events: [], opensInMs: topic.opensInMs, probing: false };
    const probing = topic.pausedBy === "refused" || topic.faults >= PROBING_FAULTS;
    const { rows: events } = await sql<ClaimedEvent>`
      with taken as (
        select id from event
        where source = ${route.source} and invoice_type = ${route.invoiceType} and state = 'due' and due_at <= now()
        order by due_at limit ${probing ? 1 : wanted} for update skip locked)
      update event set state = 'claimed', lease_token = ${uuidv7()}, claimed_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
      from taken where event.id = taken.id
      returning event.id, lease_token as "leaseToken", invoice_id as "invoiceId", source, type, invoice_type as "invoiceType",
        collection_name as "collectionName", payload, attempt`.execute(trx);
    if (probing && events.length > 0) {
      await sql`update topic set opens_at = clock_timestamp() + ${leaseMs} * interval '1 ms' where arn = ${route.topicArn}`.execute(
        trx,
      );
    }
    return { events, opensInMs: null, probing };
  });
}
