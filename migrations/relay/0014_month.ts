import { type Kysely, sql } from "kysely";

/** Months that were closed, with the figures of each payment, and what changed afterwards. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `month`: YYYY-MM in `time_zone`; one that is closed again after it was reopened is a row of its own.
  // `document`: what was issued, signed or not. `scope`: the settings that its payments were last compared with. `month_payment`: the payments as they were then, which later
  // ones are compared with. `month_change`: `before` and `after` are null where it was, or is, no payment of
  // the month.
  await sql`
    create table month (
      id uuid not null,
      closed_at timestamptz not null,
      reopened_at timestamptz,
      window_from timestamptz not null,
      window_to timestamptz not null,
      payments integer not null,
      source text not null,
      month text not null,
      time_zone text not null,
      currency text not null,
      closed_by text not null,
      reopened_by text,
      reopen_reason text,
      scope text not null default '',
      document json not null,
      constraint month_pkey primary key (id),
      constraint month_month_check check (month ~ '^\\d{4}-(0[1-9]|1[0-2])$'),
      constraint month_reopened_check
        check ((reopened_at is null) = (reopened_by is null) and (reopened_at is null) = (reopen_reason is null))
    );
    comment on table month is 'Months that a person closed.';
    create unique index month_closed on month (source, month) where reopened_at is null;

    create table month_payment (
      month_id uuid not null,
      invoice_id uuid not null,
      collection text,
      amount numeric,
      service_charge numeric,
      vat numeric,
      total numeric,
      settleable numeric,
      constraint month_payment_pkey primary key (month_id, invoice_id)
    );
    comment on table month_payment is 'The payments of a closed month, as they were then.';

    create table month_change (
      id bigint generated always as identity,
      month_id uuid not null,
      invoice_id uuid not null,
      changed_at timestamptz not null,
      before json,
      after json,
      constraint month_change_pkey primary key (id)
    );
    comment on table month_change is 'Addenda: what changed in a month after it was closed.';
    create index month_change_of on month_change (month_id, invoice_id)`.execute(db);

  // Written in the transaction of whatever changes a payment of a month that is over, so that none is missed; a
  // chore compares it with what was closed. Midnight between two months travels 26 hours around the world:
  // within them, this month counts as well. What is paid and recorded at other times costs no more than the
  // condition. The function has its owner's rights: roles get theirs only after migrating.
  await sql`
    create table late_change (
      changed_at timestamptz not null default clock_timestamp(),
      invoice_id uuid not null,
      source text not null
    );
    comment on table late_change is
      'Invoices of months that are over, written since: to be compared with what was closed.';

    create function note_late_change() returns trigger language plpgsql security definer
      set search_path = pg_catalog, pg_temp as $$
    declare
      changed record;
    begin
      if tg_op = 'DELETE' then changed := old; else changed := new; end if;
      if tg_table_name = 'invoice' then
        insert into public.late_change (source, invoice_id) values (changed.source, changed.id);
      else
        insert into public.late_change (source, invoice_id) values (changed.source, changed.invoice_id);
      end if;
      return null;
    end $$;
    revoke all on function note_late_change() from public`.execute(db);
  const countedAt = (row: "old" | "new") => sql`
    coalesce(${sql.ref(row)}.paid_at, ${sql.ref(row)}.created_at, ${sql.ref(row)}.confirmed_at)`;
  const isOver = (row: "old" | "new") => sql`
    ${countedAt(row)} < date_trunc('month', now() + interval '14 hours', 'UTC') + interval '12 hours'`;
  const figures = ["status", "type", "collection_name", "amount", "service_charge", "vat", "total_amount"];
  const row = (name: "old" | "new") =>
    sql.join([countedAt(name), ...[...figures, "settleable_amount"].map((one) => sql.ref(`${name}.${one}`))]);
  await sql`
    create trigger late_insert after insert on invoice for each row when (${isOver("new")})
      execute function note_late_change();
    create trigger late_update after update on invoice for each row
      when ((${row("old")}) is distinct from (${row("new")}) and (${isOver("old")} or ${isOver("new")}))
      execute function note_late_change();
    create trigger late_delete after delete on invoice for each row execute function note_late_change();
    create trigger late_decision after update of verdict, released_at on confirmation for each row
      when (coalesce(old.verdict = 'quarantined', false) <> coalesce(new.verdict = 'quarantined', false)
        or old.released_at is distinct from new.released_at)
      execute function note_late_change()`.execute(db);
}
