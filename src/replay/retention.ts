import { type Kysely, type RawBuilder, sql } from "kysely";
import { audit } from "../database/audit.ts";
import type { Tables } from "../database/tables.ts";

export interface RetentionOptions {
  db: Kysely<Tables>;
  actor: string;
  /** How long callbacks are kept, in ms. */
  retentionMs: number;
  dryRun?: boolean | undefined;
}

/** One month of the log that is past its time. */
export interface OldPartition {
  name: string;
  /** First instant after it. */
  to: Date;
  callbacks: number;
  /** Of these, those of invoices that are still open: they move to the default partition and stay. */
  kept: number;
}

export interface RetentionResult {
  dryRun: boolean;
  /** Callbacks from before this moment leave: the first of a month. */
  before: Date;
  partitions: OldPartition[];
  /** Old callbacks in the default partition that leave. */
  stragglers: number;
  /** Questions that ended in `unknown_invoice` and whose callbacks have left. */
  unknownQuestions: number;
  /** A partition that was busy; the next run takes it. */
  busy: string | null;
}

const QUESTIONS_AT_ONCE = 5_000;

/** How long callbacks may wait for the log while a partition is taken out, in ms. */
const LOCK_MS = 2_000;
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Drops whole months of the log that are older than `retentionMs`. Callbacks of invoices that are still open (a
 * question not done, one in quarantine that nobody released or dismissed, an event neither published nor dismissed)
 * move to the default partition first, and leave once that is over. A held Test event waits for nothing and holds
 * nothing up. Confirmations and events stay for ever, except questions of invoices that nobody knows.
 */
export async function applyRetention(options: RetentionOptions): Promise<RetentionResult> {
  const { db, actor, dryRun = false } = options;
  const before = await firstOfOldestMonth(db, options.retentionMs);
  const result: RetentionResult = {
    dryRun,
    before,
    partitions: [],
    stragglers: 0,
    unknownQuestions: 0,
    busy: null,
  };
  for (const { name, to } of await partitionsBefore(db, before)) {
    const counts = await countsOf(db, name);
    try {
      if (!dryRun) await dropPartition(db, actor, name, counts);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE)) throw error;
      return { ...result, busy: name };
    }
    result.partitions.push({ name, to, ...counts });
  }
  result.stragglers = await leave(db, dryRun, stragglers(before));
  result.unknownQuestions = await leave(db, dryRun, unknownQuestions(before));
  if (!dryRun && result.stragglers + result.unknownQuestions > 0) {
    const { stragglers: callbacks, unknownQuestions: questions } = result;
    await audit(db, [
      {
        actor,
        action: "retention",
        subject: "callback_default",
        invoiceId: null,
        detail: { before, callbacks, questions },
      },
    ]);
  }
  return result;
}

async function firstOfOldestMonth(db: Kysely<Tables>, retentionMs: number): Promise<Date> {
  const { rows } = await sql<{ before: Date }>`
    select date_trunc('month', clock_timestamp() - ${retentionMs} * interval '1 ms', 'UTC') as before`.execute(
    db,
  );
  return rows[0]?.before ?? new Date(0);
}

async function partitionsBefore(db: Kysely<Tables>, before: Date): Promise<{ name: string; to: Date }[]> {
  const { rows } = await sql<{ name: string; to: Date }>`
    select * from (
      select child.relname as name,
        substring(pg_get_expr(child.relpartbound, child.oid) from $re$TO \\('([^']+)'\\)$re$)::timestamptz as to
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = 'callback'::regclass) as partition
    where "to" <= ${before} order by "to"`.execute(db);
  return rows;
}

/** The open invoices, looked for from their side, which is the small one, and state by state, as their indexes have it. */
const openInvoices = sql`
  select invoice_id from confirmation where state = 'due'
  union select invoice_id from confirmation where state = 'claimed'
  union select invoice_id from confirmation where state = 'dead' and not coalesce(dismissed_at >= settled_at, false)
  union select invoice_id from confirmation
    where verdict = 'quarantined' and released_at is null and not coalesce(dismissed_at >= settled_at, false)
  union select invoice_id from event where state = 'due'
  union select invoice_id from event where state = 'claimed'
  union select invoice_id from event where state = 'dead' and dismissed_at is null`;

