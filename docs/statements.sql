-- Every statement of the relay, whole, made by `npm run documents`.

-- appendAndOpen, src/pipeline/receive/log/append-statements.ts
with logged as (
  insert into callback (
    id, received_at, source, method, found_by, verdict, failed_check, invoice_ids, also_named, erased_at,
    erased_digest, path, query, reference, remote_address, headers, body
  )
  select id, received_at, source, method, found_by, verdict, failed_check, ids::uuid[], also_named::uuid[],
    case when is_erased then clock_timestamp() end,
    case when is_erased then encode(sha256(body), 'hex') end,
    case when is_erased then '' else path end,
    case when is_erased then '' else query end,
    case when not is_erased then reference end,
    case when not is_erased then remote_address end,
    case when is_erased then '[]' else headers end,
    case when is_erased then '' else body end
  from unnest(
    $1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::json[], $13::bytea[], $14::text[], $15::text[]
  ) as "incoming" (
    "id", "received_at", "source", "method", "path", "query", "reference", "remote_address", "found_by",
    "verdict", "failed_check", "headers", "body", "ids", "also_named"
  )
  cross join lateral (
    select exists (
      select from erased_invoice where erased_invoice.id = any(ids::uuid[] || also_named::uuid[])
    ) as is_erased
  ) as mark
),
opened as (
  insert into confirmation as known (
    invoice_id, source, callback_id, traceparents, priority, record_only, opened_by, opened_at, open_since,
    requested_at, due_at, state, asked_at, lease_token, claimed_until, erased_at
  )
  select asked.invoice_id, asked.source, asked.callback_id, asked.traceparents, $16, false, $17,
    clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp(), 'due', null::timestamptz,
    null::uuid, null::timestamptz,
    (select erased_at from erased_invoice as mark where mark.id = asked.invoice_id)
  from unnest($18::uuid[], $19::text[], $20::uuid[], $21::text[]) as "asked" (
    "invoice_id", "source", "callback_id", "traceparents"
  )
  order by asked.invoice_id, asked.source
  on conflict (invoice_id, source) do update
  set requests = known.requests + 1, callback_id = coalesce(excluded.callback_id, known.callback_id),
    traceparents = case
      when known.state in ('done', 'dead') then excluded.traceparents
      else coalesce(known.traceparents, excluded.traceparents)
    end,
    attempt = 0, record_only = known.record_only and excluded.record_only,
    open_since = coalesce(known.open_since, clock_timestamp()), requested_at = clock_timestamp(),
    due_at = case
      known.state
      when 'claimed' then known.due_at
      when 'due' then least(known.due_at, greatest(known.asked_at + '2 s'::interval, clock_timestamp()))
      else greatest(known.asked_at + '2 s'::interval, clock_timestamp())
    end,
    state = case known.state when 'claimed' then 'claimed' else 'due' end,
    priority = case
      when excluded.priority = 'known' then 'known'
      when excluded.priority = 'replay' then case
        when known.state in ('due', 'claimed') then known.priority else 'replay'
      end
      when known.priority = 'replay' and known.verdict is distinct from 'unknown_invoice' then 'known'
      when known.priority = 'replay' then 'unknown'
      else known.priority
    end
  returning invoice_id, source, traceparents, lease_token, erased_at
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select *
    from (
      select *
      from unnest(
        $22::text[], $23::text[], $24::text[], $25::text[]
      ) as "alarm" ("name", "source", "subject", "detail")
    ) as seen
    where not exists (
      select
      from alarm
      where cleared_at is null and last_raised_at > clock_timestamp() - $26::interval
        and (alarm.name, alarm.source, alarm.subject) = (seen.name, seen.source, seen.subject)
    )
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
  returning name, source, subject, detail, xmax = 0 as is_new
)
select name, source, subject, detail, is_new as "isNew"
from raised;

-- appendAndDispatch, src/pipeline/receive/log/append-statements.ts
with logged as (
  insert into callback (
    id, received_at, source, method, found_by, verdict, failed_check, invoice_ids, also_named, erased_at,
    erased_digest, path, query, reference, remote_address, headers, body
  )
  select id, received_at, source, method, found_by, verdict, failed_check, ids::uuid[], also_named::uuid[],
    case when is_erased then clock_timestamp() end,
    case when is_erased then encode(sha256(body), 'hex') end,
    case when is_erased then '' else path end,
    case when is_erased then '' else query end,
    case when not is_erased then reference end,
    case when not is_erased then remote_address end,
    case when is_erased then '[]' else headers end,
    case when is_erased then '' else body end
  from unnest(
    $1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::json[], $13::bytea[], $14::text[], $15::text[]
  ) as "incoming" (
    "id", "received_at", "source", "method", "path", "query", "reference", "remote_address", "found_by",
    "verdict", "failed_check", "headers", "body", "ids", "also_named"
  )
  cross join lateral (
    select exists (
      select from erased_invoice where erased_invoice.id = any(ids::uuid[] || also_named::uuid[])
    ) as is_erased
  ) as mark
),
opened as (
  insert into confirmation as known (
    invoice_id, source, callback_id, traceparents, priority, record_only, opened_by, opened_at, open_since,
    requested_at, due_at, state, asked_at, lease_token, claimed_until, erased_at
  )
  select asked.invoice_id, asked.source, asked.callback_id, asked.traceparents, $16, false, $17,
    clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp(),
    case when source.name is null then 'due' else 'claimed' end,
    case when source.name is not null then clock_timestamp() end,
    case when source.name is not null then $18::uuid end,
    case when source.name is not null then clock_timestamp() + $19::float8 * interval '1 ms' end,
    (select erased_at from erased_invoice as mark where mark.id = asked.invoice_id)
  from unnest($20::uuid[], $21::text[], $22::uuid[], $23::text[], $24::boolean[]) as "asked" (
    "invoice_id", "source", "callback_id", "traceparents", "is_dispatched"
  )
  left join source on source.name = asked.source and "source"."paused_by" is null
    and "source"."opens_at" <= now() and source.faults + source.slow_downs = 0
    and source.retry_at = '-infinity'
    and not (bit_count(source.unknown_answers) > 50 and source.not_found_at > now() - interval '10 minutes')
    and asked.is_dispatched
    and (
      select invoice.id from invoice where invoice.source = asked.source and invoice.id = asked.invoice_id
    ) is null
  order by asked.invoice_id, asked.source
  on conflict (invoice_id, source) do update
  set requests = known.requests + 1, callback_id = coalesce(excluded.callback_id, known.callback_id),
    traceparents = case
      when known.state in ('done', 'dead') then excluded.traceparents
      else coalesce(known.traceparents, excluded.traceparents)
    end,
    attempt = 0, record_only = known.record_only and excluded.record_only,
    open_since = coalesce(known.open_since, clock_timestamp()), requested_at = clock_timestamp(),
    due_at = case
      known.state
      when 'claimed' then known.due_at
      when 'due' then least(known.due_at, greatest(known.asked_at + '2 s'::interval, clock_timestamp()))
      else greatest(known.asked_at + '2 s'::interval, clock_timestamp())
    end,
    state = case known.state when 'claimed' then 'claimed' else 'due' end,
    priority = case
      when excluded.priority = 'known' then 'known'
      when excluded.priority = 'replay' then case
        when known.state in ('due', 'claimed') then known.priority else 'replay'
      end
      when known.priority = 'replay' and known.verdict is distinct from 'unknown_invoice' then 'known'
      when known.priority = 'replay' then 'unknown'
      else known.priority
    end
  returning invoice_id, source, traceparents, lease_token, erased_at
)
select invoice_id as "invoiceId", source, traceparents, erased_at is not null as erased,
  clock_timestamp() as "askedAt"
from opened
where lease_token = $25::uuid;

-- blankCallbacks, src/pipeline/receive/log/erase-callbacks.ts
update callback
set erased_at = clock_timestamp(), erased_digest = encode(sha256(body), 'hex'), body = '', headers = '[]',
  path = '', query = '', reference = null, remote_address = null
where (received_at, id) in (
  select at::timestamptz, id::uuid from unnest($1::text[], $2::text[]) as "given" ("at", "id")
)
  and erased_at is null;

-- selectAbout, src/pipeline/receive/log/erase-callbacks.ts
with known as materialized (
  select received_at, id, source, erased_at is null as legible
  from (
    select *
    from callback
    where invoice_ids[1] = $1
    union all
    select *
    from callback
    where cardinality(invoice_ids) > 1 and invoice_ids @> array[$2]::uuid[] and invoice_ids[1] <> $3
  ) as callback
  union
  select received_at, id, source, erased_at is null
  from callback
  where also_named @> array[$4::uuid]
)
select coalesce(
  (select json_agg(json_build_object('at', received_at::text, 'id', id)) from known where legible), '[]'::json
) as legible,
  count(*) as found, coalesce(array_agg(distinct source), '{}') as sources
from known;

-- selectByReference, src/pipeline/receive/log/erase-callbacks.ts
with known as (
  select callback.received_at, callback.id
  from unnest($1::text[], $2::text[]) as "given" ("source", "reference")
  join callback on callback.reference = given.reference and callback.source = given.source
  where not exists (
    select
    from invoice as named
    where named.source = callback.source and named.id = any(callback.invoice_ids) and named.erased_at is null
  )
)
select coalesce(
  (select json_agg(json_build_object('at', received_at::text, 'id', id)) from known), '[]'::json
) as legible;

-- selectPage, src/pipeline/receive/log/list-callbacks.ts
select id, received_at as "receivedAt", source, method, path, reference, remote_address as "remoteAddress",
  found_by as "foundBy", verdict, failed_check as "failedCheck", invoice_ids as "invoiceIds",
  erased_at as "erasedAt",
  case when erased_at is null then octet_length(body) end as bytes,
  received_at::text as at
from callback
where true
order by received_at desc, id desc
limit $1;

select id, received_at as "receivedAt", source, method, path, reference, remote_address as "remoteAddress",
  found_by as "foundBy", verdict, failed_check as "failedCheck", invoice_ids as "invoiceIds",
  erased_at as "erasedAt",
  case when erased_at is null then octet_length(body) end as bytes,
  received_at::text as at
from (
  select *
  from callback
  where invoice_ids[1] = $1
  union all
  select *
  from callback
  where cardinality(invoice_ids) > 1 and invoice_ids @> array[$2]::uuid[] and invoice_ids[1] <> $3
) as callback
where true and "source" = $4 and "reference" = $5 and "verdict" = $6 and received_at >= $7::timestamptz
  and received_at < $8::timestamptz and (received_at, id) < ($9::timestamptz, $10::uuid)
order by received_at desc, id desc
limit $11;

-- selectWhole, src/pipeline/receive/log/list-callbacks.ts
select id, received_at as "receivedAt", source, method, path, reference, remote_address as "remoteAddress",
  found_by as "foundBy", verdict, failed_check as "failedCheck", invoice_ids as "invoiceIds",
  erased_at as "erasedAt",
  case when erased_at is null then octet_length(body) end as bytes,
  query, headers, body, erased_digest as "erasedDigest"
from callback
where received_at = $1 and id = $2;

-- selectFirst, src/pipeline/receive/log/list-callbacks.ts
select received_at as at, id, source, method, remote_address as "remoteAddress", found_by as "foundBy",
  verdict,
  case when erased_at is null then octet_length(body) end as bytes,
  count(*) over () as total
from (
  select *
  from callback
  where invoice_ids[1] = $1
  union all
  select *
  from callback
  where cardinality(invoice_ids) > 1 and invoice_ids @> array[$2]::uuid[] and invoice_ids[1] <> $3
) as callback
order by received_at, id
limit $4;

-- selectIds, src/pipeline/receive/log/list-callbacks.ts
select invoice_id as "invoiceId"
from (
  select received_at, invoice_ids from callback where reference = $1 order by received_at desc limit $2
) as named
cross join unnest(invoice_ids) as invoice_id
group by 1
order by max(received_at) desc
limit $3;

-- selectLast, src/pipeline/receive/log/list-callbacks.ts
select "received_at" as "at" from "callback" order by "received_at" desc limit $1;

-- createPartition, src/pipeline/receive/log/partitions.ts
select make_callback_partition(($1::timestamptz at time zone 'UTC')::date) as made;

-- holdBriefly, src/pipeline/receive/log/partitions.ts
select set_config(name, value, true)
from (values ('statement_timeout', '5s'), ('lock_timeout', '2s')) as limits (name, value);

-- selectPartitions, src/pipeline/receive/log/partitions.ts
select *
from (
  select child.relname::text as name,
    substring(
      pg_get_expr(child.relpartbound, child.oid)
      from $re$TO \(
        '([^']+
      )'\)$re$)::timestamptz as to
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = 'callback
    )
);

-- dropTable, src/pipeline/receive/log/partitions.ts
drop table "callback_default";

-- deleteStragglers, src/pipeline/receive/log/partitions.ts
delete from callback_default
where ctid = any(array(select ctid from callback_default where received_at < $1 limit 5000));

-- storeOutcomes, src/pipeline/confirm/answer-statement.ts
with answer as materialized (
  select *
  from unnest(
    $1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::text[], $6::text[], $7::float8[], $8::text[],
    $9::int[], $10::int[], $11::boolean[], $12::text[], $13::text[], $14::boolean[], $15::boolean[],
    $16::boolean[], $17::timestamptz[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[],
    $21::timestamptz[], $22::text[]::numeric[], $23::text[]::numeric[], $24::text[]::numeric[],
    $25::text[]::numeric[], $26::text[]::numeric[], $27::text[], $28::text[], $29::text[], $30::text[],
    $31::text[], $32::text[], $33::text[], $34::text[], $35::json[], $36::uuid[], $37::text[], $38::text[],
    $39::text[], $40::text[], $41::text[], $42::text[], $43::text[]
  ) as "answer" (
    "invoice_id", "source", "lease_token", "requests", "state", "verdict", "due_in_ms", "priority", "attempt",
    "faults", "covered", "last_error", "last_answer", "keeps_evidence", "newest", "differs", "created_at",
    "modified_at", "paid_at", "asked_at", "confirmed_at", "amount", "service_charge", "vat", "total_amount",
    "settleable_amount", "status", "type", "collection_name", "title", "reference", "payment_method",
    "service_fee_payer", "digest", "document", "event_id", "event_type", "event_invoice_type",
    "event_collection_name", "event_state", "event_payload", "event_traceparent", "hand_to"
  )
),
held as (
  update confirmation as known
  set state = case when known.requests > own.requests then 'due' else own.state end,
    due_at = case
      when known.requests > own.requests then greatest(known.asked_at + '2 s'::interval, clock_timestamp())
      else clock_timestamp() + own.due_in_ms * interval '1 ms'
    end,
    attempt = case when known.requests > own.requests then 0 else own.attempt end,
    open_since = case
      when not own.covered then coalesce(known.open_since, known.due_at)
      when known.requests > own.requests then known.asked_at
    end,
    settled_at = case when own.state = 'due' then known.settled_at else clock_timestamp() end,
    lease_token = null, claimed_until = null, verdict = own.verdict, priority = own.priority,
    faults = own.faults, last_error = own.last_error,
    last_answer = coalesce(own.last_answer, case when own.keeps_evidence then known.last_answer end)
  from (
    select answer.*, before.settled_at as settled_before, before.verdict as verdict_before,
      (
        select invoice.id from invoice where invoice.source = answer.source and invoice.id = answer.invoice_id
      ) is not null as is_stored
    from answer
    cross join lateral (
      select *
      from confirmation
      where confirmation.invoice_id = answer.invoice_id and confirmation.source = answer.source
      limit 1
    ) as before
    order by answer.invoice_id, answer.source
  ) as own
  where "known"."invoice_id" between "own"."invoice_id" and "own"."invoice_id"
    and "known"."source" between "own"."source" and "own"."source" and known.lease_token = own.lease_token
  returning own.*, known.erased_at, known.requested_at, known.callback_id
),
noted as (
  insert into history_entry (invoice_id, source, at, kind, detail)
  select invoice_id, source, clock_timestamp() as at, 'ask_failed' as kind, last_error as detail
  from held
  where last_error is not null and state <> 'done'
    and (
      select count(*)
      from history_entry as noted
      where noted.invoice_id = held.invoice_id and noted.kind = 'ask_failed'
    ) < 50
  union all
  select invoice_id, source, settled_before, 'verdict', verdict_before
  from held
  where settled_before is not null and verdict_before is not null and state <> 'due'
    and not (
      select noted.id
      from history_entry as noted
      where noted.invoice_id = held.invoice_id and noted.kind = 'verdict' and noted.source = held.source
        and noted.detail = held.verdict_before
      limit 1
    ) is not null
),
snapshots as (
  insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document, erased_at)
  select invoice_id, source, asked_at, status, digest, document, erased_at
  from held
  where differs and not newest
  union all
  select replaced.id, replaced.source, replaced.asked_at, replaced.status, replaced.digest, replaced.document,
    replaced.erased_at
  from held
  cross join lateral (
    select * from invoice where invoice.source = held.source and invoice.id = held.invoice_id limit 1
  ) as replaced
  where held.differs and held.newest
),
replaced as (
  update invoice as known
  set "created_at" = held."created_at", "modified_at" = held."modified_at", "paid_at" = held."paid_at",
    "asked_at" = held."asked_at", "confirmed_at" = held."confirmed_at", "amount" = held."amount",
    "service_charge" = held."service_charge", "vat" = held."vat", "total_amount" = held."total_amount",
    "settleable_amount" = held."settleable_amount", "status" = held."status", "type" = held."type",
    "collection_name" = held."collection_name", "title" = held."title", "reference" = held."reference",
    "payment_method" = held."payment_method", "service_fee_payer" = held."service_fee_payer",
    "digest" = held."digest", "document" = held."document",
    erased_at = coalesce(known.erased_at, held.erased_at)
  from held
  where held.newest and held.is_stored and "known"."source" between "held"."source" and "held"."source"
    and "known"."id" between "held"."invoice_id" and "held"."invoice_id"
),
stored as (
  insert into invoice (
    id, source, erased_at, "created_at", "modified_at", "paid_at", "asked_at", "confirmed_at", "amount",
    "service_charge", "vat", "total_amount", "settleable_amount", "status", "type", "collection_name",
    "title", "reference", "payment_method", "service_fee_payer", "digest", "document"
  )
  select invoice_id, source, erased_at, "created_at", "modified_at", "paid_at", "asked_at", "confirmed_at",
    "amount", "service_charge", "vat", "total_amount", "settleable_amount", "status", "type",
    "collection_name", "title", "reference", "payment_method", "service_fee_payer", "digest", "document"
  from held
  where newest and not is_stored
),
logged as (
  insert into event (
    id, invoice_id, source, type, invoice_type, collection_name, payload, answer_digest, erased_at
  )
  select *
  from (
    select event_id, invoice_id, source, event_type, event_invoice_type, event_collection_name, event_payload,
      digest, erased_at
    from held
    where event_id is not null
    order by invoice_id
  ) as new (id, invoice_id, source)
  where (select known.id from event as known where known.source = new.source and known.id = new.id) is null
  returning source, id
),
queued as (
  insert into outbox (
    source, event_id, invoice_type, callback_id, requested_at, traceparent, state, lease_token, claimed_until
  )
  select *
  from (
    select held.source, held.event_id, held.event_invoice_type, held.callback_id, held.requested_at,
      held.event_traceparent,
      case when topic.arn is null then held.event_state else 'claimed' end,
      case when topic.arn is not null then $44::uuid end,
      case when topic.arn is not null then clock_timestamp() + $45::float8 * interval '1 ms' end
    from held
    left join topic on topic.arn = held.hand_to and "topic"."paused_by" is null
      and "topic"."opens_at" <= now() and topic.faults + topic.slow_downs < 1 and topic.retry_at = '-infinity'
      and held.event_state = 'due'
    where case when (held.source, held.event_id) in (select source, id from logged) then true else false end
  ) as new (source, event_id)
  where (
    select outbox.event_id
    from outbox
    where outbox.source = new.source and outbox.event_id = new.event_id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
  ) is null
  returning source, event_id, state
)
select held.invoice_id as "invoiceId", held.source, held.lease_token as "leaseToken",
  case
    when case
      when (held.source, held.event_id) in (
        select source, event_id from queued where state = 'claimed'
      ) then true
      else false
    end then 'claimed'
    when case
      when (held.source, held.event_id) in (select source, event_id from queued where state = 'due') then true
      else false
    end then 'due'
    when case
      when (held.source, held.event_id) in (select source, event_id from queued where true) then true
      else false
    end then 'held'
  end as "eventState",
  held.callback_id as "callbackId", held.requested_at as "requestedAt"
from held;

