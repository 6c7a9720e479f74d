import { type Kysely, sql } from "kysely";

/**
 * The queue of callbacks and the log of their attempts. A delivery is taken by moving `due_at` past the time
 * that one attempt may take: if the process dies, the delivery comes due again by itself.
 * The primary key allows each copy of an invoice's callback once: a payment cannot queue two by accident.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table delivery (
      invoice_id uuid not null references invoice on delete cascade,
      copy integer not null,
      webhook_id uuid not null,
      notification_id uuid not null,
      queued_at timestamptz not null,
      due_at timestamptz not null,
      attempt integer not null default 0,
      state text not null,
      variant text not null,
      url text not null,
      constraint delivery_pkey primary key (invoice_id, copy),
      constraint delivery_state_check check (state in ('due', 'delivered', 'given_up', 'withheld'))
    )`.execute(db);
  await sql`create index delivery_due on delivery (due_at) where state = 'due'`.execute(db);

  await sql`
    create table delivery_attempt (
      invoice_id uuid not null,
      copy integer not null,
      attempt integer not null,
      started_at timestamptz not null,
      took_ms integer not null,
      answer_status integer,
      answer_body text,
      error text,
      constraint delivery_attempt_pkey primary key (invoice_id, copy, attempt),
      constraint delivery_attempt_delivery_fkey
        foreign key (invoice_id, copy) references delivery on delete cascade
    )`.execute(db);
}
