import { type Kysely, sql } from "kysely";

/**
 * Making and dropping a month of the callback log takes the tables' owner. These functions do just that as
 * their owner, whoever ran the migrations, so that a relay needs no more than its role: `grantRoles` says
 * which one may call them. They name every table with its schema and look for nothing else on the caller's
 * search path. Each waits two seconds at most for a lock, because callbacks wait behind it, and then fails
 * with 55P03.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function make_callback_partition(month date) returns boolean
    language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
    declare
      partition constant text := 'callback_' || to_char(month, 'YYYY_MM');
      first constant timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
      past constant timestamptz :=
        (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
    begin
      if to_regclass('public.' || partition) is not null then return false; end if;
      perform pg_advisory_xact_lock(hashtext('invoice-relay partitions'));
      -- Not to_regclass again, which may answer from what it remembers of before the wait.
      if exists (select from pg_class where relname = partition
          and relnamespace = 'public'::regnamespace) then
        return false;
      end if;
      execute format(
        'create table public.%I (like public.callback including defaults including constraints)', partition);
      execute format(
        'create trigger callback_is_never_emptied before truncate on public.%I
         for each statement execute function public.callback_is_insert_only()', partition);
      lock table public.callback_default in exclusive mode;
      -- What the default partition took in its stead moves over.
      perform set_config('invoice_relay.moves_partition', 'on', true);
      execute format(
        'with moved as (
           delete from public.callback_default where received_at >= $1 and received_at < $2 returning *)
         insert into public.%I select * from moved', partition) using first, past;
      perform set_config('invoice_relay.moves_partition', 'off', true);
      execute format('alter table public.callback attach partition public.%I for values from (%L) to (%L)',
        partition, first, past);
      return true;
    end $$`.execute(db);
  await sql`
    create function drop_callback_partition(partition text, kept_at timestamptz[], kept uuid[]) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
    declare
      past timestamptz;
    begin
      perform pg_advisory_xact_lock(hashtext('invoice-relay partitions'));
      select substring(pg_get_expr(child.relpartbound, child.oid) from $re$TO \\('([^']+)'\\)$re$)
        ::timestamptz
      into past
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = 'public.callback'::regclass and child.relname = partition
        and child.relnamespace = 'public'::regnamespace and partition ~ '^callback_[0-9]{4}_[0-9]{2}$';
      if past is null or past > now() then
        raise exception '% is no past month of the callback log', partition
          using errcode = 'invalid_parameter_value';
      end if;
      execute format('alter table public.callback detach partition public.%I', partition);
      execute format(
        'insert into public.callback select old.* from public.%I as old
         join unnest($1, $2) as kept (received_at, id) using (received_at, id)', partition)
        using kept_at, kept;
      execute format('drop table public.%I', partition);
    end $$`.execute(db);
  await sql`revoke all on function make_callback_partition from public`.execute(db);
  await sql`revoke all on function drop_callback_partition from public`.execute(db);
}