-- storeOutcomesAndAlarm, src/pipeline/confirm/answer-statement.ts
with answer as materialized (
  select *
  from unnest(
    $1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::text[], $6::text[], $7::float8[], $8::text[],
    $9::int[], $10::int[], $11::boolean[], $12::text[], $13::text[], $14::boolean[], $15::boolean[],
    $16::boolean[], $17::timestamptz[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[],
    $21::timestamptz[], $22::text[]::numeric[], $23::text[]::numeric[], $24::text[]::numeric[],
    $25::text[]::numeric[], $26::text[]::numeric[], $27::text[], $28::text[], $29::text[], $30::text[],
    $31::text[], $32::text[], $33::text[], $34::text[], $35::json[], $36::uuid[], $37::text[], $38::text[],
    $39::text[], $40::text[], $41::text[], $42::text[], $43::text[]
  ) as "answer" (
    "invoice_id", "source", "lease_token", "requests", "state", "verdict", "due_in_ms", "priority", "attempt",
    "faults", "covered", "last_error", "last_answer", "keeps_evidence", "newest", "differs", "created_at",
    "modified_at", "paid_at", "asked_at", "confirmed_at", "amount", "service_charge", "vat", "total_amount",
    "settleable_amount", "status", "type", "collection_name", "title", "reference", "payment_method",
    "service_fee_payer", "digest", "document", "event_id", "event_type", "event_invoice_type",
    "event_collection_name", "event_state", "event_payload", "event_traceparent", "hand_to"
  )
),
held as (
  update confirmation as known
  set state = case when known.requests > own.requests then 'due' else own.state end,
    due_at = case
      when known.requests > own.requests then greatest(known.asked_at + '2 s'::interval, clock_timestamp())
      else clock_timestamp() + own.due_in_ms * interval '1 ms'
    end,
    attempt = case when known.requests > own.requests then 0 else own.attempt end,
    open_since = case
      when not own.covered then coalesce(known.open_since, known.due_at)
      when known.requests > own.requests then known.asked_at
    end,
    settled_at = case when own.state = 'due' then known.settled_at else clock_timestamp() end,
    lease_token = null, claimed_until = null, verdict = own.verdict, priority = own.priority,
    faults = own.faults, last_error = own.last_error,
    last_answer = coalesce(own.last_answer, case when own.keeps_evidence then known.last_answer end)
  from (
    select answer.*, before.settled_at as settled_before, before.verdict as verdict_before,
      (
        select invoice.id from invoice where invoice.source = answer.source and invoice.id = answer.invoice_id
      ) is not null as is_stored
    from answer
    cross join lateral (
      select *
      from confirmation
      where confirmation.invoice_id = answer.invoice_id and confirmation.source = answer.source
      limit 1
    ) as before
    order by answer.invoice_id, answer.source
  ) as own
  where "known"."invoice_id" between "own"."invoice_id" and "own"."invoice_id"
    and "known"."source" between "own"."source" and "own"."source" and known.lease_token = own.lease_token
  returning own.*, known.erased_at, known.requested_at, known.callback_id
),
noted as (
  insert into history_entry (invoice_id, source, at, kind, detail)
  select invoice_id, source, clock_timestamp() as at, 'ask_failed' as kind, last_error as detail
  from held
  where last_error is not null and state <> 'done'
    and (
      select count(*)
      from history_entry as noted
      where noted.invoice_id = held.invoice_id and noted.kind = 'ask_failed'
    ) < 50
  union all
  select invoice_id, source, settled_before, 'verdict', verdict_before
  from held
  where settled_before is not null and verdict_before is not null and state <> 'due'
    and not (
      select noted.id
      from history_entry as noted
      where noted.invoice_id = held.invoice_id and noted.kind = 'verdict' and noted.source = held.source
        and noted.detail = held.verdict_before
      limit 1
    ) is not null
),
snapshots as (
  insert into invoice_snapshot (invoice_id, source, asked_at, status, digest, document, erased_at)
  select invoice_id, source, asked_at, status, digest, document, erased_at
  from held
  where differs and not newest
  union all
  select replaced.id, replaced.source, replaced.asked_at, replaced.status, replaced.digest, replaced.document,
    replaced.erased_at
  from held
  cross join lateral (
    select * from invoice where invoice.source = held.source and invoice.id = held.invoice_id limit 1
  ) as replaced
  where held.differs and held.newest
),
replaced as (
  update invoice as known
  set "created_at" = held."created_at", "modified_at" = held."modified_at", "paid_at" = held."paid_at",
    "asked_at" = held."asked_at", "confirmed_at" = held."confirmed_at", "amount" = held."amount",
    "service_charge" = held."service_charge", "vat" = held."vat", "total_amount" = held."total_amount",
    "settleable_amount" = held."settleable_amount", "status" = held."status", "type" = held."type",
    "collection_name" = held."collection_name", "title" = held."title", "reference" = held."reference",
    "payment_method" = held."payment_method", "service_fee_payer" = held."service_fee_payer",
    "digest" = held."digest", "document" = held."document",
    erased_at = coalesce(known.erased_at, held.erased_at)
  from held
  where held.newest and held.is_stored and "known"."source" between "held"."source" and "held"."source"
    and "known"."id" between "held"."invoice_id" and "held"."invoice_id"
),
stored as (
  insert into invoice (
    id, source, erased_at, "created_at", "modified_at", "paid_at", "asked_at", "confirmed_at", "amount",
    "service_charge", "vat", "total_amount", "settleable_amount", "status", "type", "collection_name",
    "title", "reference", "payment_method", "service_fee_payer", "digest", "document"
  )
  select invoice_id, source, erased_at, "created_at", "modified_at", "paid_at", "asked_at", "confirmed_at",
    "amount", "service_charge", "vat", "total_amount", "settleable_amount", "status", "type",
    "collection_name", "title", "reference", "payment_method", "service_fee_payer", "digest", "document"
  from held
  where newest and not is_stored
),
logged as (
  insert into event (
    id, invoice_id, source, type, invoice_type, collection_name, payload, answer_digest, erased_at
  )
  select *
  from (
    select event_id, invoice_id, source, event_type, event_invoice_type, event_collection_name, event_payload,
      digest, erased_at
    from held
    where event_id is not null
    order by invoice_id
  ) as new (id, invoice_id, source)
  where (select known.id from event as known where known.source = new.source and known.id = new.id) is null
  returning source, id
),
queued as (
  insert into outbox (
    source, event_id, invoice_type, callback_id, requested_at, traceparent, state, lease_token, claimed_until
  )
  select *
  from (
    select held.source, held.event_id, held.event_invoice_type, held.callback_id, held.requested_at,
      held.event_traceparent,
      case when topic.arn is null then held.event_state else 'claimed' end,
      case when topic.arn is not null then $44::uuid end,
      case when topic.arn is not null then clock_timestamp() + $45::float8 * interval '1 ms' end
    from held
    left join topic on topic.arn = held.hand_to and "topic"."paused_by" is null
      and "topic"."opens_at" <= now() and topic.faults + topic.slow_downs < 1 and topic.retry_at = '-infinity'
      and held.event_state = 'due'
    where case when (held.source, held.event_id) in (select source, id from logged) then true else false end
  ) as new (source, event_id)
  where (
    select outbox.event_id
    from outbox
    where outbox.source = new.source and outbox.event_id = new.event_id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
  ) is null
  returning source, event_id, state
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select *
    from unnest(
      $46::text[], $47::text[], $48::text[], $49::text[]
    ) as "raise" ("name", "source", "subject", "detail")
    where exists (
      select from held where held.source = "raise".source and held.invoice_id::text = "raise".subject
    )
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      (name, source, subject) in (
        select name, source, subject
        from unnest($50::text[], $51::text[], $52::text[]) as "ends" ("name", "source", "subject")
        where exists (
          select from held where held.source = "ends".source and held.invoice_id::text = "ends".subject
        )
      )
    )
)
select held.invoice_id as "invoiceId", held.source, held.lease_token as "leaseToken",
  case
    when case
      when (held.source, held.event_id) in (
        select source, event_id from queued where state = 'claimed'
      ) then true
      else false
    end then 'claimed'
    when case
      when (held.source, held.event_id) in (select source, event_id from queued where state = 'due') then true
      else false
    end then 'due'
    when case
      when (held.source, held.event_id) in (select source, event_id from queued where true) then true
      else false
    end then 'held'
  end as "eventState",
  held.callback_id as "callbackId", held.requested_at as "requestedAt"
from held;

-- insertMark, src/pipeline/confirm/erase.ts
insert into erased_invoice (id) values ($1) on conflict (id) do nothing returning true as "isNew";

-- selectUnchecked, src/pipeline/confirm/erase.ts
select "id"
from "erased_invoice"
where checked_at is null and erased_at not between clock_timestamp() - interval '1 minute'
  and clock_timestamp()
order by "erased_at"
limit $1;

-- noteChecked, src/pipeline/confirm/erase.ts
update erased_invoice set checked_at = clock_timestamp() where id = $1;

-- updateConfirmations, src/pipeline/confirm/erase.ts
with known as (
  select source, erased_at is null or last_answer is not null as held
  from confirmation
  where invoice_id = $1
  order by source
  for update
)
update confirmation
set erased_at = clock_timestamp(), last_answer = null,
  state = case when state = 'claimed' and erased_at is null then 'due' else state end,
  lease_token = case when erased_at is null then null else lease_token end,
  claimed_until = case when erased_at is null then null else claimed_until end
from known
where confirmation.invoice_id = $2 and confirmation.source = known.source
returning known.source, known.held;

-- updatePayments, src/pipeline/confirm/erase.ts
with known as (
  select count(*) as found,
    coalesce(
      json_agg(
        json_build_object('source', source, 'reference', reference)
      ) filter (where reference is not null),
      '[]'
    ) as references
  from invoice
  where source = any($1::text[]) and id = $2::uuid
),
invoices as (
  update invoice
  set erased_at = clock_timestamp(), document = $3::json, "title" = null, "reference" = null
  where source = any($4::text[]) and id = $5::uuid and erased_at is null
  returning 1
),
snapshots as (
  update invoice_snapshot
  set erased_at = clock_timestamp(), document = $6::json
  where source = any($7::text[]) and invoice_id = $8::uuid and erased_at is null
  returning 1
)
select known.found, known.references, (select count(*) from invoices) as invoices,
  (select count(*) from snapshots) as snapshots
from known;

-- selectNewest, src/pipeline/confirm/invoices/read-invoices.ts
select "id" from "invoice" where "source" = $1 and "paid_at" is not null order by "paid_at" desc limit $2;

-- selectDescriptions, src/pipeline/confirm/invoices/read-invoices.ts
select invoice.id as "invoiceId", invoice.source, invoice.reference, invoice.collection_name as collection
from unnest($1::uuid[], $2::text[]) as "given" ("invoice_id", "source")
join invoice on invoice.source = given.source and invoice.id = given.invoice_id;

-- selectAnswers, src/pipeline/confirm/invoices/read-invoices.ts
select source, true as newest, status, asked_at as "askedAt", document::text as document,
  erased_at as "erasedAt"
from invoice
where source = any(
  array(
    with recursive known (source) as (
      (select source from "invoice" order by source limit 1)
      union all
      select (
        select further.source
        from "invoice" as further
        where further.source > known.source
        order by further.source
        limit 1
      )
      from known
      where known.source is not null
    )
    select source
    from known
    where source is not null
  )
)
  and id = $1
union all (
  select source, false, status, asked_at, document::text, erased_at
  from invoice_snapshot
  where source = any(
    array(
      with recursive known (source) as (
        (select source from "invoice_snapshot" order by source limit 1)
        union all
        select (
          select further.source
          from "invoice_snapshot" as further
          where further.source > known.source
          order by further.source
          limit 1
        )
        from known
        where known.source is not null
      )
      select source
      from known
      where source is not null
    )
  )
    and invoice_id = $2
  order by asked_at desc
  limit $3
)
order by 2 desc, 4 desc
limit $4;

-- selectAnswersInOrder, src/pipeline/confirm/invoices/read-invoices.ts
(
  select asked_at as at, source, status
  from invoice_snapshot
  where source = any(
    array(
      with recursive known (source) as (
        (select source from "invoice_snapshot" order by source limit 1)
        union all
        select (
          select further.source
          from "invoice_snapshot" as further
          where further.source > known.source
          order by further.source
          limit 1
        )
        from known
        where known.source is not null
      )
      select source
      from known
      where source is not null
    )
  )
    and invoice_id = $1
  order by asked_at desc
  limit $2
)
union all
select asked_at, source, status
from invoice
where source = any(
  array(
    with recursive known (source) as (
      (select source from "invoice" order by source limit 1)
      union all
      select (
        select further.source
        from "invoice" as further
        where further.source > known.source
        order by further.source
        limit 1
      )
      from known
      where known.source is not null
    )
    select source
    from known
    where source is not null
  )
)
  and id = $3
order by 1;

-- release, src/pipeline/confirm/queue/change-confirmations.ts
update confirmation
set released_at = clock_timestamp()
from (
  select confirmation.invoice_id, confirmation.source
  from unnest($1::uuid[], $2::text[]) as "given" ("invoice_id", "source")
  join confirmation on confirmation.invoice_id = given.invoice_id and confirmation.source = given.source
  order by confirmation.invoice_id, confirmation.source
  for update of confirmation
) as given
where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source;

-- dismiss, src/pipeline/confirm/queue/change-confirmations.ts
update confirmation
set dismissed_at = clock_timestamp()
from (
  select confirmation.invoice_id, confirmation.source
  from unnest($1::uuid[], $2::text[]) as "given" ("invoice_id", "source")
  join confirmation on confirmation.invoice_id = given.invoice_id and confirmation.source = given.source
  order by confirmation.invoice_id, confirmation.source
  for update of confirmation
) as given
where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source;

-- updatePriority, src/pipeline/confirm/queue/change-confirmations.ts
update confirmation
set priority = 'known', due_at = least(due_at, clock_timestamp())
from (
  select invoice_id
  from confirmation
  where source = $1 and priority = 'unknown' and state = 'due' and invoice_id = any($2::uuid[])
  order by invoice_id
  for update
) as found
where confirmation.source = $3 and confirmation.invoice_id = found.invoice_id;

-- selectKeptSince, src/pipeline/confirm/queue/change-confirmations.ts
select clock_timestamp() - '7 days'::interval as since;

-- deletePage, src/pipeline/confirm/queue/change-confirmations.ts
delete from confirmation
where verdict = 'unknown_invoice' and state = 'done' and settled_at < clock_timestamp() - '7 days'::interval
  and ctid = any(
    array(
      select known.ctid
      from (
        select given.*
        from unnest($1::uuid[], $2::text[]) as "given" ("invoice_id", "source")
        order by given.invoice_id, given.source
      ) as given
      cross join lateral (
        select confirmation.ctid
        from confirmation
        where confirmation.invoice_id = given.invoice_id and confirmation.source = given.source
        for update
      ) as known
    )
  );

-- selectStates, src/pipeline/confirm/queue/change-confirmations.ts
select confirmation.invoice_id as "invoiceId", confirmation.source, state, verdict
from unnest($1::uuid[], $2::text[]) as "given" ("invoice_id", "source")
join confirmation on confirmation.invoice_id = given.invoice_id and confirmation.source = given.source;

-- selectLastAnswer, src/pipeline/confirm/queue/change-confirmations.ts
select "last_answer" as "lastAnswer" from "confirmation" where "invoice_id" = $1 and "source" = $2;

-- countUnasked, src/pipeline/confirm/queue/change-confirmations.ts
select count(*) as "count"
from "confirmation"
where "priority" = $1 and "state" in ($2, $3) and "attempt" = $4 and source = any($5::text[]);

-- countUndelivered, src/pipeline/confirm/queue/change-confirmations.ts
select (
  select count(*) from confirmation where state = 'dead' and not coalesce(dismissed_at >= settled_at, false)
) as dead,
  (
    select count(*)
    from confirmation
    where verdict = 'quarantined' and released_at is null and not coalesce(dismissed_at >= settled_at, false)
  ) as quarantined;

-- claimWhenHealthy, src/pipeline/confirm/queue/claim.ts
with admitted as materialized (
  select name
  from source
  where name = $1 and "source"."paused_by" is null and "source"."opens_at" <= now()
    and source.faults + source.slow_downs = 0 and source.retry_at = '-infinity'
    and not (bit_count(source.unknown_answers) > 50 and source.not_found_at > now() - interval '10 minutes')
    and set_config('synchronous_commit', 'off', true) is not null
),
known_first as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'known' and least(attempt + faults, 1) = 0
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(0, least($2::bigint, $3::bigint))
  for update skip locked
),
unknown_first as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'unknown' and least(attempt + faults, 1) = 0
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(0, least($4::bigint - (select count(*) from known_first), $5::bigint))
  for update skip locked
),
known_again as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'known' and least(attempt + faults, 1) = 1
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $6::bigint - (select count(*) from known_first) - (select count(*) from unknown_first),
      $7::bigint - (select count(*) from known_first)
    )
  )
  for update skip locked
),
unknown_again as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'unknown' and least(attempt + faults, 1) = 1
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $8::bigint - (select count(*) from known_first) - (
        select count(*) from unknown_first
      ) - (select count(*) from known_again),
      $9::bigint - (select count(*) from unknown_first)
    )
  )
  for update skip locked
),
replay_first as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'replay' and least(attempt + faults, 1) = 0
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $10::bigint - (select count(*) from known_first) - (
        select count(*) from unknown_first
      ) - (select count(*) from known_again) - (select count(*) from unknown_again),
      $11::bigint
    )
  )
  for update skip locked
),
replay_again as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'replay' and least(attempt + faults, 1) = 1
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $12::bigint - (select count(*) from known_first) - (
        select count(*) from unknown_first
      ) - (select count(*) from known_again) - (
        select count(*) from unknown_again
      ) - (select count(*) from replay_first),
      $13::bigint - (select count(*) from replay_first)
    )
  )
  for update skip locked
),
taken as (
  select tid
  from known_first
  union all
  select tid
  from unknown_first
  union all
  select tid
  from known_again
  union all
  select tid
  from unknown_again
  union all
  select tid
  from replay_first
  union all
  select tid
  from replay_again
),
claimed as (
  update confirmation
  set state = 'claimed', lease_token = $14, claimed_until = clock_timestamp() + $15::float8 * interval '1 ms',
    asked_at = clock_timestamp()
  where ctid = any (array(select tid from taken))
  returning confirmation.*
)
select exists (select from admitted) as open, claimed.invoice_id as "invoiceId", claimed.source,
  claimed.lease_token as "leaseToken", claimed.priority, claimed.requests, claimed.attempt, claimed.faults,
  claimed.verdict, claimed.released_at is not null as released, claimed.erased_at is not null as erased,
  claimed.record_only as "recordOnly", claimed.traceparents, clock_timestamp() as "askedAt", invoice.status,
  invoice.type, invoice.modified_at as "modifiedAt", invoice.amount, invoice.total_amount as "totalAmount",
  invoice.digest,
  (
    select event.id
    from event
    where event.source = claimed.source and event.id = (event_id(claimed.invoice_id, 'invoice.paid'))::uuid
  ) is not null as "hasEvent"
from (select) as always
left join claimed on true
left join lateral (
  select * from invoice where invoice.source = claimed.source and invoice.id = claimed.invoice_id limit 1
) as invoice on true;

