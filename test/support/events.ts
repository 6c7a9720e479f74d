/**
 * The log of events with where each stands, for a `from`: `published` once it has left the outbox accepted.
 */
export const EVENTS = `(
  select event.*, outbox.attempt, outbox.due_at, outbox.claimed_until, outbox.last_error,
    case when outbox.state is not null then outbox.state
      when exists (select from publication as p where p.source = event.source and p.event_id = event.id)
        then 'published'
      else 'lost' end as state
  from event left join outbox on outbox.source = event.source and outbox.event_id = event.id
    and outbox.topic_arn is null) as event`;
