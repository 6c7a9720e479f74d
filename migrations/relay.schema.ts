// Generated from the migrated database. Anew: npx vitest run --project relay test/platform/database -u

/** What the migrations make: the types of its columns are read from it. */
export const relaySchema = {
  alarm: `
id bigint not null generated always as identity
raised_at timestamp with time zone not null default clock_timestamp()
last_raised_at timestamp with time zone not null default clock_timestamp()
cleared_at timestamp with time zone
told_at timestamp with time zone
cleared_told_at timestamp with time zone
times integer not null default 1
name text not null
source text not null
subject text not null
detail text not null
  constraint alarm_pkey PRIMARY KEY (id)
  index alarm_end_untold ON public.alarm USING btree (cleared_at) WHERE ((cleared_at IS NOT NULL) AND (cleared_told_at IS NULL))
  index alarm_open UNIQUE ON public.alarm USING btree (name, source, subject) WHERE (cleared_at IS NULL)
  index alarm_subject ON public.alarm USING btree (subject)
  index alarm_untold ON public.alarm USING btree (id) WHERE ((cleared_at IS NULL) AND (told_at IS NULL))
`,
  alarm_telling: `
id boolean not null default true
next_at timestamp with time zone not null default clock_timestamp()
failures integer not null default 0
  constraint alarm_telling_one_row_check CHECK (id)
  constraint alarm_telling_pkey PRIMARY KEY (id)
`,
  asked_payment: `
certificate_id uuid not null
invoice_id uuid not null
paid_at timestamp with time zone
created_at timestamp with time zone
amount numeric
asked text
status text
type text
collection text
  constraint asked_payment_asked_check CHECK ((asked = ANY (ARRAY['paid'::text, 'not_paid'::text, 'unknown'::text, 'not_found'::text, 'unclear'::text])))
  constraint asked_payment_pkey PRIMARY KEY (certificate_id, invoice_id)
`,
  audit_entry: `
id bigint not null generated always as identity
at timestamp with time zone not null default clock_timestamp()
invoice_id uuid
actor text not null
action text not null
subject text not null
detail json not null
  constraint audit_entry_pkey PRIMARY KEY (id)
  index audit_entry_at ON public.audit_entry USING btree (at)
  index audit_entry_invoice ON public.audit_entry USING btree (invoice_id) WHERE (invoice_id IS NOT NULL)
  index audit_entry_subject ON public.audit_entry USING btree (subject, id)
`,
  callback: `
id uuid not null
received_at timestamp with time zone not null
erased_at timestamp with time zone
source text not null
method text not null
path text not null
query text not null
reference text
remote_address text
found_by text
verdict text
failed_check text
invoice_ids uuid[] not null
also_named uuid[]
headers json not null
body bytea not null
erased_digest text
  constraint callback_pkey PRIMARY KEY (received_at, id)
  constraint callback_verdict_check CHECK ((verdict = ANY (ARRAY['unreadable'::text, 'ping'::text, 'refused'::text])))
  index callback_also_named ON ONLY public.callback USING gin (also_named) WHERE (also_named IS NOT NULL)
  index callback_first_invoice ON ONLY public.callback USING btree ((invoice_ids[1]))
  index callback_invoices ON ONLY public.callback USING gin (invoice_ids) WHERE (cardinality(invoice_ids) > 1)
  index callback_reference ON ONLY public.callback USING btree (reference) WHERE (reference IS NOT NULL)
  index callback_verdict ON ONLY public.callback USING btree (verdict, received_at, id) WHERE (verdict IS NOT NULL)
`,
  callback_default: `
id uuid not null
received_at timestamp with time zone not null
erased_at timestamp with time zone
source text not null
method text not null
path text not null
query text not null
reference text
remote_address text
found_by text
verdict text
failed_check text
invoice_ids uuid[] not null
also_named uuid[]
headers json not null
body bytea not null
erased_digest text
  constraint callback_default_pkey PRIMARY KEY (received_at, id)
  constraint callback_verdict_check CHECK ((verdict = ANY (ARRAY['unreadable'::text, 'ping'::text, 'refused'::text])))
  index callback_default_also_named_idx ON public.callback_default USING gin (also_named) WHERE (also_named IS NOT NULL)
  index callback_default_invoice_ids_idx ON public.callback_default USING btree ((invoice_ids[1]))
  index callback_default_invoice_ids_idx1 ON public.callback_default USING gin (invoice_ids) WHERE (cardinality(invoice_ids) > 1)
  index callback_default_reference_idx ON public.callback_default USING btree (reference) WHERE (reference IS NOT NULL)
  index callback_default_verdict_received_at_id_idx ON public.callback_default USING btree (verdict, received_at, id) WHERE (verdict IS NOT NULL)
`,
  certificate: `
id uuid not null
lease_token uuid
created_at timestamp with time zone not null default clock_timestamp()
due_at timestamp with time zone not null default clock_timestamp()
claimed_until timestamp with time zone
finished_at timestamp with time zone
window_from timestamp with time zone not null
window_to timestamp with time zone not null
day date
paid integer
stored integer
published integer
gaps integer
differences integer
faults integer not null default 0
paid_amount numeric
stored_amount numeric
published_amount numeric
source text not null
time_zone text not null default 'UTC'::text
currency text not null default 'NGN'::text
state text not null default 'due'::text
result text
last_error text
progress json
collection_ids uuid[] not null
document json
  constraint certificate_done_check CHECK (((state = 'done'::text) = ((document IS NOT NULL) AND (gaps IS NOT NULL) AND (result IS NOT NULL))))
  constraint certificate_lease_check CHECK (((state = 'claimed'::text) = ((lease_token IS NOT NULL) AND (claimed_until IS NOT NULL))))
  constraint certificate_pkey PRIMARY KEY (id)
  constraint certificate_result_check CHECK ((result = ANY (ARRAY['equal'::text, 'not_equal'::text, 'refused'::text])))
  constraint certificate_state_check CHECK ((state = ANY (ARRAY['due'::text, 'claimed'::text, 'done'::text])))
  index certificate_created_at ON public.certificate USING btree (created_at)
  index certificate_daily UNIQUE ON public.certificate USING btree (source, day, time_zone) WHERE (day IS NOT NULL)
`,
  certified_day: `
certificate_id uuid not null
begins_at timestamp with time zone not null
ends_at timestamp with time zone not null
day date not null
gaps integer not null
source text not null
time_zone text not null
result text not null
counted json
  constraint certified_day_pkey PRIMARY KEY (source, time_zone, day, certificate_id)
  constraint certified_day_result_check CHECK ((result = ANY (ARRAY['equal'::text, 'not_equal'::text, 'refused'::text])))
`,
  confirmation: `
  with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000)
invoice_id uuid not null
lease_token uuid
callback_id uuid
opened_at timestamp with time zone not null
open_since timestamp with time zone
requested_at timestamp with time zone not null
due_at timestamp with time zone not null
asked_at timestamp with time zone
claimed_until timestamp with time zone
settled_at timestamp with time zone
released_at timestamp with time zone
dismissed_at timestamp with time zone
erased_at timestamp with time zone
requests integer not null default 1
attempt integer not null default 0
faults integer not null default 0
record_only boolean not null default false
source text not null
priority text not null default 'unknown'::text
state text not null default 'due'::text
opened_by text not null
traceparents text
verdict text
last_error text
last_answer text
listed_digest text
  constraint confirmation_lease_check CHECK (((state = 'claimed'::text) = ((lease_token IS NOT NULL) AND (claimed_until IS NOT NULL))))
  constraint confirmation_opened_by_check CHECK ((opened_by = ANY (ARRAY['callback'::text, 'reconcile'::text, 'replay'::text, 'operator'::text])))
  constraint confirmation_pkey PRIMARY KEY (invoice_id, source)
  constraint confirmation_priority_check CHECK ((priority = ANY (ARRAY['known'::text, 'unknown'::text, 'replay'::text])))
  constraint confirmation_state_check CHECK ((state = ANY (ARRAY['due'::text, 'claimed'::text, 'done'::text, 'dead'::text])))
  constraint confirmation_traceparents_check CHECK ((traceparents ~ '^00-[0-9a-f-]{52}( 00-[0-9a-f-]{52}){0,8}$'::text))
  constraint confirmation_verdict_check CHECK ((verdict = ANY (ARRAY['pending'::text, 'paid'::text, 'quarantined'::text, 'invalidated'::text, 'not_paid'::text, 'unknown_invoice'::text])))
  index confirmation_claimed ON public.confirmation USING btree (claimed_until) WHERE (state = 'claimed'::text)
  index confirmation_dead ON public.confirmation USING btree (settled_at) WHERE (state = 'dead'::text)
  index confirmation_due ON public.confirmation USING btree (source, priority, LEAST((attempt + faults), 1), due_at) WHERE (state = 'due'::text)
  index confirmation_legible ON public.confirmation USING btree (settled_at) WHERE ((erased_at IS NULL) AND (state = ANY (ARRAY['done'::text, 'dead'::text])))
  index confirmation_not_paid ON public.confirmation USING btree (verdict, opened_at, invoice_id) WHERE (verdict <> 'paid'::text)
  index confirmation_quarantined ON public.confirmation USING btree (settled_at) WHERE (verdict = 'quarantined'::text)
  index confirmation_replaying ON public.confirmation USING btree (source) WHERE ((attempt = 0) AND (priority = 'replay'::text) AND (state = ANY (ARRAY['due'::text, 'claimed'::text])))
  index confirmation_unknown ON public.confirmation USING btree (settled_at) WHERE (verdict = 'unknown_invoice'::text)
`,
  ended_session: `
ends_at timestamp with time zone not null
id text not null
  constraint ended_session_pkey PRIMARY KEY (id)
`,
  erased_invoice: `
id uuid not null
erased_at timestamp with time zone not null default clock_timestamp()
checked_at timestamp with time zone
  constraint erased_invoice_pkey PRIMARY KEY (id)
  index erased_invoice_unchecked ON public.erased_invoice USING btree (erased_at) WHERE (checked_at IS NULL)
`,
  event: `
id uuid not null
invoice_id uuid not null
created_at timestamp with time zone not null default clock_timestamp()
erased_at timestamp with time zone
source text not null
type text not null
invoice_type text not null
collection_name text
payload text not null
answer_digest text
erased_digest text
  constraint event_pkey PRIMARY KEY (source, id)
  index event_created_at ON public.event USING btree (created_at)
`,
  failing_chore: `
failing_since timestamp with time zone not null default clock_timestamp()
failures integer not null default 1
name text not null
last_error text not null
  constraint failing_chore_pkey PRIMARY KEY (name)
`,
  history_entry: `
id bigint not null generated always as identity
invoice_id uuid not null
at timestamp with time zone not null default clock_timestamp()
source text not null
kind text not null
detail text not null
  constraint history_entry_kind_check CHECK ((kind = ANY (ARRAY['ask_failed'::text, 'send_failed'::text, 'verdict'::text])))
  constraint history_entry_pkey PRIMARY KEY (id)
  index history_entry_invoice ON public.history_entry USING btree (invoice_id)
`,
  invoice: `
id uuid not null
created_at timestamp with time zone
modified_at timestamp with time zone
paid_at timestamp with time zone
asked_at timestamp with time zone not null
confirmed_at timestamp with time zone not null
erased_at timestamp with time zone
amount numeric
service_charge numeric
vat numeric
total_amount numeric
settleable_amount numeric
source text not null
status text not null
type text
collection_name text
title text
reference text
payment_method text
service_fee_payer text
digest text not null
document json not null
  constraint invoice_pkey PRIMARY KEY (source, id)
  index invoice_confirmed_at ON public.invoice USING brin (confirmed_at)
  index invoice_paid_at ON public.invoice USING btree (source, paid_at) WHERE (paid_at IS NOT NULL)
  index invoice_reference ON public.invoice USING btree (reference) WHERE (reference IS NOT NULL)
`,
  invoice_snapshot: `
id bigint not null generated always as identity
invoice_id uuid not null
asked_at timestamp with time zone not null
recorded_at timestamp with time zone not null default clock_timestamp()
erased_at timestamp with time zone
source text not null
status text not null
digest text not null
document json not null
  constraint invoice_snapshot_pkey PRIMARY KEY (source, invoice_id, id)
`,
  listed_collection: `
collection_id uuid not null
read_at timestamp with time zone not null
source text not null
dates json
  constraint listed_collection_pkey PRIMARY KEY (source, collection_id)
`,
  listed_payment: `
  with (fillfactor=80)
invoice_id uuid not null
collection_id uuid not null
seen_at timestamp with time zone not null
paid_at timestamp with time zone
paid_until timestamp with time zone
created_at timestamp with time zone
counted boolean not null
amounts_differ boolean not null default false
amount numeric
source text not null
label text
digest text not null
  constraint listed_payment_pkey PRIMARY KEY (source, invoice_id)
`,
  outbox: `
  with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000)
event_id uuid not null
replay_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid
lease_token uuid
callback_id uuid
requested_at timestamp with time zone
due_at timestamp with time zone not null default clock_timestamp()
claimed_until timestamp with time zone
dismissed_at timestamp with time zone
attempt integer not null default 0
source text not null
invoice_type text not null
state text not null default 'due'::text
topic_arn text
last_error text
traceparent text
  constraint outbox_lease_check CHECK (((state = 'claimed'::text) = ((lease_token IS NOT NULL) AND (claimed_until IS NOT NULL))))
  constraint outbox_pkey PRIMARY KEY (source, event_id, replay_id)
  constraint outbox_replay_check CHECK (((topic_arn IS NULL) = (replay_id = '00000000-0000-0000-0000-000000000000'::uuid)))
  constraint outbox_state_check CHECK ((state = ANY (ARRAY['due'::text, 'claimed'::text, 'held'::text, 'dead'::text])))
  constraint outbox_traceparent_check CHECK ((traceparent ~ '^00-[0-9a-f-]{52}$'::text))
  index outbox_claimed ON public.outbox USING btree (claimed_until) WHERE (state = 'claimed'::text)
  index outbox_dead ON public.outbox USING btree (due_at) WHERE (state = 'dead'::text)
  index outbox_due ON public.outbox USING btree (source, invoice_type, due_at) WHERE ((state = 'due'::text) AND (replay_id = '00000000-0000-0000-0000-000000000000'::uuid))
  index outbox_held ON public.outbox USING btree (source, invoice_type) WHERE (state = 'held'::text)
  index outbox_replayed ON public.outbox USING btree (replay_id, due_at) WHERE (replay_id <> '00000000-0000-0000-0000-000000000000'::uuid)
`,
  publication: `
id bigint not null generated always as identity
event_id uuid not null
published_at timestamp with time zone not null default clock_timestamp()
replay_id uuid
source text not null
topic_arn text not null
message_id text not null
digest bytea
  constraint publication_pkey PRIMARY KEY (source, event_id, id)
  index publication_published_at ON public.publication USING brin (published_at) WITH (autosummarize='on')
  index publication_replay ON public.publication USING btree (replay_id, source, event_id) WHERE (replay_id IS NOT NULL)
`,
  relay_process: `
  with (fillfactor=50)
id uuid not null
started_at timestamp with time zone not null default clock_timestamp()
seen_at timestamp with time zone not null default clock_timestamp()
pid integer not null
beat_ms integer not null default 30000
http boolean not null
workers boolean not null
host text not null
version text not null
serves jsonb not null default '{}'::jsonb
recording_problem jsonb
  constraint relay_process_pkey PRIMARY KEY (id)
`,
  replay: `
  with (fillfactor=50)
id uuid not null
lease_token uuid
requested_at timestamp with time zone not null default clock_timestamp()
started_at timestamp with time zone
finished_at timestamp with time zone
claimed_until timestamp with time zone
rate integer not null
matching integer not null
queued integer not null default 0
handled integer not null default 0
opened integer not null default 0
sent integer not null default 0
refused integer not null default 0
kind text not null
state text not null default 'running'::text
requested_by text not null
waits_for text
last_error text
filters json not null
target json not null
position json
  constraint replay_finish_check CHECK (((state = 'running'::text) = (finished_at IS NULL)))
  constraint replay_kind_check CHECK ((kind = ANY (ARRAY['confirmations'::text, 'callbacks'::text, 'events'::text])))
  constraint replay_lease_check CHECK (((lease_token IS NULL) = (claimed_until IS NULL)))
  constraint replay_pkey PRIMARY KEY (id)
  constraint replay_rate_check CHECK ((rate > 0))
  constraint replay_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
  index replay_running ON public.replay USING btree (requested_at) WHERE (state = 'running'::text)
`,
  replay_refusal: `
replay_id uuid not null
event_id uuid not null
refused_at timestamp with time zone not null default clock_timestamp()
source text not null
error text not null
  constraint replay_refusal_pkey PRIMARY KEY (replay_id, source, event_id)
`,
  signing_key: `
created_at timestamp with time zone not null default clock_timestamp()
retired_at timestamp with time zone
id text not null
public_key text not null
  constraint signing_key_id CHECK ((id ~ '^[0-9a-f]{16}$'::text))
  constraint signing_key_pkey PRIMARY KEY (id)
  constraint signing_key_public_key CHECK ((length(public_key) = 44))
`,
  source: `
  with (fillfactor=50)
name text not null
first_served_at timestamp with time zone
list_at timestamp with time zone not null default '-infinity'::timestamp with time zone
allowance_at timestamp with time zone not null default clock_timestamp()
not_found_at timestamp with time zone not null default '-infinity'::timestamp with time zone
next_unknown_at timestamp with time zone not null default clock_timestamp()
opens_at timestamp with time zone not null default '-infinity'::timestamp with time zone
retry_at timestamp with time zone not null default '-infinity'::timestamp with time zone
paused_at timestamp with time zone
probe_at timestamp with time zone
allowance double precision not null default 0
version integer not null default 0
faults integer not null default 0
slow_downs integer not null default 0
paused_by text
pause_reason text
last_error text
unknown_answers bit(100) not null default (0)::bit(100)
  constraint source_pause_check CHECK (((paused_by IS NULL) = (paused_at IS NULL)))
  constraint source_paused_by_check CHECK ((paused_by = ANY (ARRAY['operator'::text, 'refused'::text])))
  constraint source_pkey PRIMARY KEY (name)
`,
  sweep: `
id uuid not null
collection_id uuid not null
lease_token uuid
due_at timestamp with time zone not null default clock_timestamp()
claimed_until timestamp with time zone
started_at timestamp with time zone
finished_at timestamp with time zone
window_from timestamp with time zone
window_to timestamp with time zone
decided_since timestamp with time zone
decided_to uuid
listed integer not null default 0
missing integer not null default 0
opened integer not null default 0
faults integer not null default 0
source text not null
state text not null default 'due'::text
last_error text
  constraint sweep_lease_check CHECK (((state = 'claimed'::text) = ((lease_token IS NOT NULL) AND (claimed_until IS NOT NULL))))
  constraint sweep_pkey PRIMARY KEY (id)
  constraint sweep_state_check CHECK ((state = ANY (ARRAY['due'::text, 'claimed'::text, 'done'::text])))
  index sweep_finished ON public.sweep USING btree (finished_at) WHERE (state = 'done'::text)
  index sweep_latest ON public.sweep USING btree (source, collection_id, started_at)
  index sweep_one_open UNIQUE ON public.sweep USING btree (source, collection_id) WHERE (state <> 'done'::text)
`,
  topic: `
  with (fillfactor=50)
arn text not null
opens_at timestamp with time zone not null default '-infinity'::timestamp with time zone
retry_at timestamp with time zone not null default '-infinity'::timestamp with time zone
paused_at timestamp with time zone
probe_at timestamp with time zone
version integer not null default 0
faults integer not null default 0
slow_downs integer not null default 0
paused_by text
pause_reason text
last_error text
  constraint topic_pause_check CHECK (((paused_by IS NULL) = (paused_at IS NULL)))
  constraint topic_paused_by_check CHECK ((paused_by = ANY (ARRAY['operator'::text, 'refused'::text])))
  constraint topic_pkey PRIMARY KEY (arn)
`,
  functions: `
  function event_id(invoice_id uuid, type text) returns uuid, body c2107d2380fcaf08
  function make_callback_partition(month date) returns boolean, set search_path=pg_catalog, pg_temp, set lock_timeout=2s, body 2985086193b641b6
`,
} as const;