-- claimWithinAllowance, src/pipeline/confirm/queue/claim.ts
with admitted as materialized (
  select name
  from source
  where name = $1 and version = $2 and set_config('synchronous_commit', 'off', true) is not null
  for update
),
known_first as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'known' and least(attempt + faults, 1) = 0
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(0, least($3::bigint, $4::bigint))
  for update skip locked
),
unknown_first as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'unknown' and least(attempt + faults, 1) = 0
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(0, least($5::bigint - (select count(*) from known_first), $6::bigint))
  for update skip locked
),
known_again as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'known' and least(attempt + faults, 1) = 1
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $7::bigint - (select count(*) from known_first) - (select count(*) from unknown_first),
      $8::bigint - (select count(*) from known_first)
    )
  )
  for update skip locked
),
unknown_again as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'unknown' and least(attempt + faults, 1) = 1
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $9::bigint - (select count(*) from known_first) - (
        select count(*) from unknown_first
      ) - (select count(*) from known_again),
      $10::bigint - (select count(*) from unknown_first)
    )
  )
  for update skip locked
),
replay_first as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'replay' and least(attempt + faults, 1) = 0
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $11::bigint - (select count(*) from known_first) - (
        select count(*) from unknown_first
      ) - (select count(*) from known_again) - (select count(*) from unknown_again),
      $12::bigint
    )
  )
  for update skip locked
),
replay_again as (
  select ctid as tid
  from confirmation
  where source = (select name from admitted) and priority = 'replay' and least(attempt + faults, 1) = 1
    and state = 'due' and due_at <= now()
  order by due_at
  limit greatest(
    0,
    least(
      $13::bigint - (select count(*) from known_first) - (
        select count(*) from unknown_first
      ) - (select count(*) from known_again) - (
        select count(*) from unknown_again
      ) - (select count(*) from replay_first),
      $14::bigint - (select count(*) from replay_first)
    )
  )
  for update skip locked
),
taken as (
  select tid
  from known_first
  union all
  select tid
  from unknown_first
  union all
  select tid
  from known_again
  union all
  select tid
  from unknown_again
  union all
  select tid
  from replay_first
  union all
  select tid
  from replay_again
),
claimed as (
  update confirmation
  set state = 'claimed', lease_token = $15, claimed_until = clock_timestamp() + $16::float8 * interval '1 ms',
    asked_at = clock_timestamp()
  where ctid = any (array(select tid from taken))
  returning confirmation.*
),
paid_for as (
  update source
  set version = version + 1,
    allowance = $17::float8 - case when $18::boolean then spent.total else 0 end,
    allowance_at = clock_timestamp(),
    next_unknown_at = greatest(
      next_unknown_at, clock_timestamp() + spent.unknown * $19::float8 * interval '1 ms'
    ),
    opens_at = case when $20::boolean then clock_timestamp() + '10000 ms'::interval else opens_at end
  from (
    select count(*) as total, count(*) filter (where priority = 'unknown') as unknown from claimed
  ) as spent
  where name = $21 and spent.total > 0
)
select exists (select from admitted) as open, claimed.invoice_id as "invoiceId", claimed.source,
  claimed.lease_token as "leaseToken", claimed.priority, claimed.requests, claimed.attempt, claimed.faults,
  claimed.verdict, claimed.released_at is not null as released, claimed.erased_at is not null as erased,
  claimed.record_only as "recordOnly", claimed.traceparents, clock_timestamp() as "askedAt", invoice.status,
  invoice.type, invoice.modified_at as "modifiedAt", invoice.amount, invoice.total_amount as "totalAmount",
  invoice.digest,
  (
    select event.id
    from event
    where event.source = claimed.source and event.id = (event_id(claimed.invoice_id, 'invoice.paid'))::uuid
  ) is not null as "hasEvent"
from (select) as always
left join claimed on true
left join lateral (
  select * from invoice where invoice.source = claimed.source and invoice.id = claimed.invoice_id limit 1
) as invoice on true;

-- confirmationLeases, src/pipeline/confirm/queue/claim.ts
select from "confirmation" where state = 'claimed' and lease_token = $1::uuid;

-- confirmationLeases, src/pipeline/confirm/queue/claim.ts
update "confirmation"
set claimed_until = clock_timestamp() + $1::float8 * interval '1 ms'
where ctid = any (
  array(
    select ctid
    from "confirmation"
    where state = 'claimed' and lease_token = any($2::uuid[])
    for update skip locked
  )
);

-- confirmationLeases, src/pipeline/confirm/queue/claim.ts
update "confirmation"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(
    select ctid from "confirmation" where state = 'claimed' and claimed_until < now() for update skip locked
  )
);

-- confirmationLeases, src/pipeline/confirm/queue/claim.ts
update "confirmation"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(
    select ctid
    from "confirmation"
    where state = 'claimed'
      and (source, "invoice_id", lease_token) in (
        select source, id, lease_token
        from unnest($1::text[], $2::uuid[], $3::uuid[]) as "held" ("source", "id", "lease_token")
      )
    for update skip locked
  )
);

-- openAll, src/pipeline/confirm/queue/open.ts
with opened as (
  insert into confirmation as known (
    invoice_id, source, callback_id, traceparents, priority, record_only, opened_by, opened_at, open_since,
    requested_at, due_at, state, asked_at, lease_token, claimed_until, erased_at
  )
  select asked.invoice_id, asked.source, asked.callback_id, asked.traceparents, $1, asked.record_only, $2,
    clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp(), 'due', null::timestamptz,
    null::uuid, null::timestamptz,
    (select erased_at from erased_invoice as mark where mark.id = asked.invoice_id)
  from unnest($3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::boolean[]) as "asked" (
    "invoice_id", "source", "callback_id", "traceparents", "record_only"
  )
  order by asked.invoice_id, asked.source
  on conflict (invoice_id, source) do update
  set requests = known.requests + 1, callback_id = coalesce(excluded.callback_id, known.callback_id),
    traceparents = case
      when known.state in ('done', 'dead') then excluded.traceparents
      else coalesce(known.traceparents, excluded.traceparents)
    end,
    attempt = 0, record_only = known.record_only and excluded.record_only,
    open_since = coalesce(known.open_since, clock_timestamp()), requested_at = clock_timestamp(),
    due_at = case
      known.state
      when 'claimed' then known.due_at
      when 'due' then least(known.due_at, greatest(known.asked_at + '2 s'::interval, clock_timestamp()))
      else greatest(known.asked_at + '2 s'::interval, clock_timestamp())
    end,
    state = case known.state when 'claimed' then 'claimed' else 'due' end,
    priority = case
      when excluded.priority = 'known' then 'known'
      when excluded.priority = 'replay' then case
        when known.state in ('due', 'claimed') then known.priority else 'replay'
      end
      when known.priority = 'replay' and known.verdict is distinct from 'unknown_invoice' then 'known'
      when known.priority = 'replay' then 'unknown'
      else known.priority
    end
  returning invoice_id, source, traceparents, lease_token, erased_at
)
select
where false;

-- noteListed, src/pipeline/confirm/queue/open.ts
update confirmation
set listed_digest = noted.digest
from unnest($1::uuid[], $2::text[]) as "noted" ("invoice_id", "digest")
where confirmation.source = $3 and confirmation.invoice_id = noted.invoice_id;

-- claimWhenHealthy, src/pipeline/publish/claim-events.ts
with admitted as materialized (
  select $1::bigint as wanted
  from topic
  where arn = $2 and "topic"."paused_by" is null and "topic"."opens_at" <= now()
    and topic.faults + topic.slow_downs < 1 and topic.retry_at = '-infinity'
    and set_config('synchronous_commit', 'off', true) is not null
),
taken as (
  select ctid
  from outbox
  where source = $3 and invoice_type = $4 and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    and state = 'due' and due_at <= now() and exists (select from admitted)
  order by due_at
  limit (select wanted from admitted)
  for update skip locked
),
claimed as (
  update outbox
  set state = 'claimed', lease_token = $5, claimed_until = clock_timestamp() + $6::float8 * interval '1 ms'
  where ctid = any (array(select ctid from taken))
  returning outbox.*
)
select exists (select from admitted) as open, event.id, lease_token as "leaseToken",
  event.invoice_id as "invoiceId", event.source, event.type, event.invoice_type as "invoiceType",
  event.collection_name as "collectionName", event.payload, claimed.attempt,
  claimed.callback_id as "callbackId", claimed.requested_at as "requestedAt", claimed.traceparent,
  $7::text as "topicArn", nullif(claimed.replay_id, '00000000-0000-0000-0000-000000000000') as "replayId"
from (select) as always
left join (
  claimed
  cross join lateral (
    select *
    from event
    where event.source = claimed.source and event.id between claimed.event_id and claimed.event_id
    order by event.id
    limit 1
  ) as event
) on true;

-- claimOnTrial, src/pipeline/publish/claim-events.ts
with admitted as materialized (
  select $1::bigint as wanted
  from topic
  where arn = $2 and version = $3 and set_config('synchronous_commit', 'off', true) is not null
  for update
),
taken as (
  select ctid
  from outbox
  where source = $4 and invoice_type = $5 and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    and state = 'due' and due_at <= now() and exists (select from admitted)
  order by due_at
  limit (select wanted from admitted)
  for update skip locked
),
claimed as (
  update outbox
  set state = 'claimed', lease_token = $6, claimed_until = clock_timestamp() + $7::float8 * interval '1 ms'
  where ctid = any (array(select ctid from taken))
  returning outbox.*
),
also_written as (
  update topic
  set version = version + 1,
    opens_at = case
      when $8::boolean and paused_by is null then clock_timestamp() + '10000 ms'::interval else opens_at
    end,
    probe_at = case
      when paused_by is not null then clock_timestamp() + least(
        '30000 ms'::interval, greatest('500 ms'::interval, clock_timestamp() - paused_at)
      )
    end
  where arn = $9 and exists (select from claimed)
)
select exists (select from admitted) as open, event.id, lease_token as "leaseToken",
  event.invoice_id as "invoiceId", event.source, event.type, event.invoice_type as "invoiceType",
  event.collection_name as "collectionName", event.payload, claimed.attempt,
  claimed.callback_id as "callbackId", claimed.requested_at as "requestedAt", claimed.traceparent,
  $10::text as "topicArn", nullif(claimed.replay_id, '00000000-0000-0000-0000-000000000000') as "replayId"
from (select) as always
left join (
  claimed
  cross join lateral (
    select *
    from event
    where event.source = claimed.source and event.id between claimed.event_id and claimed.event_id
    order by event.id
    limit 1
  ) as event
) on true;

-- claimOfReplays, src/pipeline/publish/claim-events.ts
with admitted as materialized (
  select $1::bigint as wanted where set_config('synchronous_commit', 'off', true) is not null
),
taken as (
  select ctid
  from outbox
  where not outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    and coalesce(
      (
        select topic.arn = any($2::text[]) and "topic"."paused_by" is null and "topic"."opens_at" <= now()
        from topic
        where topic.arn = outbox.topic_arn
      ),
      true
    )
    and not exists (
      select
      from unnest($3::text[], $4::text[], $5::text[]) as "route" ("source", "invoice_type", "topic_arn")
      cross join lateral (
        select
        from outbox as live
        where live.source = route.source and live.invoice_type = route.invoice_type and live.state = 'due'
          and live.due_at <= now() and live.replay_id = '00000000-0000-0000-0000-000000000000'
        limit 1
      ) as due
      where route.topic_arn = outbox.topic_arn
    )
    and state = 'due' and due_at <= now() and exists (select from admitted)
  order by due_at
  limit (select wanted from admitted)
  for update skip locked
),
claimed as (
  update outbox
  set state = 'claimed', lease_token = $6, claimed_until = clock_timestamp() + $7::float8 * interval '1 ms'
  where ctid = any (array(select ctid from taken))
  returning outbox.*
)
select exists (select from admitted) as open, event.id, lease_token as "leaseToken",
  event.invoice_id as "invoiceId", event.source, event.type, event.invoice_type as "invoiceType",
  event.collection_name as "collectionName", event.payload, claimed.attempt,
  claimed.callback_id as "callbackId", claimed.requested_at as "requestedAt", claimed.traceparent,
  claimed.topic_arn::text as "topicArn",
  nullif(claimed.replay_id, '00000000-0000-0000-0000-000000000000') as "replayId"
from (select) as always
left join (
  claimed
  cross join lateral (
    select *
    from event
    where event.source = claimed.source and event.id between claimed.event_id and claimed.event_id
    order by event.id
    limit 1
  ) as event
) on true;

-- lockEvents, src/pipeline/publish/event-log.ts
select "source", "id", "payload", "erased_at"
from "event"
where source = any($1::text[]) and "id" = (event_id($2::uuid, 'invoice.paid'))::uuid
for update;

-- blankEvent, src/pipeline/publish/event-log.ts
update event set erased_at = clock_timestamp(), erased_digest = $1, payload = $2 where source = $3 and id = $4;

-- insertMissing, src/pipeline/publish/outbox.ts
insert into outbox (source, event_id, invoice_type)
select event.source, event.id, event.invoice_type
from event
where event.source = $1
  and event.id in (
    select (event_id(invoice_id, 'invoice.paid'))::uuid from unnest($2::uuid[]) as given (invoice_id)
  )
  and (case event.invoice_type when 'Live' then $3::text else $4::text end) is not null
  and not exists (
    select
    from publication
    where publication.source = event.source and publication.event_id = event.id
      and publication.topic_arn = (case event.invoice_type when 'Live' then $5::text else $6::text end)
  )
order by event.invoice_id
on conflict do nothing
returning event_id as id;

-- outboxLeases, src/pipeline/publish/outbox.ts
select from "outbox" where state = 'claimed' and lease_token = $1::uuid;

-- outboxLeases, src/pipeline/publish/outbox.ts
update "outbox"
set claimed_until = clock_timestamp() + $1::float8 * interval '1 ms'
where ctid = any (
  array(
    select ctid from "outbox" where state = 'claimed' and lease_token = any($2::uuid[]) for update skip locked
  )
);

-- outboxLeases, src/pipeline/publish/outbox.ts
update "outbox"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(select ctid from "outbox" where state = 'claimed' and claimed_until < now() for update skip locked)
);

-- outboxLeases, src/pipeline/publish/outbox.ts
update "outbox"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(
    select ctid
    from "outbox"
    where state = 'claimed'
      and (source, "event_id", lease_token) in (
        select source, id, lease_token
        from unnest($1::text[], $2::uuid[], $3::uuid[]) as "held" ("source", "id", "lease_token")
      )
    for update skip locked
  )
);

-- revive, src/pipeline/publish/outbox.ts
update outbox
set state = 'due', attempt = 0, due_at = clock_timestamp(), dismissed_at = null
from unnest($1::uuid[], $2::text[]) as "given" ("event_id", "source")
where outbox.source = given.source and outbox.event_id = given.event_id and state = 'dead'
  and outbox.replay_id = '00000000-0000-0000-0000-000000000000';

-- dismiss, src/pipeline/publish/outbox.ts
update outbox
set dismissed_at = clock_timestamp()
from unnest($1::uuid[], $2::text[]) as "given" ("event_id", "source")
where outbox.source = given.source and outbox.event_id = given.event_id and state = 'dead'
  and outbox.replay_id = '00000000-0000-0000-0000-000000000000';

-- countDead, src/pipeline/publish/outbox.ts
select count(*) as "dead"
from "outbox"
where "state" = $1 and "dismissed_at" is null and outbox.replay_id = '00000000-0000-0000-0000-000000000000';

-- moveTestEvents, src/pipeline/publish/outbox.ts
with held as (
  select ctid
  from outbox
  where state = 'held' and invoice_type = 'Test' and source = any($1::text[])
    and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
  limit 5000
  for update skip locked
),
due as (
  select ctid
  from outbox
  where state = 'due' and invoice_type = 'Test' and source = any($2::text[])
    and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
  limit 5000
  for update skip locked
)
update outbox
set state = case state when 'held' then 'due' else 'held' end,
  due_at = clock_timestamp()
where ctid = any (array(select ctid from held union all select ctid from due))
returning state;

-- queueReplayed, src/pipeline/publish/outbox.ts
insert into outbox (source, event_id, replay_id, invoice_type, topic_arn)
select source, event_id, $1::uuid, invoice_type, topic_arn
from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as "given" (
  "event_id", "source", "invoice_type", "topic_arn"
)
on conflict do nothing;

-- selectQueue, src/pipeline/publish/outbox.ts
select count(*) as waiting, count(*) filter (where state = 'dead') as refused,
  max(last_error) filter (where state = 'held') as "topicRefusal",
  max(last_error) filter (where state = 'due') as failure,
  (array_agg(topic_arn order by due_at) filter (where state = 'due'))[1] as "topicArn",
  min(due_at) filter (where state = 'due') < clock_timestamp() - interval '2 s' as stands
from outbox
where outbox.replay_id = $1::uuid and not outbox.replay_id = '00000000-0000-0000-0000-000000000000';

-- takeBackReplayed, src/pipeline/publish/outbox.ts
with gone as (
  delete from outbox
  where outbox.replay_id = $1::uuid and not outbox.replay_id = '00000000-0000-0000-0000-000000000000'
  returning source, event_id
)
select event.created_at::text as at, event.id, event.source
from gone
join event on event.source = gone.source and event.id = gone.event_id
order by event.created_at, event.id, event.source
limit 1;

-- writeAcceptances, src/pipeline/publish/outcomes.ts
with outcome as materialized (
  select *
  from unnest(
    $1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::bytea[],
    $9::float8[], $10::text[]
  ) as "outcome" (
    "event_id", "source", "replay_id", "lease_token", "topic_arn", "state", "message_id", "digest",
    "due_in_ms", "error"
  )
),
sent as (
  delete from outbox using outcome
  where outcome.state = 'accepted' and "outbox"."source" between "outcome"."source" and "outcome"."source"
    and "outbox"."event_id" between "outcome"."event_id" and "outcome"."event_id"
    and "outbox"."replay_id" between "outcome"."replay_id" and "outcome"."replay_id"
    and (outbox.lease_token = outcome.lease_token or outbox.lease_token is null)
),
failed as (
  update outbox
  set state = outcome.state, attempt = outbox.attempt + 1, last_error = outcome.error,
    due_at = clock_timestamp() + outcome.due_in_ms * interval '1 ms', lease_token = null, claimed_until = null
  from outcome
  where outcome.state <> 'accepted' and outbox.lease_token = outcome.lease_token
    and "outbox"."source" between "outcome"."source" and "outcome"."source"
    and "outbox"."event_id" between "outcome"."event_id" and "outcome"."event_id"
    and "outbox"."replay_id" between "outcome"."replay_id" and "outcome"."replay_id"
  returning outbox.source, outbox.event_id, outcome.error,
    outbox.replay_id = '00000000-0000-0000-0000-000000000000' as live
)
insert into publication (source, event_id, replay_id, topic_arn, message_id, digest)
select source, event_id, nullif(replay_id, '00000000-0000-0000-0000-000000000000'), topic_arn, message_id,
  digest
from outcome
where message_id is not null;

-- writeWithFailures, src/pipeline/publish/outcomes.ts
with outcome as materialized (
  select *
  from unnest(
    $1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::bytea[],
    $9::float8[], $10::text[]
  ) as "outcome" (
    "event_id", "source", "replay_id", "lease_token", "topic_arn", "state", "message_id", "digest",
    "due_in_ms", "error"
  )
),
sent as (
  delete from outbox using outcome
  where outcome.state = 'accepted' and "outbox"."source" between "outcome"."source" and "outcome"."source"
    and "outbox"."event_id" between "outcome"."event_id" and "outcome"."event_id"
    and "outbox"."replay_id" between "outcome"."replay_id" and "outcome"."replay_id"
    and (outbox.lease_token = outcome.lease_token or outbox.lease_token is null)
),
failed as (
  update outbox
  set state = outcome.state, attempt = outbox.attempt + 1, last_error = outcome.error,
    due_at = clock_timestamp() + outcome.due_in_ms * interval '1 ms', lease_token = null, claimed_until = null
  from outcome
  where outcome.state <> 'accepted' and outbox.lease_token = outcome.lease_token
    and "outbox"."source" between "outcome"."source" and "outcome"."source"
    and "outbox"."event_id" between "outcome"."event_id" and "outcome"."event_id"
    and "outbox"."replay_id" between "outcome"."replay_id" and "outcome"."replay_id"
  returning outbox.source, outbox.event_id, outcome.error,
    outbox.replay_id = '00000000-0000-0000-0000-000000000000' as live
),
noted as (
  insert into history_entry (invoice_id, source, at, kind, detail)
  select event.invoice_id, event.source, clock_timestamp(), 'send_failed',
    coalesce(failed.error, 'no reason was given')
  from failed
  join event on event.source = failed.source and event.id = failed.event_id
  where failed.live
    and (
      select count(*)
      from history_entry as noted
      where noted.invoice_id = event.invoice_id and noted.kind = 'send_failed'
    ) < 50
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $11::text[], $12::text[], $13::text[], $14::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    join failed on failed.event_id::text = alarm.subject and failed.live
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
)
insert into publication (source, event_id, replay_id, topic_arn, message_id, digest)
select source, event_id, nullif(replay_id, '00000000-0000-0000-0000-000000000000'), topic_arn, message_id,
  digest
from outcome
where message_id is not null;

-- selectEvents, src/pipeline/publish/read-events.ts
select event.source, event.id, event.type, event.created_at as "createdAt",
  (
    case
      when outbox.state is not null then outbox.state
      when (
        select publication.id
        from publication
        where publication.source = event.source and publication.event_id = event.id
          and publication.replay_id is null
        limit 1
      ) is not null then 'published'
      else 'lost'
    end
  )::text as state,
  event.payload, event.erased_at as "erasedAt"
from event
left join outbox on outbox.source = event.source and outbox.event_id = event.id
  and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
where event.source = any(
  array(
    with recursive known (source) as (
      (select source from "event" order by source limit 1)
      union all
      select (
        select further.source
        from "event" as further
        where further.source > known.source
        order by further.source
        limit 1
      )
      from known
      where known.source is not null
    )
    select source
    from known
    where source is not null
  )
)
  and event.id = (event_id($1::uuid, 'invoice.paid'))::uuid
order by event.source, event.type;

