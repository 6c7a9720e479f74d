import { type RawBuilder, sql } from "kysely";
import { isLive, paidEventId } from "../pipeline/publish/index.ts";
import { type Database, inKeyOrder, returned, type Slots, Statement } from "../platform/database/index.ts";
import { NIL_UUID } from "../platform/values/index.ts";

/** Conditions on rows of `confirmation` and `outbox` that make their invoice an open one, by index. */
const WAITING = [
  sql`state = 'due'`,
  sql`state = 'claimed'`,
  sql`state = 'dead' and not coalesce(dismissed_at >= settled_at, false)`,
  sql`verdict = 'quarantined' and released_at is null and not coalesce(dismissed_at >= settled_at, false)`,
];
const UNSENT = sql`
  (${isLive} and (outbox.state in ('due', 'claimed') or (outbox.state = 'dead' and outbox.dismissed_at is null)))`;

/**
 * A condition: an invoice is still open; held Test events do not count. Looked up by itself, not by `exists`, for which Postgres might read all
 * that is open.
 */
const isOpen = (source: RawBuilder<unknown>, invoiceId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  ((select invoice_id from confirmation
    where confirmation.invoice_id = ${invoiceId} and confirmation.source = ${source}
      and (${sql.join(
        WAITING.map((condition) => sql`(${condition})`),
        sql` or `,
      )}) limit 1) is not null
  or (select outbox.event_id from event
    join outbox on outbox.source = event.source and outbox.event_id = event.id
    where event.source = ${source} and event.id = ${paidEventId(invoiceId)} and ${UNSENT} limit 1) is not null)`;

/** The limit of rows that a statement reads. */
const AT_ONCE = 5_000;

/** Where a walk through settled confirmations has come to. The time as text: a Date has no microseconds. */
interface Position {
  settledAt: string;
  invoiceId: string;
}

interface Walk {
  before: Date;
  after: Position;
}

/** The next confirmations that were settled before a time, oldest first, and whether each is selected. */
const walkInvoices = (which: RawBuilder<unknown>, isSelected: RawBuilder<unknown>) =>
  new Statement(
    {
      source: returned.text(),
      invoiceId: returned.uuid,
      settledAt: returned.text(),
      isSelected: returned.boolean,
    },
    ({ value }: Slots<Walk>) => {
      const settledAt = sql`${value(({ after }) => after.settledAt)}::timestamptz`;
      return sql`
        select source, invoice_id as "invoiceId", settled_at::text as "settledAt",
          coalesce(${isSelected}, false) as "isSelected"
        from (
          select source, invoice_id, settled_at from confirmation
          where ${which} and settled_at < ${value(({ before }) => before)}::timestamptz
            and settled_at >= ${settledAt}
            and (settled_at, invoice_id) > (${settledAt}, ${value(({ after }) => after.invoiceId)}::uuid)
          order by settled_at, invoice_id limit ${sql.lit(AT_ONCE)}) as settled
        order by settled.settled_at, settled.invoice_id`;
    },
  );

interface Settled {
  source: string;
  invoiceId: string;
}

/** Goes from the oldest on, some thousand in a statement, however many there are. @yields the selected ones. */
async function* walk(
  statement: ReturnType<typeof walkInvoices>,
  db: Database,
  before: Date,
): AsyncGenerator<Settled[]> {
  let after: Position = { settledAt: "-infinity", invoiceId: NIL_UUID };
  for (;;) {
    const from = after;
    const rows = await inKeyOrder(db, (trx) => statement.execute(trx, { before, after: from }));
    yield rows.filter(({ isSelected }) => isSelected);
    const last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE) return;
    after = last;
  }
}

const isStored = (erased: RawBuilder<unknown>) => sql`
  (select id from invoice
    where invoice.source = settled.source and invoice.id = settled.invoice_id ${erased} limit 1) is not null`;

const outdated = walkInvoices(
  sql`erased_at is null and state in ('done', 'dead')`,
  sql`${isStored(sql`and invoice.erased_at is null`)}
    and not ${isOpen(sql`settled.source`, sql`settled.invoice_id`)}`,
);

/**
 * The invoices that were settled before this time, still contain personal data and are not open. The
 * confirmations say which: an index by time on `invoice` would cost the path all updates in place.
 */
export const outdatedInvoices = (db: Database, before: Date) => walk(outdated, db, before);

const forgotten = walkInvoices(
  sql`verdict = 'unknown_invoice' and state = 'done'`,
  sql`not ${isStored(sql``)} and (select event.id from event
    where event.source = settled.source and event.id = ${paidEventId(sql`settled.invoice_id`)}) is null`,
);

/** The confirmations that were found unknown before this time and have neither invoice nor event. */
export const forgottenConfirmations = (db: Database, before: Date) => walk(forgotten, db, before);