const openCallbacks = (table: RawBuilder<unknown>) => sql`
  with open as materialized (${openInvoices})
  select old.id, old.received_at from ${table} as old join open on old.invoice_ids[1] = open.invoice_id
  union
  select old.id, old.received_at from ${table} as old join open on old.invoice_ids @> array[open.invoice_id]
    where cardinality(old.invoice_ids) > 1`;

async function countsOf(db: Kysely<Tables>, name: string): Promise<{ callbacks: number; kept: number }> {
  const { rows } = await sql<{ callbacks: number; kept: number }>`
    select (select count(*) from ${sql.table(name)}) as callbacks,
      (select count(*) from (${openCallbacks(sql.table(name))}) as kept) as kept`.execute(db);
  return rows[0] ?? { callbacks: 0, kept: 0 };
}

async function dropPartition(
  db: Kysely<Tables>,
  actor: string,
  name: string,
  counts: { callbacks: number; kept: number },
): Promise<void> {
  const table = sql.table(name);
  await db.transaction().execute(async (trx) => {
    await sql`select set_config('lock_timeout', ${`${LOCK_MS}ms`}, true)`.execute(trx);
    await sql`select pg_advisory_xact_lock(hashtext('invoice-relay partitions'))`.execute(trx);
    await sql`alter table callback detach partition ${table}`.execute(trx);
    await sql`
      insert into callback select old.* from ${table} as old
      where (old.received_at, old.id) in (select kept.received_at, kept.id from (${openCallbacks(table)}) as kept)`.execute(
      trx,
    );
    await sql`drop table ${table}`.execute(trx);
    await sql`delete from callback_reading where not exists (
      select from callback where callback.received_at = callback_reading.received_at and callback.id = callback_reading.callback_id)`.execute(
      trx,
    );
    await audit(trx, [{ actor, action: "retention", subject: name, invoiceId: null, detail: counts }]);
  });
}

const stragglers = (before: Date) => ({
  table: sql`callback_default`,
  rows: sql`select old.received_at, old.id from callback_default as old
    where old.received_at < ${before}
      and (old.received_at, old.id) not in (select open.received_at, open.id from (${openCallbacks(sql`callback_default`)}) as open)`,
  key: sql`(received_at, id)`,
});

// Every callback moves `requested_at`: before this moment, all of its callbacks are too.
const unknownQuestions = (before: Date) => ({
  table: sql`confirmation`,
  rows: sql`select old.invoice_id, old.source from confirmation as old
    where old.verdict = 'unknown_invoice' and old.state = 'done' and old.requested_at < ${before}
      and not exists (select from invoice where invoice.id = old.invoice_id)
      and not exists (select from event where event.invoice_id = old.invoice_id)`,
  key: sql`(invoice_id, source)`,
});

async function leave(
  db: Kysely<Tables>,
  dryRun: boolean,
  { table, rows, key }: ReturnType<typeof stragglers>,
): Promise<number> {
  if (dryRun) {
    const counted = await sql<{ count: number }>`select count(*) as count from (${rows}) as leaving`.execute(
      db,
    );
    return counted.rows[0]?.count ?? 0;
  }
  for (let gone = 0; ; ) {
    const some = await db.transaction().execute(async (trx) => {
      await sql`set local invoice_relay.moves_partition = 'on'`.execute(trx);
      const { rows: deleted } = await sql`
        delete from ${table} where ${key} in (${rows} limit ${QUESTIONS_AT_ONCE}) returning 1`.execute(trx);
      return deleted.length;
    });
    gone += some;
    if (some < QUESTIONS_AT_ONCE) return gone;
  }
}