-- selectAcceptances, src/pipeline/publish/read-events.ts
select "topic_arn" as "topicArn", "message_id" as "messageId", "published_at" as "publishedAt",
  "replay_id" as "replayId", (encode(digest, 'hex'))::text as "digest"
from "publication"
where "source" = $1 and "event_id" = $2
order by "id"
limit $3;

-- selectOrphans, src/pipeline/publish/read-events.ts
select "event_id" as "eventId", "topic_arn" as "topicArn", "message_id" as "messageId",
  count(*) over() as "inAll"
from "publication"
where "source" = $1 and "published_at" >= $2 and "published_at" < $3
  and (
    select "event"."id"
    from "event"
    where "event"."source" = "publication"."source" and "event"."id" = "publication"."event_id"
  ) is null
order by "event_id"
limit $4;

-- noteAsked, src/pipeline/reconcile/certificate/asked-payment.ts
insert into asked_payment (
  certificate_id, invoice_id, asked, status, type, collection, amount, paid_at, created_at
)
select $1::uuid, invoice_id, asked, status, type, collection, amount, paid_at, created_at
from unnest(
  $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]::numeric[], $8::timestamptz[],
  $9::timestamptz[]
) as "answer" ("invoice_id", "asked", "status", "type", "collection", "amount", "paid_at", "created_at")
order by invoice_id
on conflict (certificate_id, invoice_id) do update
set asked = excluded.asked, status = excluded.status, type = excluded.type, collection = excluded.collection,
  amount = excluded.amount, paid_at = excluded.paid_at, created_at = excluded.created_at;

-- deleteAsked, src/pipeline/reconcile/certificate/asked-payment.ts
delete from asked_payment
where ctid = any(
  array(select ctid from asked_payment where certificate_id = $1 order by invoice_id limit 20000)
);

-- selectCounts, src/pipeline/reconcile/certificate/asked-payment.ts
select (select count(*) from listed_payment where source = $1 and seen_at >= $2::timestamptz) as listed,
  count(asked) as asked
from asked_payment
where certificate_id = $3::uuid;

-- certificates, src/pipeline/reconcile/certificate/certificate-row.ts
select from "certificate" where state = 'claimed' and lease_token = $1::uuid;

-- certificates, src/pipeline/reconcile/certificate/certificate-row.ts
update "certificate"
set claimed_until = clock_timestamp() + $1::float8 * interval '1 ms'
where ctid = any (
  array(
    select ctid
    from "certificate"
    where state = 'claimed' and lease_token = any($2::uuid[])
    for update skip locked
  )
);

-- certificates, src/pipeline/reconcile/certificate/certificate-row.ts
update "certificate"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(
    select ctid from "certificate" where state = 'claimed' and claimed_until < now() for update skip locked
  )
);

-- certificates, src/pipeline/reconcile/certificate/certificate-row.ts
update "certificate"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(
    select ctid
    from "certificate"
    where state = 'claimed'
      and (source, "id", lease_token) in (
        select source, id, lease_token
        from unnest($1::text[], $2::uuid[], $3::uuid[]) as "held" ("source", "id", "lease_token")
      )
    for update skip locked
  )
);

-- certificates, src/pipeline/reconcile/certificate/certificate-row.ts
with moved as (
  update "certificate"
  set state = 'due', lease_token = null, claimed_until = null, faults = faults + $1,
    last_error = coalesce($2, last_error), due_at = clock_timestamp() + $3::float8 * interval '1 ms'
  where id = $4 and lease_token = $5 and state = 'claimed'
  returning 1
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $6::text[], $7::text[], $8::text[], $9::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    where exists (select from moved)
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      exists (select from moved)
      and (name, source, subject) in (
        select name, source, subject
        from unnest($10::text[], $11::text[], $12::text[]) as "ends" ("name", "source", "subject")
      )
    )
  returning name, source, subject
)
select
from moved;

-- insertClaimed, src/pipeline/reconcile/certificate/certificate-row.ts
insert into certificate (
  id, source, window_from, window_to, collection_ids, state, lease_token, claimed_until
)
values ($1, $2, $3, $4, $5::uuid[], 'claimed', $6, clock_timestamp());

-- saveReading, src/pipeline/reconcile/certificate/certificate-row.ts
update "certificate" set progress = $1 where id = $2 and lease_token = $3 and state = 'claimed';

-- updateFinished, src/pipeline/reconcile/certificate/certificate-row.ts
with moved as (
  update certificate
  set state = 'done', finished_at = clock_timestamp(), lease_token = null, claimed_until = null,
    last_error = null, progress = null, "document" = made."document", "result" = made."result",
    "gaps" = made."gaps", "differences" = made."differences", "paid" = made."paid",
    "paid_amount" = made."paid_amount", "stored" = made."stored", "stored_amount" = made."stored_amount",
    "published" = made."published", "published_amount" = made."published_amount",
    "time_zone" = made."time_zone", "currency" = made."currency", collection_ids = $1::uuid[]
  from unnest(
    $2::json[], $3::text[], $4::int[], $5::int[], $6::int[], $7::text[]::numeric[], $8::int[],
    $9::text[]::numeric[], $10::int[], $11::text[]::numeric[], $12::text[], $13::text[]
  ) as "made" (
    "document", "result", "gaps", "differences", "paid", "paid_amount", "stored", "stored_amount",
    "published", "published_amount", "time_zone", "currency"
  )
  where id = $14 and lease_token = $15 and state = 'claimed'
  returning 1
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $16::text[], $17::text[], $18::text[], $19::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    where exists (select from moved)
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      exists (select from moved)
      and (name, source, subject) in (
        select name, source, subject
        from unnest($20::text[], $21::text[], $22::text[]) as "ends" ("name", "source", "subject")
      )
    )
  returning name, source, subject
)
select coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared
from moved;

-- insertDaily, src/pipeline/reconcile/certificate/certificate-row.ts
insert into certificate (id, source, day, window_from, window_to, collection_ids, time_zone, currency, due_at)
values (
  $1, $2, $3::date,
  greatest(
    $4::timestamptz,
    least(
      $5::timestamptz,
      (select max(window_to) from certificate where source = $6 and day is not null and state = 'done')
    )
  ),
  $7, $8::uuid[], $9, $10, $11::timestamptz + $12 * interval '1 ms'
)
on conflict do nothing;

-- deleteReplaced, src/pipeline/reconcile/certificate/certificate-row.ts
delete from "certificate"
where "source" = $1 and "state" = $2 and "day" is not null and window_to < $3
  or (window_to = $4 and time_zone <> $5)
returning "id";

-- claimDaily, src/pipeline/reconcile/certificate/certificate-row.ts
update "certificate"
set state = 'claimed', lease_token = $1, claimed_until = clock_timestamp() + $2::float8 * interval '1 ms',
  window_from = least(
    window_from,
    (
      select newest.window_from
      from (
        select window_from, result, finished_at
        from certificate
        where source = $3 and day is not null and state = 'done'
        order by window_to desc, day desc
        limit 1
      ) as newest
      where newest.result <> 'equal'
        and not exists (
          select
          from audit_entry
          where action = 'alarm.close' and audit_entry.subject = $4 and detail ->> 'name' = 'certificate_gap'
            and at > newest.finished_at
        )
    )
  )
where id = (
  select id
  from certificate
  where source = $5 and day is not null and state = 'due' and due_at <= clock_timestamp()
    and exists (
      select
      from source
      where source.name = certificate.source and source.first_served_at is not null
        and "source"."paused_by" is null and "source"."opens_at" <= now()
    )
    and not exists (
      select
      from certificate as older
      where older.source = certificate.source and older.day is not null and older.state = 'claimed'
    )
  order by window_to desc, day desc
  limit 1
  for update skip locked
)
returning id, lease_token as "leaseToken", window_from as "windowFrom", window_to as "windowTo", faults,
  progress;

-- addPaid, src/pipeline/reconcile/certificate/gather.ts
insert into asked_payment (certificate_id, invoice_id)
select distinct $1::uuid, id
from (
  select id
  from invoice
  where source = $2 and paid_at >= $3 and paid_at < $4
    and lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($5::text[])
) as found
where not exists (
  select
  from listed_payment as listed
  where listed.source = $6 and listed.invoice_id = found.id and listed.seen_at >= $7
)
on conflict do nothing;

-- addUndated, src/pipeline/reconcile/certificate/gather.ts
insert into asked_payment (certificate_id, invoice_id)
select distinct $1::uuid, id
from (
  select id
  from invoice
  where source = $2
    and lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($3::text[])
    and (
      (
        (paid_at is null or paid_at < created_at - 86400000::float8 * interval '1 ms')
        and coalesce(least(created_at, confirmed_at), confirmed_at) < $4 and confirmed_at >= $5
      )
      or paid_at > $6 or paid_at < $7
    )
) as found
where not exists (
  select
  from listed_payment as listed
  where listed.source = $8 and listed.invoice_id = found.id and listed.seen_at >= $9
)
on conflict do nothing;

-- addEvents, src/pipeline/reconcile/certificate/gather.ts
insert into asked_payment (certificate_id, invoice_id)
select distinct $1::uuid, id
from (
  select event.invoice_id as id
  from event
  left join invoice on invoice.source = event.source and invoice.id = event.invoice_id
  where event.source = $2 and event.created_at >= $3 and event.created_at < $4 and event.type = 'invoice.paid'
    and not coalesce(
      lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($5::text[])
      and invoice.paid_at is not null
      and substring(event.payload from '"paidAt":(?:null|"([^"]*)")') = to_char(
        invoice.paid_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ),
      false
    )
) as found
where not exists (
  select
  from listed_payment as listed
  where listed.source = $6 and listed.invoice_id = found.id and listed.seen_at >= $7
)
on conflict do nothing;

-- addOpen, src/pipeline/reconcile/certificate/gather.ts
insert into asked_payment (certificate_id, invoice_id)
select distinct $1::uuid, id
from (
  select invoice_id as id
  from confirmation as known
  where source = $2
    and (
      (state = 'dead' and opened_at >= $3) or (verdict = 'quarantined' and opened_at >= $4)
      or (
        state = 'due'
        and (known.last_error is not null and known.state <> 'done' and known.dismissed_at is null)
      )
      or (
        state = 'claimed'
        and (known.last_error is not null and known.state <> 'done' and known.dismissed_at is null)
      )
    )
) as found
where not exists (
  select
  from listed_payment as listed
  where listed.source = $5 and listed.invoice_id = found.id and listed.seen_at >= $6
)
on conflict do nothing;

-- selectCandidates, src/pipeline/reconcile/certificate/gather.ts
with work as (
  select invoice_id
  from (
    (
      select invoice_id
      from listed_payment
      where source = $1::text and seen_at >= $2::timestamptz and invoice_id > $3::uuid
      order by invoice_id
      limit 1000
    )
    union (
      select invoice_id
      from asked_payment
      where certificate_id = $4::uuid and invoice_id > $5::uuid
      order by invoice_id
      limit 1000
    )
  ) as either
  order by invoice_id
  limit 1000
)
select work.invoice_id as id, listed.invoice_id is not null as listed, listed.label, listed.digest,
  asked.asked is not null
  or not (
    listed.invoice_id is not null
    or coalesce(
      lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($6::text[]), false
    )
    or coalesce(
      (known.last_error is not null and known.state <> 'done' and known.dismissed_at is null), false
    )
  ) as settled,
  coalesce(
    lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($7::text[]), false
  ) as "isPaid",
  case when known.state = 'done' then known.listed_digest end as "askedDigest",
  listed.amount is null
  or (
    invoice.erased_at is not null
    and lower(btrim("invoice"."type", ' 	
                 　﻿') collate "C") = 'test'
  )
  or (
    listed.paid_at is not null and invoice.paid_at is not null
    and (invoice.paid_at at time zone 'UTC')::date not between (listed.paid_at at time zone 'UTC')::date
    and (coalesce(listed.paid_until, listed.paid_at) at time zone 'UTC')::date
  ) as "leavesOpen"
from work
left join listed_payment as listed on listed.source = $8::text and listed.invoice_id = work.invoice_id
  and listed.seen_at >= $9::timestamptz
left join asked_payment as asked on asked.certificate_id = $10::uuid and asked.invoice_id = work.invoice_id
left join invoice on invoice.source = $11 and invoice.id = work.invoice_id
left join confirmation as known on known.source = $12 and known.invoice_id = work.invoice_id
order by work.invoice_id;

-- statement, src/pipeline/reconcile/certificate/payment-facts.ts
with work as (
  select invoice_id
  from (
    (
      select invoice_id
      from listed_payment
      where source = $1::text and seen_at >= $2::timestamptz and invoice_id > $3::uuid
      order by invoice_id
      limit 2000
    )
    union (
      select invoice_id
      from asked_payment
      where certificate_id = $4::uuid and invoice_id > $5::uuid
      order by invoice_id
      limit 2000
    )
  ) as either
  order by invoice_id
  limit 2000
)
select work.invoice_id as "invoiceId", listed.invoice_id is not null as listed, listed.label,
  coalesce(listed.amounts_differ, false) as "amountsDiffer", listed.amount as "listedAmount",
  listed.paid_at as "listedPaidAt", listed.created_at as "listedCreatedAt", asked.asked,
  asked.status as "askedStatus", asked.type as "askedType", asked.collection as "askedCollection",
  asked.amount as "askedAmount", asked.paid_at as "askedPaidAt", asked.created_at as "askedCreatedAt",
  invoice.status, invoice.type, invoice.paid_at as "paidAt", invoice.created_at as "createdAt",
  invoice.collection_name as "collectionName",
  case
    when invoice.id is not null then json_build_object(
      'amount', invoice."amount"::text, 'serviceCharge', invoice."service_charge"::text, 'vat',
      invoice."vat"::text, 'totalAmount', invoice."total_amount"::text, 'settleableAmount',
      invoice."settleable_amount"::text
    )
  end as amounts,
  case
    when invoice.id is not null and invoice.erased_at is null then json_build_object(
      'amount', readable.document ->> 'amount', 'serviceCharge', readable.document ->> 'serviceCharge', 'vat',
      readable.document ->> 'vat', 'totalAmount', readable.document ->> 'totalAmount', 'settleableAmount',
      readable.document ->> 'settleableAmount', 'type', readable.document ->> 'type', 'paymentDate',
      readable.document ->> 'paymentDate', 'status',
      coalesce(readable.document ->> 'status', readable.document ->> 'invoiceStatus')
    )
  end as "inDocument",
  case
    when invoice.erased_at is null then invoice.digest = translate(
      rtrim(encode(sha256(convert_to(invoice.document::text, 'UTF8')), 'base64'), '='), '+/', '-_'
    )
  end as "documentIsWhole",
  known.state as confirmation, known.verdict, known.opened_at as "openedAt",
  known.record_only as "recordOnly", known.last_error as "lastError",
  known.released_at is not null as released,
  case
    when known.dismissed_at is not null or outbox.dismissed_at is not null then coalesce(
      (
        select actor
        from audit_entry
        where audit_entry.invoice_id = work.invoice_id and action like '%dismiss'
        order by id desc
        limit 1
      ),
      'someone'
    )
  end as "dismissedBy",
  (
    known.opened_by is distinct from 'callback'
    or known.opened_at < clock_timestamp() - $6::float8 * interval '1 ms' + interval '1 day'
    or exists (
      select
      from callback
      where callback.source = $7 and callback.invoice_ids[1] = work.invoice_id
        and callback.received_at between known.opened_at - interval '1 day'
        and known.opened_at + interval '1 day'
    )
    or exists (
      select
      from callback
      where callback.source = $8 and cardinality(callback.invoice_ids) > 1
        and callback.invoice_ids @> array[work.invoice_id]
        and callback.received_at between known.opened_at - interval '1 day'
        and known.opened_at + interval '1 day'
    )
  ) as "hasCallback",
  event.id as "eventId", event.invoice_type as "eventType",
  case
    when event.id is not null then json_build_object(
      'amount', substring(event.payload from '"amount":(?:null|"([^"]*)")'), 'serviceCharge',
      substring(event.payload from '"serviceCharge":(?:null|"([^"]*)")'), 'vat',
      substring(event.payload from '"vat":(?:null|"([^"]*)")'), 'totalAmount',
      substring(event.payload from '"totalAmount":(?:null|"([^"]*)")'), 'settleableAmount',
      substring(event.payload from '"settleableAmount":(?:null|"([^"]*)")'), 'id',
      substring(event.payload from '"id":(?:null|"([^"]*)")'), 'subject',
      substring(event.payload from '"subject":(?:null|"([^"]*)")'), 'type',
      substring(event.payload from '"type":"(Live|Test)"'), 'paidAt',
      substring(event.payload from '"paidAt":(?:null|"([^"]*)")')
    )
  end as "inPayload",
  answers.found as "eventAnswers", outbox.state as "outboxState", outbox.last_error as "outboxError",
  coalesce(acceptance.on_live, false) as accepted, acceptance.elsewhere as "acceptedElsewhere",
  acceptance.matches as "digestMatches", acceptance.differs as "digestDiffers"
from work
left join listed_payment as listed on listed.source = $9::text and listed.invoice_id = work.invoice_id
  and listed.seen_at >= $10::timestamptz
left join asked_payment as asked on asked.certificate_id = $11::uuid and asked.invoice_id = work.invoice_id
left join invoice on invoice.source = $12 and invoice.id = work.invoice_id
left join confirmation as known on known.source = $13 and known.invoice_id = work.invoice_id
left join event on event.source = $14 and event.id = (event_id(work.invoice_id, 'invoice.paid'))::uuid
  and event.invoice_id = work.invoice_id and event.type = 'invoice.paid'
left join outbox on outbox.source = event.source and outbox.event_id = event.id
  and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
left join lateral (
  select case
    when strpos(invoice.document::text, '\u') > 0 then regexp_replace(
      invoice.document::text, '\\u(0000|[dD][89a-fA-F]..)', '\\ufffd', 'g'
    )::json
    else invoice.document
  end as document
) as readable on true
left join lateral (
  select json_agg(
    json_build_object(
      'amount', readable.document ->> 'amount', 'serviceCharge', readable.document ->> 'serviceCharge', 'vat',
      readable.document ->> 'vat', 'totalAmount', readable.document ->> 'totalAmount', 'settleableAmount',
      readable.document ->> 'settleableAmount', 'type', readable.document ->> 'type', 'paymentDate',
      readable.document ->> 'paymentDate', 'isNewest', answer.newest, 'isErased',
      answer.erased_at is not null, 'isWhole',
      answer.digest = translate(
        rtrim(encode(sha256(convert_to(answer.document::text, 'UTF8')), 'base64'), '='), '+/', '-_'
      )
    )
  ) as found
  from (
    select true as newest, invoice.digest, invoice.document, invoice.erased_at
    where invoice.id is not null
    union all (
      select distinct on (digest) false, digest, document, erased_at
      from invoice_snapshot as snapshot
      where snapshot.source = event.source and snapshot.invoice_id = event.invoice_id
        and event.answer_digest is distinct from invoice.digest
      order by digest
    )
  ) as answer
  left join lateral (
    select case
      when strpos(answer.document::text, '\u') > 0 then regexp_replace(
        answer.document::text, '\\u(0000|[dD][89a-fA-F]..)', '\\ufffd', 'g'
      )::json
      else answer.document
    end as document
  ) as readable on true
  where answer.digest = coalesce(event.answer_digest, answer.digest)
) as answers on event.id is not null
left join lateral (
  select bool_or(publication.topic_arn = $15::text) as on_live,
    string_agg(distinct publication.topic_arn, ', ') filter (
      where publication.topic_arn <> $16::text and publication.replay_id is null
    ) as elsewhere,
    bool_or(
      publication.digest = sha256(convert_to(event.payload, 'UTF8'))
      or (event.erased_at is not null and encode(publication.digest, 'hex') = event.erased_digest)
    ) filter (where publication.topic_arn = $17::text) as matches,
    bool_or(
      publication.digest <> sha256(convert_to(event.payload, 'UTF8'))
      and (event.erased_at is null or encode(publication.digest, 'hex') is distinct from event.erased_digest)
    ) filter (where publication.topic_arn = $18::text) as differs
  from publication
  where publication.source = event.source and publication.event_id = event.id
) as acceptance on true
order by work.invoice_id;

-- deleteOlder, src/pipeline/reconcile/certified-days.ts
delete from certified_day as known using certificate as older, certificate as newer
where older.id = known.certificate_id and newer.id = $1 and newer.source = known.source
  and older.collection_ids <@ newer.collection_ids
  and (
    known.begins_at >= newer.window_from and known.ends_at <= newer.window_to
    or (known.time_zone, known.day) in (
      select time_zone, day::date
      from unnest(
        $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::uuid[], $8::text[],
        $9::int[], $10::json[]
      ) as "shown" (
        "source", "day", "time_zone", "begins_at", "ends_at", "certificate_id", "result", "gaps", "counted"
      )
    )
  );

-- insertDays, src/pipeline/reconcile/certified-days.ts
insert into certified_day (
  "source", "day", "time_zone", "begins_at", "ends_at", "certificate_id", "result", "gaps", "counted"
)
select source, day::date, time_zone, begins_at, ends_at, certificate_id, result, gaps, counted
from unnest(
  $1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::uuid[], $7::text[], $8::int[],
  $9::json[]
) as "shown" (
  "source", "day", "time_zone", "begins_at", "ends_at", "certificate_id", "result", "gaps", "counted"
);

-- selectCalendar, src/pipeline/reconcile/certified-days.ts
select distinct on (known.day, known.source) known.day::text, known.source, certificate.id as "certificateId",
  certificate.finished_at as "madeAt", known.result, known.counted
from certified_day as known
join certificate on certificate.id = known.certificate_id
join unnest(
  $1::text[], $2::text[], $3::text[]
) as "asked" ("name", "ids", "zone") on asked.name = known.source
  and asked.zone = known.time_zone and certificate.collection_ids @> asked.ids::uuid[]
where known.day between $4::date and $5::date
order by known.day, known.source, certificate.finished_at desc;

-- selectUnproven, src/pipeline/reconcile/certified-days.ts
select known.source, certificate.id as "certificateId", known.result, certificate.finished_at as "madeAt",
  count(*) as days, min(known.day)::text as "firstDay", max(known.day)::text as "lastDay",
  sum(known.gaps) as gaps
from certified_day as known
join certificate on certificate.id = known.certificate_id
where known.result <> 'equal'
  and (
    $1::boolean
    or exists (
      select
      from unnest($2::text[], $3::text[]) as "served" ("name", "ids")
      where served.name = known.source
        and (served.ids = '{}' or certificate.collection_ids && served.ids::uuid[])
    )
  )
group by known.source, certificate.id, known.result, certificate.finished_at
order by certificate.finished_at desc;

-- closeGap, src/pipeline/reconcile/certified-days.ts
update alarm
set cleared_at = clock_timestamp()
where cleared_at is null
  and (
    name = 'certificate_gap' and source = $1
    and not exists (select from certified_day where certified_day.source = $2 and result <> 'equal')
  )
returning name, source, subject;

-- storeListed, src/pipeline/reconcile/list/listed-rows.ts
insert into listed_payment as known (
  source, collection_id, invoice_id, seen_at, paid_at, paid_until, created_at, amount, label, digest, counted
)
select $1::text, $2::uuid, given.invoice_id, clock_timestamp(), given.paid_at, given.paid_until,
  given.created_at, given.amount, given.label, given.digest, filtered or (says_paid and not $3::boolean)
from unnest(
  $4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[], $8::text[]::numeric[], $9::text[],
  $10::text[], $11::boolean[], $12::boolean[]
) as "given" (
  "invoice_id", "paid_at", "paid_until", "created_at", "amount", "label", "digest", "filtered", "says_paid"
)
left join listed_payment as old on old.source = $13::text and old.invoice_id = given.invoice_id
where old.invoice_id is null or old.seen_at < $14::timestamptz or old.digest <> given.digest
  or ($15::boolean and filtered and not old.counted)
order by given.invoice_id
on conflict (source, invoice_id) do update
set collection_id = excluded.collection_id, seen_at = excluded.seen_at, digest = excluded.digest,
  counted = excluded.counted or (known.counted and (known.seen_at >= $16::timestamptz)),
  amounts_differ = (known.seen_at >= $17::timestamptz)
  and (known.amounts_differ or coalesce(known.amount <> excluded.amount, false)),
  label = case
    when (known.seen_at >= $18::timestamptz) then coalesce(excluded.label, known.label) else excluded.label
  end,
  "amount" = case
    when (known.seen_at >= $19::timestamptz) then coalesce(known."amount", excluded."amount")
    else excluded."amount"
  end,
  "paid_at" = case
    when (known.seen_at >= $20::timestamptz) then coalesce(known."paid_at", excluded."paid_at")
    else excluded."paid_at"
  end,
  "paid_until" = case
    when (known.seen_at >= $21::timestamptz) then coalesce(known."paid_until", excluded."paid_until")
    else excluded."paid_until"
  end,
  "created_at" = case
    when (known.seen_at >= $22::timestamptz) then coalesce(known."created_at", excluded."created_at")
    else excluded."created_at"
  end;

-- selectPerDay, src/pipeline/reconcile/list/listed-rows.ts
select to_char(case $1 when 'paid_at' then paid_at else created_at end at time zone $2, 'YYYY-MM-DD') as day,
  count(*) as paid
from listed_payment
where source = $3 and collection_id = $4::uuid and seen_at >= $5::timestamptz and counted
group by 1;

-- forgetUnlisted, src/pipeline/reconcile/list/listed-rows.ts
delete from listed_payment
where source = $1 and collection_id = $2 and counted
  and to_char("paid_at" at time zone $3, 'YYYY-MM-DD') between $4 and $5 and invoice_id <> all($6::uuid[]);

-- selectListed, src/pipeline/reconcile/list/listed-rows.ts
select invoice_id as "invoiceId", paid_at as "paidAt", paid_until as "paidUntil", created_at as "createdAt",
  label, counted, digest
from listed_payment
where source = $1 and collection_id = $2::uuid and seen_at >= $3::timestamptz and invoice_id > $4::uuid
order by invoice_id
limit $5;

-- countRows, src/pipeline/reconcile/list/listed-rows.ts
select count(*) as "count"
from "listed_payment"
where "source" = $1 and "collection_id" = $2 and "seen_at" >= $3
  and (label is null or lower(btrim("label", ' 	
                 　﻿') collate "C") <> all($4::text[]));

-- selectReading, src/pipeline/reconcile/list/listed-rows.ts
select "read_at" as "readAt", "dates" from "listed_collection" where "source" = $1 and "collection_id" = $2;

-- keepReading, src/pipeline/reconcile/list/listed-rows.ts
insert into listed_collection as known (source, collection_id, read_at, dates)
values ($1, $2, $3, $4)
on conflict (source, collection_id) do update
set read_at = excluded.read_at, dates = excluded.dates
where known.read_at <= excluded.read_at;

-- deleteStale, src/pipeline/reconcile/list/listed-rows.ts
delete from listed_payment
where ctid = any(
  array(
    select ctid
    from listed_payment
    where source = $1 and seen_at < $2::timestamptz - interval '2 days'
    order by invoice_id
    limit 20000
  )
);

-- distrustCounts, src/pipeline/reconcile/list/listed-rows.ts
update listed_collection set dates = null where source = $1 and collection_id = $2;

-- selectCertificates, src/pipeline/reconcile/read-certificates.ts
select "id", "source", "collection_ids" as "collections", "result", "gaps", "differences", "paid",
  "paid_amount" as "paidAmount", "time_zone" as "timeZone", "currency", "window_from" as "from",
  "window_to" as "to", "finished_at" as "madeAt", "last_error" as "lastError",
  (day is not null)::bool as "daily"
from "certificate"
where "source" = $1 and "result" = $2 and window_to > $3::date::timestamp at time zone time_zone
  and window_from < ($4::date + 1)::timestamp at time zone time_zone
order by "created_at" desc
limit $5;

-- selectDocument, src/pipeline/reconcile/read-certificates.ts
select "document" from "certificate" where "id" = $1 and "state" = $2;

-- selectNames, src/pipeline/reconcile/read-certificates.ts
select named ->> 'name' as name
from unnest($1::uuid[]) as own (id)
cross join lateral (
  select document
  from certificate
  where source = $2 and state = 'done' and own.id = any(collection_ids)
  order by finished_at desc
  limit 1
) as newest
cross join lateral json_array_elements(newest.document -> 'collections') as named
where named ->> 'id' = own.id::text
order by 1;

-- selectLastSweeps, src/pipeline/reconcile/runs.ts
select wanted.source, wanted.collection_id as "collectionId", last.finished_at as "finishedAt",
  coalesce(last.missing, 0) as missing, next.due_at as "nextAt", coalesce(next.faults, 0) as faults,
  next.last_error as "lastError"
from unnest($1::text[], $2::uuid[]) as "wanted" ("source", "collection_id")
left join lateral (
  select finished_at, missing
  from sweep as done
  where done.source = wanted.source and done.collection_id = wanted.collection_id and done.state = 'done'
  order by done.started_at desc
  limit 1
) as last on true
left join lateral (
  select due_at, faults, last_error
  from sweep as open
  where open.source = wanted.source and open.collection_id = wanted.collection_id and open.state <> 'done'
) as next on true
order by 1, 2;

-- selectEverSwept, src/pipeline/reconcile/runs.ts
select distinct "source", "collection_id" as "collectionId" from "sweep";

-- selectDaily, src/pipeline/reconcile/runs.ts
select distinct on ("source") "source", "id", "window_to" as "coversTo", (day)::text as "day",
  (result)::text as "result", (gaps)::int4 as "gaps", (finished_at)::timestamptz as "finishedAt"
from "certificate"
where state = 'done' and day is not null and ($1::text[] is null or source = any($2::text[]))
order by "source", "window_to" desc, certificate.day desc;

-- forgetSwept, src/pipeline/reconcile/runs.ts
delete from sweep
where id in (
  select id
  from sweep as old
  where state = 'done' and finished_at < clock_timestamp() - interval '35 days'
    and exists (
      select
      from sweep as later
      where later.source = old.source and later.collection_id = old.collection_id and later.state = 'done'
        and later.started_at > old.started_at
    )
  order by finished_at
  limit 1000
);

-- selectLeft, src/pipeline/reconcile/runs.ts
select "certificate_id" as "id"
from "asked_payment"
where certificate_id < $1::uuid
  and not exists (select from certificate where id = certificate_id and state <> 'done')
order by "certificate_id"
limit $2;

-- selectKnown, src/pipeline/reconcile/sweep/known-payments.ts
select given.id as "invoiceId", invoice.paid_at as "paidAt", invoice.created_at as "createdAt",
  case
    when event.id is null then 'none'
    when outbox.state is not null or (
      case event.invoice_type when 'Live' then $1::text else $2::text end
    ) is null then 'waiting'
    when exists (
      select
      from publication
      where publication.source = event.source and publication.event_id = event.id
        and publication.topic_arn = (case event.invoice_type when 'Live' then $3::text else $4::text end)
    ) then 'published'
    else 'lost'
  end as event,
  invoice.id is not null as stored,
  coalesce(
    lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($5::text[]), false
  ) as "isPaid",
  known.listed_digest as "askedDigest",
  case
    when known.invoice_id is not null then json_build_object(
      'state', known.state, 'verdict', known.verdict, 'recordOnly', known.record_only, 'soon',
      known.state in ('due', 'claimed') and known.priority = 'known'
      and (
        known.due_at <= now() + interval '1 minute'
        or (
          known.last_error is not null
          and coalesce(
            lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($6::text[]), false
          )
        )
      )
    )
  end as confirmation
from unnest($7::uuid[]) as given (id)
left join event on event.source = $8 and event.id = (event_id(given.id, 'invoice.paid'))::uuid
  and event.invoice_id = given.id and event.type = 'invoice.paid'
left join outbox on outbox.source = event.source and outbox.event_id = event.id
  and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
left join confirmation as known on known.invoice_id = given.id and known.source = $9
left join invoice on invoice.source = $10 and invoice.id = given.id;

-- sweeps, src/pipeline/reconcile/sweep/sweep-row.ts
select from "sweep" where state = 'claimed' and lease_token = $1::uuid;

-- sweeps, src/pipeline/reconcile/sweep/sweep-row.ts
update "sweep"
set claimed_until = clock_timestamp() + $1::float8 * interval '1 ms'
where ctid = any (
  array(
    select ctid from "sweep" where state = 'claimed' and lease_token = any($2::uuid[]) for update skip locked
  )
);

-- sweeps, src/pipeline/reconcile/sweep/sweep-row.ts
update "sweep"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(select ctid from "sweep" where state = 'claimed' and claimed_until < now() for update skip locked)
);

-- sweeps, src/pipeline/reconcile/sweep/sweep-row.ts
update "sweep"
set state = 'due', due_at = clock_timestamp(), lease_token = null, claimed_until = null
where ctid = any (
  array(
    select ctid
    from "sweep"
    where state = 'claimed'
      and (source, "id", lease_token) in (
        select source, id, lease_token
        from unnest($1::text[], $2::uuid[], $3::uuid[]) as "held" ("source", "id", "lease_token")
      )
    for update skip locked
  )
);

-- sweeps, src/pipeline/reconcile/sweep/sweep-row.ts
with moved as (
  update "sweep"
  set state = 'due', lease_token = null, claimed_until = null, faults = faults + $1,
    last_error = coalesce($2, last_error), due_at = clock_timestamp() + $3::float8 * interval '1 ms'
  where id = $4 and lease_token = $5 and state = 'claimed'
  returning 1
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $6::text[], $7::text[], $8::text[], $9::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    where exists (select from moved)
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      exists (select from moved)
      and (name, source, subject) in (
        select name, source, subject
        from unnest($10::text[], $11::text[], $12::text[]) as "ends" ("name", "source", "subject")
      )
    )
  returning name, source, subject
)
select
from moved;

-- claimDueSweep, src/pipeline/reconcile/sweep/sweep-row.ts
update "sweep"
set state = 'claimed', lease_token = $1, claimed_until = clock_timestamp() + $2::float8 * interval '1 ms',
  started_at = coalesce(started_at, clock_timestamp()), window_to = coalesce(window_to, clock_timestamp()),
  window_from = coalesce(
    window_from,
    greatest(
      (select source.first_served_at from source where source.name = sweep.source),
      (
        select window_to - interval '1 day'
        from sweep as done
        where done.source = sweep.source and done.collection_id = sweep.collection_id and done.state = 'done'
        order by started_at desc
        limit 1
      )
    )
  )
where id = (
  select id
  from sweep
  where source = $3 and state = 'due' and due_at <= clock_timestamp() and collection_id = any($4::uuid[])
    and exists (
      select
      from source
      where source.name = sweep.source and source.first_served_at is not null and "source"."paused_by" is null
        and "source"."opens_at" <= now()
    )
  order by due_at
  limit 1
  for update skip locked
)
returning id, lease_token as "leaseToken", window_from as "windowFrom", window_to as "windowTo", faults,
  source, collection_id as "collectionId", started_at as "startedAt",
  coalesce(
    (
      select true
      from sweep as done
      where done.source = sweep.source and done.collection_id = sweep.collection_id and done.state = 'done'
      order by started_at desc
      limit 1
    ),
    false
  ) as "hasEarlier",
  coalesce(
    decided_since,
    (
      select decided_since
      from sweep as done
      where done.source = sweep.source and done.collection_id = sweep.collection_id and done.state = 'done'
      order by started_at desc
      limit 1
    )
  )::text as "decidedSince",
  decided_to as "decidedTo",
  (select source.first_served_at from source where source.name = sweep.source) as "firstServedAt";

-- scheduleSweeps, src/pipeline/reconcile/sweep/sweep-row.ts
insert into sweep (id, source, collection_id, due_at)
select id, source, collection_id,
  coalesce(
    (
      select started_at
      from sweep as done
      where done.source = sweep.source and done.collection_id = sweep.collection_id and done.state = 'done'
      order by started_at desc
      limit 1
    ) + $1::float8 * interval '1 ms',
    clock_timestamp()
  )
from (
  select id, $2::text as source, collection_id
  from unnest($3::uuid[], $4::uuid[]) as given (id, collection_id)
) as sweep
on conflict do nothing;

-- saveDecided, src/pipeline/reconcile/sweep/sweep-row.ts
update "sweep"
set decided_since = $1, decided_to = null
where id = $2 and lease_token = $3 and state = 'claimed';

-- countDecided, src/pipeline/reconcile/sweep/sweep-row.ts
update "sweep"
set decided_to = $1, listed = listed + $2, missing = missing + $3, opened = opened + $4
where id = $5 and lease_token = $6 and state = 'claimed';

-- updateFinished, src/pipeline/reconcile/sweep/sweep-row.ts
with moved as (
  update sweep
  set state = 'done', finished_at = clock_timestamp(), lease_token = null, claimed_until = null,
    last_error = null, faults = 0
  where id = $1 and lease_token = $2 and state = 'claimed'
  returning sweep.listed, sweep.missing, sweep.opened
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $3::text[], $4::text[], $5::text[], $6::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    where exists (select from moved)
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      exists (select from moved)
      and (name, source, subject) in (
        select name, source, subject
        from unnest($7::text[], $8::text[], $9::text[]) as "ends" ("name", "source", "subject")
      )
    )
  returning name, source, subject
)
select moved.*, coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared
from moved;

-- selectReplays, src/pipeline/replay/replay-rows.ts
select "id", "kind", "state", (filters)::json as "filters", (target)::json as "target", "rate",
  "requested_by" as "requestedBy", "requested_at" as "requestedAt", "started_at" as "startedAt",
  "finished_at" as "finishedAt", "matching", "handled", "opened", "sent", "refused",
  (coalesce(claimed_until > clock_timestamp(), false))::bool as "underWay", "waits_for" as "waitsFor",
  "last_error" as "lastError"
from "replay"
order by "requested_at" desc, "id" desc
limit $1;

-- selectReplay, src/pipeline/replay/replay-rows.ts
select "id", "kind", "state", (filters)::json as "filters", (target)::json as "target", "rate",
  "requested_by" as "requestedBy", "requested_at" as "requestedAt", "started_at" as "startedAt",
  "finished_at" as "finishedAt", "matching", "handled", "opened", "sent", "refused",
  (coalesce(claimed_until > clock_timestamp(), false))::bool as "underWay", "waits_for" as "waitsFor",
  "last_error" as "lastError"
from "replay"
where "id" = $1;

-- claim, src/pipeline/replay/replay-rows.ts
update "replay"
set "lease_token" = $1, "claimed_until" = (clock_timestamp() + $2::float8 * interval '1 ms')::timestamptz,
  "started_at" = coalesce(started_at, clock_timestamp())
where "id" = (
  select "id"
  from "replay"
  where "state" = $3 and "kind" = $4
  order by "requested_at", "id"
  limit $5
  for update
)
  and coalesce(claimed_until < clock_timestamp(), true)
returning "id", "kind", "state", (filters)::json as "filters", (target)::json as "target", "rate",
  "requested_by" as "requestedBy", "requested_at" as "requestedAt", "started_at" as "startedAt",
  "finished_at" as "finishedAt", "matching", "handled", "opened", "sent", "refused",
  (coalesce(claimed_until > clock_timestamp(), false))::bool as "underWay", "waits_for" as "waitsFor",
  "last_error" as "lastError", "queued", (lease_token)::uuid as "leaseToken", (position)::json as "position";

-- replayLeases, src/pipeline/replay/replay-rows.ts
select from "replay" where state = 'running' and lease_token = $1::uuid;

-- replayLeases, src/pipeline/replay/replay-rows.ts
update "replay"
set claimed_until = clock_timestamp() + $1::float8 * interval '1 ms'
where ctid = any (
  array(
    select ctid from "replay" where state = 'running' and lease_token = any($2::uuid[]) for update skip locked
  )
);

-- raise, src/pipeline/replay/replay-rows.ts
insert into alarm (name, source, subject, detail)
select distinct on (name, source, subject) name, source, subject, detail
from (select $1::text as name, $2::text as source, $3::text as subject, $4::text as detail) as raised
order by name, source, subject
on conflict (name, source, subject)
where cleared_at is null do update
set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail;

-- updateReplay, src/pipeline/replay/replay-rows.ts
update "replay"
set "state" = $1, "finished_at" = (clock_timestamp())::timestamptz, "lease_token" = $2, "claimed_until" = $3,
  "waits_for" = $4
where "id" = $5;

-- updateOurs, src/pipeline/replay/replay-rows.ts
update "replay"
set "queued" = $1, "handled" = $2, "opened" = $3, "sent" = $4, "refused" = $5, "position" = $6,
  "waits_for" = $7
where "id" = $8 and "lease_token" = $9 and "state" = $10
returning "id", "kind", "state", (filters)::json as "filters", (target)::json as "target", "rate",
  "requested_by" as "requestedBy", "requested_at" as "requestedAt", "started_at" as "startedAt",
  "finished_at" as "finishedAt", "matching", "handled", "opened", "sent", "refused",
  (coalesce(claimed_until > clock_timestamp(), false))::bool as "underWay", "waits_for" as "waitsFor",
  "last_error" as "lastError", "queued", (lease_token)::uuid as "leaseToken", (position)::json as "position";

-- keepRefusals, src/pipeline/replay/replay-steps.ts
with refused as (
  delete from outbox
  where ctid = any (
    array(
      select ctid
      from outbox
      where outbox.replay_id = $1::uuid::uuid
        and not outbox.replay_id = '00000000-0000-0000-0000-000000000000' and state = 'dead'
      limit $2
    )
  )
  returning source, event_id, coalesce(last_error, 'no reason was given') as error
)
insert into replay_refusal (replay_id, source, event_id, error)
select $3::uuid, source, event_id, error
from refused
on conflict do nothing;

-- selectEventCount, src/pipeline/replay/select-events.ts
select count(*) as count
from event
where (
  select publication.id
  from publication
  where publication.source = event.source and publication.event_id = event.id
    and publication.replay_id is null
  limit 1
) is not null
  and not exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and true
  )
  and (event.source, event.invoice_type) in (select * from unnest($1::text[], $2::text[])) and true;

select count(*) as count
from event
where (
  select publication.id
  from publication
  where publication.source = event.source and publication.event_id = event.id
    and publication.replay_id is null
  limit 1
) is not null
  and not exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and true
  )
  and (event.source, event.invoice_type) in (select * from unnest($1::text[], $2::text[]))
  and event.created_at >= $3 and event.created_at < $4
  and event.id in (
    select (event_id(invoice_id, 'invoice.paid'))::uuid from unnest($5::uuid[]) as given (invoice_id)
  )
  and event.collection_name = $6
  and exists (
    select
    from confirmation
    where confirmation.invoice_id = event.invoice_id and confirmation.source = event.source
      and confirmation.verdict = $7
  )
  and event.source = $8;

select count(*) as count
from event
where (
  (
    select publication.id
    from publication
    where publication.source = event.source and publication.event_id = event.id
      and publication.replay_id is null
    limit 1
  ) is not null
  and not exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and true
  )
  or exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and outbox.state = 'held'
  )
)
  and true and event.created_at >= $1 and event.created_at < $2
  and event.id in (
    select (event_id(invoice_id, 'invoice.paid'))::uuid from unnest($3::uuid[]) as given (invoice_id)
  )
  and event.collection_name = $4
  and exists (
    select
    from confirmation
    where confirmation.invoice_id = event.invoice_id and confirmation.source = event.source
      and confirmation.verdict = $5
  )
  and event.source = $6;

-- selectEvents, src/pipeline/replay/select-events.ts
select event.id, event.invoice_id as "invoiceId", event.source, event.invoice_type as "invoiceType",
  event.created_at::text as at
from event
where (
  select publication.id
  from publication
  where publication.source = event.source and publication.event_id = event.id
    and publication.replay_id is null
  limit 1
) is not null
  and not exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and true
  )
  and (event.source, event.invoice_type) in (select * from unnest($1::text[], $2::text[])) and true and true
  and true
order by event.created_at, event.id, event.source
limit $3;

select event.id, event.invoice_id as "invoiceId", event.source, event.invoice_type as "invoiceType",
  event.created_at::text as at
from event
where (
  select publication.id
  from publication
  where publication.source = event.source and publication.event_id = event.id
    and publication.replay_id is null
  limit 1
) is not null
  and not exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and true
  )
  and (event.source, event.invoice_type) in (select * from unnest($1::text[], $2::text[]))
  and event.created_at >= $3 and event.created_at < $4
  and event.id in (
    select (event_id(invoice_id, 'invoice.paid'))::uuid from unnest($5::uuid[]) as given (invoice_id)
  )
  and event.collection_name = $6
  and exists (
    select
    from confirmation
    where confirmation.invoice_id = event.invoice_id and confirmation.source = event.source
      and confirmation.verdict = $7
  )
  and event.source = $8
  and (event.created_at, event.id, event.source) >= ($9::timestamptz, $10::uuid, $11::text)
  and not exists (
    select
    from outbox
    where outbox.replay_id = $12 and outbox.source = event.source and outbox.event_id = event.id
  )
  and not exists (
    select
    from publication
    where publication.replay_id = $13 and publication.source = event.source
      and publication.event_id = event.id
  )
  and not exists (
    select
    from replay_refusal
    where replay_refusal.replay_id = $14 and replay_refusal.source = event.source
      and replay_refusal.event_id = event.id
  )
order by event.created_at, event.id, event.source
limit $15;

select event.id, event.invoice_id as "invoiceId", event.source, event.invoice_type as "invoiceType",
  event.created_at::text as at
from event
where (
  (
    select publication.id
    from publication
    where publication.source = event.source and publication.event_id = event.id
      and publication.replay_id is null
    limit 1
  ) is not null
  and not exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and true
  )
  or exists (
    select
    from outbox
    where outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000' and outbox.state = 'held'
  )
)
  and true and event.created_at >= $1 and event.created_at < $2
  and event.id in (
    select (event_id(invoice_id, 'invoice.paid'))::uuid from unnest($3::uuid[]) as given (invoice_id)
  )
  and event.collection_name = $4
  and exists (
    select
    from confirmation
    where confirmation.invoice_id = event.invoice_id and confirmation.source = event.source
      and confirmation.verdict = $5
  )
  and event.source = $6 and true and true
order by event.created_at, event.id, event.source
limit $7;

-- selectOutcomeCounts, src/pipeline/replay/select-events.ts
with accepted as (select distinct source, event_id from publication where replay_id = $1::uuid),
refused as (select source, event_id from replay_refusal where replay_id = $2::uuid)
select (select count(*) from accepted) as sent, (select count(*) from refused) as refused,
  (select count(*) from (select * from accepted union select * from refused) as events) as handled;

-- selectRefusals, src/pipeline/replay/select-events.ts
select event_id as "eventId", replay_refusal.source, event.invoice_id as "invoiceId", error
from replay_refusal
left join event on event.source = replay_refusal.source and event.id = event_id
where replay_id = $1::uuid
order by refused_at, event_id
limit 100;

-- selectCallbackCount, src/pipeline/replay/select-invoices.ts
select count(*) as count
from callback as c
where c.erased_at is null and c.verdict is distinct from 'refused' and true;

select count(*) as count
from callback as c
where c.erased_at is null and true and c.received_at >= $1 and c.received_at < $2
  and (c.invoice_ids[1] = any($3::uuid[]) or (cardinality(c.invoice_ids) > 1 and c.invoice_ids && $4::uuid[]))
  and c.id = any($5::uuid[])
  and exists (
    select
    from invoice
    where invoice.source = c.source and invoice.id = any(c.invoice_ids) and invoice.collection_name = $6
  )
  and exists (
    select
    from confirmation
    where confirmation.invoice_id = any(c.invoice_ids) and confirmation.source = c.source
      and confirmation.verdict = $7
  )
  and c.source = $8;

select count(*) as count from callback as c where c.erased_at is null and true and c.verdict = $1;

-- selectCallbacks, src/pipeline/replay/select-invoices.ts
select c.id, c.received_at::text as at, c.source, c.method, c.query, c.reference, c.headers, c.body,
  case when c.verdict = 'refused' then '{}'::uuid[] else c.invoice_ids end as "foundIds",
  case
    when c.verdict is null and c.received_at < clock_timestamp() - '7 days'::interval then array(
      select unnest(c.invoice_ids) except select unnest($1::uuid[])
    )
    else '{}'::uuid[]
  end as "forgottenIds"
from callback as c
where c.erased_at is null and c.verdict is distinct from 'refused' and true and true
order by c.received_at, c.id
limit $2;

select c.id, c.received_at::text as at, c.source, c.method, c.query, c.reference, c.headers, c.body,
  case when c.verdict = 'refused' then '{}'::uuid[] else c.invoice_ids end as "foundIds",
  case
    when c.verdict is null and c.received_at < clock_timestamp() - '7 days'::interval then array(
      select unnest(c.invoice_ids) except select unnest($1::uuid[])
    )
    else '{}'::uuid[]
  end as "forgottenIds"
from callback as c
where c.erased_at is null and true and c.received_at >= $2 and c.received_at < $3
  and (c.invoice_ids[1] = any($4::uuid[]) or (cardinality(c.invoice_ids) > 1 and c.invoice_ids && $5::uuid[]))
  and c.id = any($6::uuid[])
  and exists (
    select
    from invoice
    where invoice.source = c.source and invoice.id = any(c.invoice_ids) and invoice.collection_name = $7
  )
  and exists (
    select
    from confirmation
    where confirmation.invoice_id = any(c.invoice_ids) and confirmation.source = c.source
      and confirmation.verdict = $8
  )
  and c.source = $9 and (c.received_at, c.id) > ($10::timestamptz, $11::uuid)
order by c.received_at, c.id
limit $12;

select c.id, c.received_at::text as at, c.source, c.method, c.query, c.reference, c.headers, c.body,
  case when c.verdict = 'refused' then '{}'::uuid[] else c.invoice_ids end as "foundIds",
  case
    when c.verdict is null and c.received_at < clock_timestamp() - '7 days'::interval then array(
      select unnest(c.invoice_ids) except select unnest($1::uuid[])
    )
    else '{}'::uuid[]
  end as "forgottenIds"
from callback as c
where c.erased_at is null and true and c.verdict = $2 and true
order by c.received_at, c.id
limit $3;

-- selectConfirmationCount, src/pipeline/replay/select-invoices.ts
select count(*) as count
from confirmation
left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
where true;

select count(*) as count
from confirmation
left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
where confirmation.requested_at >= $1 and confirmation.requested_at < $2
  and confirmation.invoice_id = any($3::uuid[]) and invoice.collection_name = $4 and confirmation.verdict = $5
  and confirmation.source = $6;

select count(*) as count
from confirmation
left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
where (confirmation.verdict is null or confirmation.verdict = 'pending');

-- selectConfirmations, src/pipeline/replay/select-invoices.ts
select confirmation.invoice_id as "invoiceId", confirmation.source
from confirmation
left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
where true and true
order by confirmation.invoice_id, confirmation.source
limit $1;

select confirmation.invoice_id as "invoiceId", confirmation.source
from confirmation
left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
where confirmation.requested_at >= $1 and confirmation.requested_at < $2
  and confirmation.invoice_id = any($3::uuid[]) and invoice.collection_name = $4 and confirmation.verdict = $5
  and confirmation.source = $6 and (confirmation.invoice_id, confirmation.source) > ($7::uuid, $8::text)
order by confirmation.invoice_id, confirmation.source
limit $9;

-- insertReplay, src/pipeline/replay/start-replay.ts
insert into replay (id, kind, filters, target, rate, matching, requested_by)
values ($1, $2, $3, $4, $5, $6, $7);

-- lockReplay, src/pipeline/replay/start-replay.ts
select "id" from "replay" where "id" = $1 for update;

-- selectUpstream, src/platform/upstreams/change.ts
select version, faults, slow_downs as "slowDowns",
  case
    when "opens_at" = '-infinity' then 0
    else extract(epoch from "opens_at" - clock_timestamp()) * 1000 end::float8 as "opensInMs", case
      when "retry_at" = '-infinity' then 0
      else extract(epoch from "retry_at" - clock_timestamp()) * 1000 end::float8 as "retryInMs", coalesce(
        case
          when "probe_at" = '-infinity' then 0
          else extract(
            epoch from "probe_at" - clock_timestamp()
          ) * 1000 end::float8, 0) as "probeInMs", paused_by as "pausedBy"
          from "source"
          where "name" = $1
        end
      )
    end
  end;

select version, faults, slow_downs as "slowDowns",
  case
    when "opens_at" = '-infinity' then 0
    else extract(epoch from "opens_at" - clock_timestamp()) * 1000 end::float8 as "opensInMs", case
      when "retry_at" = '-infinity' then 0
      else extract(epoch from "retry_at" - clock_timestamp()) * 1000 end::float8 as "retryInMs", coalesce(
        case
          when "probe_at" = '-infinity' then 0
          else extract(
            epoch from "probe_at" - clock_timestamp()
          ) * 1000 end::float8, 0) as "probeInMs", paused_by as "pausedBy"
          from "topic"
          where "arn" = $1
        end
      )
    end
  end;

-- updateUpstream, src/platform/upstreams/change.ts
with moved as (
  update "source"
  set version = version + 1, faults = $1, slow_downs = $2, last_error = last_error,
    opens_at = clock_timestamp() + $3::float8 * interval '1 ms', retry_at = '-infinity'::timestamptz,
    paused_by = $4, paused_at = clock_timestamp(), pause_reason = $5, probe_at = null
  where "name" = $6 and version = $7
  returning 1
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $8::text[], $9::text[], $10::text[], $11::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    where exists (select from moved)
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      exists (select from moved)
      and (name, source, subject) in (
        select name, source, subject
        from unnest($12::text[], $13::text[], $14::text[]) as "ends" ("name", "source", "subject")
      )
    )
  returning name, source, subject
)
select coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared
from moved;

with moved as (
  update "topic"
  set version = version + 1, faults = $1, slow_downs = $2, last_error = $3,
    opens_at = '-infinity'::timestamptz, retry_at = clock_timestamp() + $4::float8 * interval '1 ms',
    paused_by = $5, paused_at = clock_timestamp(), pause_reason = $6,
    probe_at = coalesce(probe_at, clock_timestamp() + $7::float8 * interval '1 ms')
  where "arn" = $8 and version = $9
  returning 1
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $10::text[], $11::text[], $12::text[], $13::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    where exists (select from moved)
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      exists (select from moved)
      and (name, source, subject) in (
        select name, source, subject
        from unnest($14::text[], $15::text[], $16::text[]) as "ends" ("name", "source", "subject")
      )
    )
  returning name, source, subject
)
select coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared
from moved;

with moved as (
  update "topic"
  set version = version + 1, faults = $1, slow_downs = $2, last_error = $3,
    opens_at = '-infinity'::timestamptz, retry_at = '-infinity'::timestamptz, paused_by = $4, paused_at = $5,
    pause_reason = $6, probe_at = null
  where "arn" = $7 and version = $8
  returning 1
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select alarm.*
    from unnest(
      $9::text[], $10::text[], $11::text[], $12::text[]
    ) as "alarm" ("name", "source", "subject", "detail")
    where exists (select from moved)
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null
    and (
      exists (select from moved)
      and (name, source, subject) in (
        select name, source, subject
        from unnest($13::text[], $14::text[], $15::text[]) as "ends" ("name", "source", "subject")
      )
    )
  returning name, source, subject
)
select coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared
from moved;

-- selectUpstreams, src/platform/upstreams/change.ts
select "name" as name, paused_by as "pausedBy", paused_at as "pausedAt", pause_reason as "pauseReason",
  last_error as "lastError", nullif(greatest(opens_at, now()), now()) as "opensAt"
from "source"
order by 1;

select "arn" as name, paused_by as "pausedBy", paused_at as "pausedAt", pause_reason as "pauseReason",
  last_error as "lastError", nullif(greatest(opens_at, now()), now()) as "opensAt"
from "topic"
order by 1;

-- noteAnswers, src/platform/upstreams/unknown-ids.ts
with noted as (
  update source
  set unknown_answers = right(
    case
      when source.not_found_at > now() - interval '10 minutes' then unknown_answers::text
      else '0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000'
    end || $1::text,
    100
  )::bit(100),
    not_found_at = case when $2::text like '%1%' then clock_timestamp() else not_found_at end
  where name = $3
  returning (
    bit_count(source.unknown_answers) > 50 and source.not_found_at > now() - interval '10 minutes'
  ) as is_flooded
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (
    select *
    from (
      select alarm.*
      from unnest(
        $4::text[], $5::text[], $6::text[], $7::text[]
      ) as "alarm" ("name", "source", "subject", "detail")
      where $8::text like '%1%' and (select is_flooded from noted)
    ) as seen
    where not exists (
      select
      from alarm
      where cleared_at is null and last_raised_at > clock_timestamp() - $9::interval
        and (alarm.name, alarm.source, alarm.subject) = (seen.name, seen.source, seen.subject)
    )
  ) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
  returning xmax = 0 as is_new
)
select is_flooded as "isFlooded", exists (select from raised where is_new) as "isNew"
from noted;

-- insertSources, src/platform/upstreams/upstream-rows.ts
insert into source (name, first_served_at)
select name, clock_timestamp()
from unnest($1::text[]) as given (name)
order by name
on conflict (name) do update
set first_served_at = excluded.first_served_at
where source.first_served_at is null;

-- insertTopics, src/platform/upstreams/upstream-rows.ts
insert into topic (arn) select arn from unnest($1::text[]) as given (arn) order by arn on conflict do nothing;

-- selectBuckets, src/platform/upstreams/upstream-rows.ts
select "allowance", (extract(epoch from clock_timestamp() - allowance_at) * 1000)::float8 as "allowanceAgeMs",
  (
    bit_count(source.unknown_answers) > 50 and source.not_found_at > now() - interval '10 minutes'
  ) as "isFlooded",
  (extract(epoch from next_unknown_at - clock_timestamp()) * 1000)::float8 as "nextUnknownInMs"
from "source"
where "name" = $1;

-- updateTurn, src/platform/upstreams/upstream-rows.ts
update source
set version = version + 1,
  allowance = least(
    $1::float8, allowance + greatest(0, extract(epoch from clock_timestamp() - allowance_at)) * $2::float8
  ) - 1,
  allowance_at = clock_timestamp(), list_at = clock_timestamp() + $3::interval
where name = $4 and "source"."paused_by" is null and "source"."opens_at" <= now()
  and least(
    $5::float8, allowance + greatest(0, extract(epoch from clock_timestamp() - allowance_at)) * $6::float8
  ) >= 0
  and list_at <= clock_timestamp();

-- selectNextList, src/platform/upstreams/upstream-rows.ts
select greatest(0, extract(epoch from list_at - clock_timestamp()) * 1000)::float8 as "inMs"
from source
where name = $1;

-- selectClock, src/platform/upstreams/upstream-rows.ts
select clock_timestamp() as now,
  (select source.first_served_at from source where source.name = $1) as "servedAt";

-- selectFirstServed, src/platform/upstreams/upstream-rows.ts
select "name" as "source", "first_served_at" as "at" from "source" order by "name";

-- selectTopics, src/platform/upstreams/upstream-rows.ts
select "arn" from "topic";

-- updateProbe, src/platform/upstreams/upstream.ts
update "source"
set probe_at = clock_timestamp() + least($1::interval, greatest($2::interval, clock_timestamp() - paused_at))
where "name" = $3 and paused_by = 'refused' and probe_at <= clock_timestamp();

-- claimTurn, src/platform/alarms/alarms-to-notify.ts
with turn as (
  update alarm_telling
  set next_at = clock_timestamp() + $1::float8 * interval '1 ms'
  where next_at <= clock_timestamp()
    and (
      exists (select * from alarm where cleared_at is null and told_at is null and name <> 'webhook_failing')
      or exists (
        select *
        from alarm
        where cleared_at > clock_timestamp() - interval '1 day' and cleared_told_at is null
          and name <> 'webhook_failing'
      )
      or exists (
        select alarm.*
        from (
          values ('payments_waiting', '9 min'::interval), ('source_failing', '10 min'::interval),
            ('pause_standing', '10 min'::interval), ('topic_failing', '10 min'::interval)
        ) as escalating (name, after)
        join alarm on alarm.name = escalating.name
        where cleared_at is null and told_at < raised_at + after and raised_at + after <= clock_timestamp()
      )
    )
  returning failures
)
select id, name, source, subject, detail, times, raised_at as "raisedAt", cleared_at as "clearedAt",
  told_at as "toldAt", clock_timestamp() as at, turn.failures
from turn,
  (
    (
      select *
      from alarm
      where cleared_at is null and told_at is null and name <> 'webhook_failing'
      order by id
      limit $2
    )
    union all (
      select *
      from alarm
      where cleared_at > clock_timestamp() - interval '1 day' and cleared_told_at is null
        and name <> 'webhook_failing'
      order by cleared_at
      limit $3
    )
    union all (
      select *
      from (
        select alarm.*
        from (
          values ('payments_waiting', '9 min'::interval), ('source_failing', '10 min'::interval),
            ('pause_standing', '10 min'::interval), ('topic_failing', '10 min'::interval)
        ) as escalating (name, after)
        join alarm on alarm.name = escalating.name
        where cleared_at is null and told_at < raised_at + after and raised_at + after <= clock_timestamp()
      ) as again
      order by id
      limit $4
    )
  ) as untold
order by id
limit $5;

-- markNotified, src/platform/alarms/alarms-to-notify.ts
with notified as (
  update alarm
  set told_at = $1,
    cleared_told_at = case when id = any($2::bigint[]) then clock_timestamp() end
  where id = any($3::bigint[])
),
turn as (update alarm_telling set next_at = clock_timestamp() + $4::float8 * interval '1 ms', failures = 0)
update alarm
set cleared_at = clock_timestamp()
where cleared_at is null and (name = 'webhook_failing')
returning name, source, subject;

-- delay, src/platform/alarms/alarms-to-notify.ts
with delayed as (
  update alarm_telling
  set next_at = clock_timestamp() + $1::float8 * interval '1 ms', failures = failures + 1
  returning failures
)
insert into alarm (name, source, subject, detail)
select distinct on (name, source, subject) name, source, subject, detail
from (
  select 'webhook_failing' as name, '' as source, 'webhook' as subject,
    format('ALARM_WEBHOOK_URL has not taken the last %s messages: %s.', failures, $2::text) as detail
  from delayed
  where failures >= 3
) as raised
order by name, source, subject
on conflict (name, source, subject)
where cleared_at is null do update
set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
returning name, source, subject, detail, times;

-- closeAlarms, src/platform/alarms/alarms.ts
update alarm
set cleared_at = clock_timestamp()
where cleared_at is null
  and (
    name = any($1::text[])
    and (source, subject) in (
      select source, subject from unnest($2::text[], $3::text[]) as "given" ("source", "subject")
    )
  );

-- closeQuiet, src/platform/alarms/alarms.ts
update alarm
set cleared_at = clock_timestamp()
where cleared_at is null
  and (
    name = any($1::text[])
    and exists (
      select
      from unnest($2::text[], $3::interval[]) as lasting (name, quiet)
      where lasting.name = alarm.name and last_raised_at < clock_timestamp() - quiet
    )
  )
returning name, source, subject;

-- insertEnded, src/platform/alarms/alarms.ts
insert into alarm (name, source, subject, detail, raised_at, last_raised_at, cleared_at, told_at)
select $1, $2, $3, $4, clock_timestamp() - $5::float8 * interval '1 ms',
  clock_timestamp() - $6::float8 * interval '1 ms', clock_timestamp(),
  case when $7 then clock_timestamp() - $8::float8 * interval '1 ms' end
where not exists (
  select
  from alarm
  where name = $9 and source = $10 and subject = $11
    and cleared_at > clock_timestamp() - $12::float8 * interval '1 ms'
);

-- insertLasting, src/platform/alarms/alarms.ts
insert into alarm (name, source, subject, detail)
select distinct on (name, source, subject) name, source, subject, detail
from (
  select *
  from (
    select *
    from unnest(
      $1::text[], $2::text[], $3::text[], $4::text[]
    ) as "given" ("name", "source", "subject", "detail")
  ) as seen
  where not exists (
    select
    from alarm
    where cleared_at is null and last_raised_at > clock_timestamp() - $5::interval
      and (alarm.name, alarm.source, alarm.subject) = (seen.name, seen.source, seen.subject)
  )
) as raised
order by name, source, subject
on conflict (name, source, subject)
where cleared_at is null do update
set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
returning name, source, subject, detail;

-- closeOthers, src/platform/alarms/alarms.ts
update alarm
set cleared_at = clock_timestamp()
where cleared_at is null and (name = $1 and subject <> all($2::text[]))
returning name, source, subject;

-- selectAlarms, src/platform/alarms/list-alarms.ts
select "name", "source", "subject", "detail", "times", "raised_at" as "raisedAt",
  "last_raised_at" as "lastRaisedAt", "cleared_at" as "clearedAt", (count(*) over ())::int8 as "total",
  (clock_timestamp())::timestamptz as "now"
from "alarm"
where "cleared_at" is null and name = any($1) and "name" = $2 and "source" = $3
order by "id" desc
limit $4;

-- selectGroups, src/platform/alarms/list-alarms.ts
select "name", count(*) as "count", (case when count(*) = 1 then min(source) end)::text as "source",
  (case when count(*) = 1 then min(subject) end)::text as "subject",
  (min(raised_at))::timestamptz as "oldestAt", (max(last_raised_at))::timestamptz as "newestAt"
from "alarm"
where "cleared_at" is null
group by "name";

-- countOpen, src/platform/alarms/list-alarms.ts
select "name", count(*) as "count" from "alarm" where "cleared_at" is null group by "name" order by "name";

-- selectMatching, src/platform/alarms/list-alarms.ts
select "id", "name", "source", "subject"
from "alarm"
where "cleared_at" is null
  and exists (
    select
    from unnest($1::text[], $2::text[], $3::text[]) as "selected" ("name", "source", "subject")
    where selected.name = alarm.name and coalesce(selected.source, alarm.source) = alarm.source
      and coalesce(selected.subject, alarm.subject) = alarm.subject
  )
order by "id"
for update;

-- insertEntries, src/platform/audit/audit.ts
insert into audit_entry (actor, action, subject, invoice_id, detail)
select actor, action, subject, invoice_id, detail
from unnest(
  $1::text[], $2::text[], $3::text[], $4::uuid[], $5::json[]
) as "entry" ("actor", "action", "subject", "invoice_id", "detail");

-- selectAudited, src/platform/audit/audit.ts
select "id", "at", "actor", "action", "subject", "invoice_id" as "invoiceId", "detail"
from "audit_entry"
where "invoice_id" = $1 and "actor" = $2 and ("action" = $3 or "action" ^@ $4) and "subject" = $5
  and "at" >= ($6)::timestamptz and "at" < ($7)::timestamptz and "id" < $8
order by "id" desc
limit $9;

-- selectHistory, src/platform/audit/history.ts
select "at", "source", "kind", "detail" from "history_entry" where "invoice_id" = $1 order by "id" limit $2;

-- deleteHistory, src/platform/audit/history.ts
with walked as materialized (select id, at from history_entry where id > $1::bigint order by id limit 5000),
dropped as (
  delete from history_entry
  where id = any(array(select id from walked where at < $2::timestamptz))
  returning 1
)
select (select count(*) from walked) as walked, (select count(*) from dropped) as dropped,
  (select max(id) from walked) as last;

-- noteAndAlarm, src/platform/worker/failing-chores.ts
with failed as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[]) as "given" ("name", "notified_after", "error")
),
moved as (
  insert into failing_chore as known (name, last_error)
  select name, error
  from failed
  order by name
  on conflict (name) do update
  set failures = known.failures + 1, last_error = excluded.last_error,
    failing_since = least(known.failing_since, excluded.failing_since)
  returning name, failing_since, failures, last_error
),
ended as (delete from failing_chore where name = any($4::text[]) returning name),
alarming as (
  select 'maintenance_failing' as name, '' as source, moved.name as subject,
    format(
      'It fails since %s, %s times: %s It is tried again automatically.',
      to_char(failing_since, 'YYYY-MM-DD HH24:MI "UTC"'), failures, last_error
    ) as detail
  from moved
  join failed on failed.name = moved.name
  where failing_since <= clock_timestamp() - notified_after::interval
),
raised as (
  insert into alarm (name, source, subject, detail)
  select distinct on (name, source, subject) name, source, subject, detail
  from (select * from alarming) as raised
  order by name, source, subject
  on conflict (name, source, subject)
  where cleared_at is null do update
  set times = alarm.times + 1, last_raised_at = clock_timestamp(), detail = excluded.detail
),
cleared as (
  update alarm
  set cleared_at = clock_timestamp()
  where cleared_at is null and (name = 'maintenance_failing' and subject in (select name from ended))
  returning name, source, subject
)
select coalesce((select max(failures) from moved), 0) as failures,
  coalesce((select json_agg(alarming) from alarming), '[]'::json) as raised,
  coalesce((select json_agg(cleared) from cleared), '[]'::json) as cleared;

-- writeHeartbeat, src/platform/worker/relay-process.ts
with forgotten as (delete from relay_process where seen_at < clock_timestamp() - interval '1 day')
insert into relay_process (id, pid, http, workers, host, version, beat_ms, serves, recording_problem)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (id) do update
set seen_at = clock_timestamp(), version = excluded.version, pid = excluded.pid, beat_ms = excluded.beat_ms,
  serves = excluded.serves, recording_problem = excluded.recording_problem
returning exists (
  select from relay_process where not (seen_at > clock_timestamp() - 3 * beat_ms * interval '1 ms')
)
  or exists (select from alarm where cleared_at is null and alarm.name = 'silent_process') as silent;

-- deleteProcess, src/platform/worker/relay-process.ts
delete from relay_process where id = $1;

-- selectProcesses, src/platform/worker/relay-process.ts
select "host", "pid", "version", "http", "workers", "started_at" as "startedAt", "seen_at" as "seenAt",
  (seen_at > clock_timestamp() - 3 * beat_ms * interval '1 ms')::bool as "lives",
  (beat_ms = 60000)::bool as "onLambda", (serves)::json as "serves",
  (recording_problem)::json as "recordingProblem"
from "relay_process"
order by "seen_at" desc
limit $1;

-- useKey, src/platform/signing/signing-keys.ts
with turned as (
  update signing_key
  set retired_at = case when id = $1 then null else clock_timestamp() end
  where (id = $2) = (retired_at is not null)
),
made as (insert into signing_key (id, public_key) values ($3, $4) on conflict do nothing)
select clock_timestamp() as now;

-- selectKeys, src/platform/signing/signing-keys.ts
select * from "signing_key" order by "created_at" desc;

-- tableExists, src/platform/database/migrate.ts
select to_regclass($1) is not null as exists;

-- walkIndexes, src/platform/database/page.ts
select set_config(name, 'off', true)
from unnest(array['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'jit']) as name;

-- clock, src/platform/database/server.ts
select now as time, now::text as text from clock_timestamp() as now;

-- version, src/platform/database/server.ts
select split_part(current_setting('server_version'), ' ', 1) as version;

-- selectReadOnly, src/platform/database/server.ts
select (pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on') as "readOnly";

-- requireWrites, src/platform/database/server.ts
do $$ begin if (
  pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on'
) then raise read_only_sql_transaction; end if; end $$;

-- selectWaitingPayments, src/operations/backlog.ts
select source, count(*) as count,
  greatest(extract(epoch from clock_timestamp() - min(since)), 0)::float8 as "oldestSeconds",
  count(*) filter (where unexplained) as unexplained,
  greatest(
    extract(epoch from clock_timestamp() - min(since) filter (where unexplained)), 0
  )::float8 as "unexplainedSeconds"
from (
  select one.source, since, alarm.id is null
    and (
      one.faults = 0 or one.due_at < now() - interval '1 minute' or since < now() - 600 * interval '1 s'
    ) as unexplained
  from (
    select *
    from confirmation
    where state = 'due'
    union all
    select *
    from confirmation
    where state = 'claimed'
  ) as one
  cross join lateral (select coalesce(one.open_since, one.due_at) as since) as waits
  left join alarm on alarm.name = 'invoice_unanswered' and alarm.source = one.source
    and alarm.subject = one.invoice_id::text and alarm.cleared_at is null
  where one.priority <> 'replay' and (one.open_since is not null or one.due_at <= now())
) as waiting
group by source
order by source;

-- selectWaitingEvents, src/operations/backlog.ts
select source, count(*) as count,
  greatest(extract(epoch from clock_timestamp() - min(since)), 0)::float8 as "oldestSeconds",
  count(*) filter (where unexplained) as unexplained,
  greatest(
    extract(epoch from clock_timestamp() - min(since) filter (where unexplained)), 0
  )::float8 as "unexplainedSeconds"
from (
  select outbox.source, event.created_at as since, outbox.attempt > 0
    or outbox.due_at < now() - interval '1 minute' as unexplained
  from outbox
  join event on event.source = outbox.source and event.id = outbox.event_id
  where outbox.state in ('due', 'claimed') and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
) as waiting
group by source
order by source;

-- countConfirmations, src/operations/backlog.ts
select state, verdict, count(*) as count
from (select * from confirmation where state = 'due') as one
group by state, verdict
union all
select state, verdict, count(*) as count
from (select * from confirmation where state = 'claimed') as one
group by state, verdict
union all
select state, verdict, count(*) as count
from (select * from confirmation where state = 'dead') as one
group by state, verdict;

-- countEvents, src/operations/backlog.ts
select "state", count(*) as "count"
from "outbox"
where outbox.replay_id = '00000000-0000-0000-0000-000000000000'
group by "state";

-- closeRemoved, src/operations/close-alarms.ts
update alarm
set cleared_at = clock_timestamp()
where cleared_at is null
  and (
    name = any($1::text[])
    and not exists (
      select
      from (select serves from relay_process union all select $2::jsonb) as process
      where serves->'sources' ? alarm.subject or serves->'topics' ? alarm.subject
    )
    or name = any($3::text[])
    and not exists (
      select
      from (select serves from relay_process union all select $4::jsonb) as process
      where serves->'sources'->alarm.source ? alarm.subject
    )
    or name = any($5::text[])
    and not exists (
      select
      from (select serves from relay_process union all select $6::jsonb) as process
      where serves->'sources'->alarm.source <> '[]'
    )
  )
returning name, source, subject;

-- selectPaid, src/operations/list-invoices.ts
select "listed"."invoiceId", "listed"."source", "listed"."status", "listed"."type", "listed"."reference",
  "listed"."collection", "listed"."totalAmount", "listed"."paidAt", "listed"."confirmedAt",
  "listed"."verdict",
  (
    select (
      case
        when outbox.state is not null then outbox.state
        when (
          select publication.id
          from publication
          where publication.source = event.source and publication.event_id = event.id
            and publication.replay_id is null
          limit 1
        ) is not null then 'published'
        else 'lost'
      end
    )::text
    from event
    left join outbox on outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    where event.source = listed.source and event.id = (event_id(listed."invoiceId", 'invoice.paid'))::uuid
    limit 1
  ) as event,
  place::text as at
from (
  select one.*
  from unnest(
    array(
      with recursive known (source) as (
        (select source from "invoice" order by source limit 1)
        union all
        select (
          select further.source
          from "invoice" as further
          where further.source > known.source
          order by further.source
          limit 1
        )
        from known
        where known.source is not null
      )
      select source
      from known
      where source is not null
    )
  ) as known (source)
  cross join lateral (
    select paid_at as place, invoice.id as "invoiceId", invoice.source, invoice.status, invoice.type,
      invoice.reference, invoice.collection_name as collection, invoice.total_amount as "totalAmount",
      invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
      case
        when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
        when confirmation.state = 'dead' then 'dead'
        when confirmation.state is not null then 'pending'
      end as verdict
    from invoice
    left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
    where invoice.source = known.source and paid_at is not null and true and true
    order by paid_at desc, invoice.id desc
    limit $1
  ) as one
) as listed
order by place desc, "invoiceId" desc, source desc
limit $2;

select "listed"."invoiceId", "listed"."source", "listed"."status", "listed"."type", "listed"."reference",
  "listed"."collection", "listed"."totalAmount", "listed"."paidAt", "listed"."confirmedAt",
  "listed"."verdict",
  (
    select (
      case
        when outbox.state is not null then outbox.state
        when (
          select publication.id
          from publication
          where publication.source = event.source and publication.event_id = event.id
            and publication.replay_id is null
          limit 1
        ) is not null then 'published'
        else 'lost'
      end
    )::text
    from event
    left join outbox on outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    where event.source = listed.source and event.id = (event_id(listed."invoiceId", 'invoice.paid'))::uuid
    limit 1
  ) as event,
  place::text as at
from (
  select one.*
  from unnest(
    array(
      with recursive known (source) as (
        (select source from "invoice" order by source limit 1)
        union all
        select (
          select further.source
          from "invoice" as further
          where further.source > known.source
          order by further.source
          limit 1
        )
        from known
        where known.source is not null
      )
      select source
      from known
      where source is not null
    )
  ) as known (source)
  cross join lateral (
    select paid_at as place, invoice.id as "invoiceId", invoice.source, invoice.status, invoice.type,
      invoice.reference, invoice.collection_name as collection, invoice.total_amount as "totalAmount",
      invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
      case
        when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
        when confirmation.state = 'dead' then 'dead'
        when confirmation.state is not null then 'pending'
      end as verdict
    from invoice
    left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
    where invoice.source = known.source and paid_at is not null and true
      and case
        when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
        when confirmation.state = 'dead' then 'dead'
        when confirmation.state is not null then 'pending'
      end = $1
      and confirmation.source = $2 and invoice.collection_name = $3
      and invoice.paid_at >= ($4::date)::timestamp at time zone 'UTC'
      and invoice.paid_at < ($5::date + 1)::timestamp at time zone 'UTC'
      and (paid_at, invoice.id, invoice.source) < ($6::timestamptz, $7::uuid, $8::text)
    order by paid_at desc, invoice.id desc
    limit $9
  ) as one
) as listed
order by place desc, "invoiceId" desc, source desc
limit $10;

-- selectRequested, src/operations/list-invoices.ts
select "listed"."invoiceId", "listed"."source", "listed"."status", "listed"."type", "listed"."reference",
  "listed"."collection", "listed"."totalAmount", "listed"."paidAt", "listed"."confirmedAt",
  "listed"."verdict",
  (
    select (
      case
        when outbox.state is not null then outbox.state
        when (
          select publication.id
          from publication
          where publication.source = event.source and publication.event_id = event.id
            and publication.replay_id is null
          limit 1
        ) is not null then 'published'
        else 'lost'
      end
    )::text
    from event
    left join outbox on outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    where event.source = listed.source and event.id = (event_id(listed."invoiceId", 'invoice.paid'))::uuid
    limit 1
  ) as event,
  place::text as at
from (
  select opened_at as place, invoice_id as "invoiceId", confirmation.source, invoice.status, invoice.type,
    invoice.reference, invoice.collection_name as collection, invoice.total_amount as "totalAmount",
    invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
    case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end as verdict
  from confirmation
  left join invoice on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
  where invoice_id = any($1::uuid[]) and true
    and case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end = $2
    and confirmation.source = $3 and invoice.collection_name = $4
    and invoice.paid_at >= ($5::date)::timestamp at time zone 'UTC'
    and invoice.paid_at < ($6::date + 1)::timestamp at time zone 'UTC'
    and (opened_at, invoice_id, confirmation.source) < ($7::timestamptz, $8::uuid, $9::text)
) as listed
order by place desc, "invoiceId" desc, source desc
limit $10;

select "listed"."invoiceId", "listed"."source", "listed"."status", "listed"."type", "listed"."reference",
  "listed"."collection", "listed"."totalAmount", "listed"."paidAt", "listed"."confirmedAt",
  "listed"."verdict",
  (
    select (
      case
        when outbox.state is not null then outbox.state
        when (
          select publication.id
          from publication
          where publication.source = event.source and publication.event_id = event.id
            and publication.replay_id is null
          limit 1
        ) is not null then 'published'
        else 'lost'
      end
    )::text
    from event
    left join outbox on outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    where event.source = listed.source and event.id = (event_id(listed."invoiceId", 'invoice.paid'))::uuid
    limit 1
  ) as event,
  place::text as at
from (
  select opened_at as place, invoice_id as "invoiceId", confirmation.source, invoice.status, invoice.type,
    invoice.reference, invoice.collection_name as collection, invoice.total_amount as "totalAmount",
    invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
    case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end as verdict
  from confirmation
  left join invoice on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
  where state = 'dead' and true
    and case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end = $1
    and confirmation.source = $2 and invoice.collection_name = $3
    and invoice.paid_at >= ($4::date)::timestamp at time zone 'UTC'
    and invoice.paid_at < ($5::date + 1)::timestamp at time zone 'UTC'
    and (opened_at, invoice_id, confirmation.source) < ($6::timestamptz, $7::uuid, $8::text)
) as listed
order by place desc, "invoiceId" desc, source desc
limit $9;

select "listed"."invoiceId", "listed"."source", "listed"."status", "listed"."type", "listed"."reference",
  "listed"."collection", "listed"."totalAmount", "listed"."paidAt", "listed"."confirmedAt",
  "listed"."verdict",
  (
    select (
      case
        when outbox.state is not null then outbox.state
        when (
          select publication.id
          from publication
          where publication.source = event.source and publication.event_id = event.id
            and publication.replay_id is null
          limit 1
        ) is not null then 'published'
        else 'lost'
      end
    )::text
    from event
    left join outbox on outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    where event.source = listed.source and event.id = (event_id(listed."invoiceId", 'invoice.paid'))::uuid
    limit 1
  ) as event,
  place::text as at
from (
  select opened_at as place, invoice_id as "invoiceId", confirmation.source, invoice.status, invoice.type,
    invoice.reference, invoice.collection_name as collection, invoice.total_amount as "totalAmount",
    invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
    case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end as verdict
  from confirmation
  left join invoice on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
  where (state = 'due' or state = 'claimed') and true
    and case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end = $1
    and confirmation.source = $2 and invoice.collection_name = $3
    and invoice.paid_at >= ($4::date)::timestamp at time zone 'UTC'
    and invoice.paid_at < ($5::date + 1)::timestamp at time zone 'UTC'
    and (opened_at, invoice_id, confirmation.source) < ($6::timestamptz, $7::uuid, $8::text)
) as listed
order by place desc, "invoiceId" desc, source desc
limit $9;

select "listed"."invoiceId", "listed"."source", "listed"."status", "listed"."type", "listed"."reference",
  "listed"."collection", "listed"."totalAmount", "listed"."paidAt", "listed"."confirmedAt",
  "listed"."verdict",
  (
    select (
      case
        when outbox.state is not null then outbox.state
        when (
          select publication.id
          from publication
          where publication.source = event.source and publication.event_id = event.id
            and publication.replay_id is null
          limit 1
        ) is not null then 'published'
        else 'lost'
      end
    )::text
    from event
    left join outbox on outbox.source = event.source and outbox.event_id = event.id
      and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
    where event.source = listed.source and event.id = (event_id(listed."invoiceId", 'invoice.paid'))::uuid
    limit 1
  ) as event,
  place::text as at
from (
  select opened_at as place, invoice_id as "invoiceId", confirmation.source, invoice.status, invoice.type,
    invoice.reference, invoice.collection_name as collection, invoice.total_amount as "totalAmount",
    invoice.paid_at as "paidAt", invoice.confirmed_at as "confirmedAt",
    case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end as verdict
  from confirmation
  left join invoice on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
  where verdict = $1 and verdict <> 'paid' and true
    and case
      when coalesce(confirmation.verdict, 'pending') <> 'pending' then confirmation.verdict
      when confirmation.state = 'dead' then 'dead'
      when confirmation.state is not null then 'pending'
    end = $2
    and confirmation.source = $3 and invoice.collection_name = $4
    and invoice.paid_at >= ($5::date)::timestamp at time zone 'UTC'
    and invoice.paid_at < ($6::date + 1)::timestamp at time zone 'UTC'
    and (opened_at, invoice_id, confirmation.source) < ($7::timestamptz, $8::uuid, $9::text)
) as listed
order by place desc, "invoiceId" desc, source desc
limit $10;

-- selectReferred, src/operations/list-invoices.ts
select "id" from "invoice" where "reference" = $1 limit $2;

-- outdated, src/operations/open-invoices.ts
select source, invoice_id as "invoiceId", settled_at::text as "settledAt",
  coalesce(
    (
      select id
      from invoice
      where invoice.source = settled.source and invoice.id = settled.invoice_id and invoice.erased_at is null
      limit 1
    ) is not null
    and not (
      (
        select invoice_id
        from confirmation
        where confirmation.invoice_id = settled.invoice_id and confirmation.source = settled.source
          and (
            (state = 'due') or (state = 'claimed')
            or (state = 'dead' and not coalesce(dismissed_at >= settled_at, false))
            or (
              verdict = 'quarantined' and released_at is null
              and not coalesce(dismissed_at >= settled_at, false)
            )
          )
        limit 1
      ) is not null
      or (
        select outbox.event_id
        from event
        join outbox on outbox.source = event.source and outbox.event_id = event.id
        where event.source = settled.source
          and event.id = (event_id(settled.invoice_id, 'invoice.paid'))::uuid
          and (
            outbox.replay_id = '00000000-0000-0000-0000-000000000000'
            and (
              outbox.state in ('due', 'claimed') or (outbox.state = 'dead' and outbox.dismissed_at is null)
            )
          )
        limit 1
      ) is not null
    ),
    false
  ) as "isSelected"
from (
  select source, invoice_id, settled_at
  from confirmation
  where erased_at is null and state in ('done', 'dead') and settled_at < $1::timestamptz
    and settled_at >= $2::timestamptz and (settled_at, invoice_id) > ($3::timestamptz, $4::uuid)
  order by settled_at, invoice_id
  limit 5000
) as settled
order by settled.settled_at, settled.invoice_id;

-- forgotten, src/operations/open-invoices.ts
select source, invoice_id as "invoiceId", settled_at::text as "settledAt",
  coalesce(
    not (
      select id from invoice where invoice.source = settled.source and invoice.id = settled.invoice_id limit 1
    ) is not null
    and (
      select event.id
      from event
      where event.source = settled.source and event.id = (event_id(settled.invoice_id, 'invoice.paid'))::uuid
    ) is null,
    false
  ) as "isSelected"
from (
  select source, invoice_id, settled_at
  from confirmation
  where verdict = 'unknown_invoice' and state = 'done' and settled_at < $1::timestamptz
    and settled_at >= $2::timestamptz and (settled_at, invoice_id) > ($3::timestamptz, $4::uuid)
  order by settled_at, invoice_id
  limit 5000
) as settled
order by settled.settled_at, settled.invoice_id;

-- selectDated, src/operations/report/read-payments.ts
select invoice.id as "invoiceId", invoice.reference,
  case
    when strpos(invoice.document::text, '\u') > 0 then regexp_replace(
      invoice.document::text, '\\u(0000|[dD][89a-fA-F]..)', '\\ufffd', 'g'
    )::json
    else invoice.document
  end ->> 'payerName' as payer,
  invoice.collection_name as collection, invoice.payment_method as method, invoice.amount,
  invoice.service_charge as "serviceCharge", invoice.vat, invoice.total_amount as total,
  invoice.settleable_amount as settleable, invoice.paid_at as "paidAt",
  coalesce(invoice.paid_at, invoice.created_at, invoice.confirmed_at) as "countedAt",
  case
    when $1::boolean then (
      select min(received_at)
      from (
        select *
        from callback
        where invoice_ids[1] = invoice.id
        union all
        select *
        from callback
        where cardinality(invoice_ids) > 1 and invoice_ids @> array[invoice.id]::uuid[]
          and invoice_ids[1] <> invoice.id
      ) as callback
      where callback.source = invoice.source
    )
  end as "calledBackAt",
  invoice.confirmed_at as "confirmedAt", accepted.published_at as "publishedAt",
  accepted.message_id as "messageId", confirmation.state, confirmation.verdict, invoice.paid_at::text as at,
  lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($2::text[])
  and coalesce(lower(btrim("invoice"."type", ' 	
                 　﻿') collate "C"), '') <> 'test'
  and not coalesce(
    (
      select decided.verdict = 'quarantined'
        or (
          decided.released_at is not null
          and not coalesce(invoice.collection_name = any($3::text[]), $4::boolean)
        )
      from confirmation as decided
      where decided.source = invoice.source and decided.invoice_id = invoice.id
    ),
    false
  ) as counts
from (
  select *
  from invoice
  where source = $5 and paid_at >= $6::timestamptz and paid_at < $7
    and (paid_at, id) > ($8::timestamptz, $9::uuid) and ($10::text is null or collection_name = $11)
  order by invoice.paid_at, invoice.id
  limit $12
) as invoice
left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
left join lateral (
  select publication.published_at, publication.message_id
  from event
  join publication on publication.source = event.source and publication.event_id = event.id
    and publication.replay_id is null
  where $13::boolean and event.source = invoice.source
    and event.id = (event_id(invoice.id, 'invoice.paid'))::uuid
  order by publication.id
  limit 1
) as accepted on true
order by invoice.paid_at, invoice.id;

-- selectUndated, src/operations/report/read-payments.ts
select invoice.id as "invoiceId", invoice.reference,
  case
    when strpos(invoice.document::text, '\u') > 0 then regexp_replace(
      invoice.document::text, '\\u(0000|[dD][89a-fA-F]..)', '\\ufffd', 'g'
    )::json
    else invoice.document
  end ->> 'payerName' as payer,
  invoice.collection_name as collection, invoice.payment_method as method, invoice.amount,
  invoice.service_charge as "serviceCharge", invoice.vat, invoice.total_amount as total,
  invoice.settleable_amount as settleable, invoice.paid_at as "paidAt",
  coalesce(invoice.paid_at, invoice.created_at, invoice.confirmed_at) as "countedAt",
  case
    when $1::boolean then (
      select min(received_at)
      from (
        select *
        from callback
        where invoice_ids[1] = invoice.id
        union all
        select *
        from callback
        where cardinality(invoice_ids) > 1 and invoice_ids @> array[invoice.id]::uuid[]
          and invoice_ids[1] <> invoice.id
      ) as callback
      where callback.source = invoice.source
    )
  end as "calledBackAt",
  invoice.confirmed_at as "confirmedAt", accepted.published_at as "publishedAt",
  accepted.message_id as "messageId", confirmation.state, confirmation.verdict, invoice.paid_at::text as at,
  true as counts
from (
  select *
  from invoice
  where source = $2 and paid_at is null and id > $3::uuid and coalesce(created_at, confirmed_at) >= $4
    and coalesce(created_at, confirmed_at) < $5
    and lower(btrim("invoice"."status", ' 	
                 　﻿') collate "C") = any($6::text[])
    and coalesce(lower(btrim("invoice"."type", ' 	
                 　﻿') collate "C"), '') <> 'test'
    and not coalesce(
      (
        select decided.verdict = 'quarantined'
          or (
            decided.released_at is not null
            and not coalesce(invoice.collection_name = any($7::text[]), $8::boolean)
          )
        from confirmation as decided
        where decided.source = invoice.source and decided.invoice_id = invoice.id
      ),
      false
    )
    and ($9::text is null or collection_name = $10)
  order by invoice.id
  limit $11
) as invoice
left join confirmation on confirmation.source = invoice.source and confirmation.invoice_id = invoice.id
left join lateral (
  select publication.published_at, publication.message_id
  from event
  join publication on publication.source = event.source and publication.event_id = event.id
    and publication.replay_id is null
  where $12::boolean and event.source = invoice.source
    and event.id = (event_id(invoice.id, 'invoice.paid'))::uuid
  order by publication.id
  limit 1
) as accepted on true
order by invoice.id;

-- selectInvoices, src/operations/timeline-reading.ts
select "source", "status", "type", "reference", "collection_name" as "collectionName",
  "total_amount" as "totalAmount", "paid_at" as "paidAt", "confirmed_at" as "confirmedAt",
  "erased_at" as "erasedAt"
from "invoice"
where "id" = $1
  and invoice.source = any(
    array(
      with recursive known (source) as (
        (select source from "invoice" order by source limit 1)
        union all
        select (
          select further.source
          from "invoice" as further
          where further.source > known.source
          order by further.source
          limit 1
        )
        from known
        where known.source is not null
      )
      select source
      from known
      where source is not null
    )
  )
order by "source";

-- selectConfirmations, src/operations/timeline-reading.ts
select "confirmation"."source", "confirmation"."state", "verdict", "priority", "requests", "attempt",
  "confirmation"."faults", "due_at" as "dueAt", "claimed_until" as "claimedUntil",
  "confirmation"."last_error" as "lastError", "opened_at" as "openedAt", "opened_by" as "openedBy",
  "settled_at" as "settledAt", "source"."paused_by" as "sourcePausedBy",
  "source"."last_error" as "sourceError",
  (nullif(greatest("source"."opens_at", now()), now()))::timestamptz as "sourceOpensAt"
from "confirmation"
left join "source" on "source"."name" = "confirmation"."source"
where "invoice_id" = $1
order by "opened_at", "confirmation"."source";

-- selectActions, src/operations/timeline-reading.ts
select "at", "actor", "action", "subject", (detail->>'reason')::text as "reason"
from "audit_entry"
where "invoice_id" = $1
order by "id" desc
limit $2;

-- selectAlarms, src/operations/timeline-reading.ts
select "name", "source", "detail", "times", "raised_at" as "raisedAt", "cleared_at" as "clearedAt"
from "alarm"
where "subject" = $1
order by "raised_at" desc
limit $2;

-- selectClosedTopics, src/operations/timeline-reading.ts
select "arn", "paused_by" as "pausedBy", "last_error" as "lastError",
  (nullif(greatest("opens_at", now()), now()))::timestamptz as "opensAt"
from "topic"
where (paused_by is not null or opens_at > now())
order by "arn";

-- selectEvents, src/operations/timeline-reading.ts
select "event"."source", "event"."id", "event"."type", "event"."created_at" as "createdAt",
  (
    case
      when outbox.state is not null then outbox.state
      when (
        select publication.id
        from publication
        where publication.source = event.source and publication.event_id = event.id
          and publication.replay_id is null
        limit 1
      ) is not null then 'published'
      else 'lost'
    end
  )::text as "state",
  "outbox"."due_at" as "dueAt", "outbox"."last_error" as "lastError",
  coalesce("outbox"."attempt", $1) as "attempt"
from "event"
left join "outbox" on "outbox"."source" = "event"."source" and "outbox"."event_id" = "event"."id"
  and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
where "event"."id" = (event_id($2::uuid, 'invoice.paid'))::uuid
  and event.source = any(
    array(
      with recursive known (source) as (
        (select source from "event" order by source limit 1)
        union all
        select (
          select further.source
          from "event" as further
          where further.source > known.source
          order by further.source
          limit 1
        )
        from known
        where known.source is not null
      )
      select source
      from known
      where source is not null
    )
  )
order by "event"."source";

-- selectPublications, src/operations/timeline-reading.ts
select "publication"."source", "published_at" as "at", "topic_arn" as "topicArn", "message_id" as "messageId",
  "replay_id" as "replayId", "replay"."requested_by" as "replayedBy"
from "event"
inner join "publication" on "publication"."source" = "event"."source"
  and "publication"."event_id" = "event"."id"
left join "replay" on "replay"."id" = "publication"."replay_id"
where "event"."id" = (event_id($1::uuid, 'invoice.paid'))::uuid
  and event.source = any(
    array(
      with recursive known (source) as (
        (select source from "event" order by source limit 1)
        union all
        select (
          select further.source
          from "event" as further
          where further.source > known.source
          order by further.source
          limit 1
        )
        from known
        where known.source is not null
      )
      select source
      from known
      where source is not null
    )
  )
order by "publication"."id"
limit $2;

-- selectUndelivered, src/operations/undelivered.ts
select *, count(*) over () as total
from (
  select 'confirmation' as kind, confirmation.invoice_id as "invoiceId", null::uuid as "eventId",
    confirmation.source, invoice.collection_name as collection, invoice.reference,
    invoice.total_amount as amount, coalesce(confirmation.settled_at, confirmation.requested_at) as since,
    confirmation.attempt as attempts, confirmation.last_error as error,
    case
      when confirmation.dismissed_at >= confirmation.settled_at then confirmation.dismissed_at
    end as "dismissedAt"
  from confirmation
  left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
  where confirmation.state = 'dead'
  union all
  select 'event' as kind, event.invoice_id as "invoiceId", event.id as "eventId", event.source,
    event.collection_name as collection, invoice.reference, invoice.total_amount as amount,
    outbox.due_at as since, outbox.attempt as attempts, outbox.last_error as error,
    outbox.dismissed_at as "dismissedAt"
  from outbox
  join event on event.source = outbox.source and event.id = outbox.event_id
  left join invoice on invoice.source = event.source and invoice.id = event.invoice_id
  where outbox.state = 'dead' and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
) as undelivered
where ("invoiceId" = any($1::uuid[]) or "eventId" = any($2::uuid[])) and source = coalesce($3, source)
order by since, "invoiceId", source, kind
limit $4;

select *, count(*) over () as total
from (
  select 'confirmation' as kind, confirmation.invoice_id as "invoiceId", null::uuid as "eventId",
    confirmation.source, invoice.collection_name as collection, invoice.reference,
    invoice.total_amount as amount, coalesce(confirmation.settled_at, confirmation.requested_at) as since,
    confirmation.attempt as attempts, confirmation.last_error as error,
    case
      when confirmation.dismissed_at >= confirmation.settled_at then confirmation.dismissed_at
    end as "dismissedAt"
  from confirmation
  left join invoice on invoice.source = confirmation.source and invoice.id = confirmation.invoice_id
  where confirmation.verdict = 'quarantined' and confirmation.released_at is null
) as undelivered
where "dismissedAt" is null and kind = coalesce($1, kind) and source = coalesce($2, source)
  and ($3::text is null or collection = $4)
order by since, "invoiceId", source, kind
limit $5;

-- insertEnded, src/interfaces/admin-api/sessions.ts
with over as (delete from ended_session where ends_at < clock_timestamp())
insert into ended_session (id, ends_at)
values ($1, to_timestamp($2::float8 / 1000))
on conflict do nothing;

-- selectEnded, src/interfaces/admin-api/sessions.ts
select exists (select from ended_session where id = $1) as ended;

-- selectServer, src/runtime/doctor.ts
select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
  current_setting('fsync') as fsync, pg_is_in_recovery()
  or current_setting('transaction_read_only') = 'on' as "readOnly";

-- selectDue, src/runtime/poll.ts
select (
  not (pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on')
) as "takesCallbacks",
  exists (select ctid from "confirmation" where state = 'claimed' and claimed_until < now())
  or exists (select ctid from "outbox" where state = 'claimed' and claimed_until < now())
  or (
    exists (select ctid from "sweep" where state = 'claimed' and claimed_until < now())
    or exists (select ctid from "certificate" where state = 'claimed' and claimed_until < now())
  ) as "rescue",
  (
    exists (
      select ctid
      from outbox
      where state = 'held' and invoice_type = 'Test' and source = any($1::text[])
        and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
      limit 5000
    )
    or exists (
      select ctid
      from outbox
      where state = 'due' and invoice_type = 'Test' and source = any($2::text[])
        and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
      limit 5000
    )
  )
  or exists (
    select
    from erased_invoice
    where checked_at is null and erased_at not between clock_timestamp() - interval '1 minute'
      and clock_timestamp()
  )
  or exists (
    select
    from alarm
    where cleared_at is null and name = any($3::text[])
      and exists (
        select
        from unnest($4::text[], $5::interval[]) as lasting (name, quiet)
        where lasting.name = alarm.name and last_raised_at < clock_timestamp() - quiet
      )
  ) as "chores",
  exists (
    select
    from unnest($6::text[]) as given (source)
    cross join (values ('known'), ('unknown'), ('replay')) as class (priority)
    cross join (values (0), (1)) as kind (asked_before)
    cross join lateral (
      select
      from confirmation as one
      where one.source = given.source and one.priority = class.priority and state = 'due'
        and least(attempt + faults, 1) = kind.asked_before and due_at <= now()
      limit 1
    ) as due
  )
  or exists (
    select
    from source
    where name = any($7::text[]) and paused_by = 'refused' and probe_at <= clock_timestamp()
  ) as "confirm",
  (
    exists (
      select
      from unnest($8::text[], $9::text[], $10::text[]) as "route" ("source", "invoice_type", "topic_arn")
      cross join lateral (
        select
        from outbox
        where outbox.source = route.source and outbox.invoice_type = route.invoice_type and state = 'due'
          and due_at <= now() and outbox.replay_id = '00000000-0000-0000-0000-000000000000'
        limit 1
      ) as due
    )
    or exists (
      select
      from outbox
      where not outbox.replay_id = '00000000-0000-0000-0000-000000000000' and state = 'due'
        and due_at <= now()
    )
  ) as "publish",
  exists (
    select
    from alarm_telling
    where next_at <= clock_timestamp()
      and (
        exists (
          select * from alarm where cleared_at is null and told_at is null and name <> 'webhook_failing'
        )
        or exists (
          select *
          from alarm
          where cleared_at > clock_timestamp() - interval '1 day' and cleared_told_at is null
            and name <> 'webhook_failing'
        )
        or exists (
          select alarm.*
          from (
            values ('payments_waiting', '9 min'::interval), ('source_failing', '10 min'::interval),
              ('pause_standing', '10 min'::interval), ('topic_failing', '10 min'::interval)
          ) as escalating (name, after)
          join alarm on alarm.name = escalating.name
          where cleared_at is null and told_at < raised_at + after and raised_at + after <= clock_timestamp()
        )
      )
  ) as "tell",
  exists (
    select
    from replay as one
    where state = 'running' and coalesce(claimed_until < clock_timestamp(), true)
      and not exists (
        select
        from replay as held
        where held.kind = one.kind and held.state = 'running' and held.claimed_until >= clock_timestamp()
      )
  ) as "replay",
  array(
    select source
    from unnest($11::text[], $12::uuid[]) as "list" ("source", "collection_id")
    where not exists (
      select
      from sweep
      where sweep.source = list.source and sweep.collection_id = list.collection_id and state <> 'done'
    )
      or exists (
        select
        from sweep
        where sweep.source = list.source and sweep.collection_id = list.collection_id and state = 'due'
          and due_at <= clock_timestamp()
          and exists (
            select
            from source
            where source.name = sweep.source and source.first_served_at is not null
              and "source"."paused_by" is null and "source"."opens_at" <= now()
          )
      )
  ) as "sweep",
  array(
    select source
    from certificate
    where source = any($13::text[]) and day is not null and state = 'due' and due_at <= clock_timestamp()
      and exists (
        select
        from source
        where source.name = certificate.source and source.first_served_at is not null
          and "source"."paused_by" is null and "source"."opens_at" <= now()
      )
      and not exists (
        select
        from certificate as older
        where older.source = certificate.source and older.day is not null and older.state = 'claimed'
      )
  ) as "certify";
