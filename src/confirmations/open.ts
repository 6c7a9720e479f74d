import { type Kysely, type RawBuilder, sql } from "kysely";
import { boolean, type Columns, tableOf, text, uuid } from "../database/columns.ts";
import type { Tables } from "../database/tables.ts";
import { type ConfirmationKey, distinctKeys, type OpenedBy, type Priority } from "./confirmation.ts";
import { coalescedTraceparents } from "./traceparents.ts";

export interface OpeningOptions {
  openedBy: OpenedBy;
  priority: Priority;
}

/** What a new confirmation begins with, as expressions over `asked`. */
export interface Beginning {
  /** Whether its answer is only recorded; false when left out. */
  recordOnly?: RawBuilder<unknown>;
  /** The state that a new confirmation begins in; due when left out. */
  born?: Born;
}

/** The columns of a new confirmation's state. */
export interface Born {
  state: RawBuilder<unknown>;
  leaseToken: RawBuilder<unknown>;
  claimedUntil: RawBuilder<unknown>;
}

export interface ToOpen extends ConfirmationKey {
  /** Record what the provider answers and publish nothing; any later opening without this revokes it. */
  recordOnly?: boolean;
}

/** What is asked for, by which address, in which callback, and in which traces. */
export type Asked = ConfirmationKey & {
  sender: string | null;
  callbackId: string | null;
  traceparents: string | null;
};

const DUE: Born = { state: sql`'due'`, leaseToken: sql`null::uuid`, claimedUntil: sql`null::timestamptz` };

export const ASKED: Columns<Asked> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  source: text(({ source }) => source),
  sender: text(({ sender }) => sender),
  callback_id: uuid(({ callbackId }) => callbackId),
  traceparents: text(({ traceparents }) => traceparents),
};

/**
 * The one statement that opens confirmations. Those for one invoice coalesce in its row, and its ladder
 * starts anew; what comes while the provider is being asked is counted in `requests` and asked again
 * afterwards (G6). What already waits for its turn keeps its place, and no index of its row changes. One that
 * was erased has a sender again, which is how what came since is found. Rows are locked in invoice order, so
 * that concurrent statements cannot deadlock.
 * @param asked a table `asked` of distinct confirmations.
 */
export function opening(
  asked: RawBuilder<unknown>,
  { openedBy, priority, recordOnly = sql`false`, born = DUE }: OpeningOptions & Beginning,
): RawBuilder<unknown> {
  return sql`
    insert into confirmation as known
      (invoice_id, source, sender, callback_id, traceparents, priority, record_only, opened_by, opened_at,
       requested_at, due_at, state, lease_token, claimed_until)
    select asked.invoice_id, asked.source, asked.sender, asked.callback_id, asked.traceparents, ${priority},
      ${recordOnly}, ${openedBy},
      clock_timestamp(), clock_timestamp(), clock_timestamp(),
      ${born.state}, ${born.leaseToken}, ${born.claimedUntil}
    from ${asked}
    order by asked.invoice_id, asked.source
    on conflict (invoice_id, source) do update set
      requests = known.requests + 1,
      callback_id = coalesce(excluded.callback_id, known.callback_id),
      sender = case when known.erased_at is null then known.sender else coalesce(excluded.sender, '') end,
      traceparents = ${coalescedTraceparents},
      attempt = 0,
      record_only = known.record_only and excluded.record_only,
      requested_at = clock_timestamp(),
      due_at = case known.state when 'claimed' then known.due_at
        when 'due' then least(known.due_at, clock_timestamp()) else clock_timestamp() end,
      state = case known.state when 'claimed' then 'claimed' else 'due' end,
      priority = case
        when excluded.priority = 'known' then 'known'
        when excluded.priority = 'replay' then
          case when known.state in ('due', 'claimed') then known.priority else 'replay' end
        when known.priority = 'replay' and known.verdict is distinct from 'unknown_invoice' then 'known'
        when known.priority = 'replay' then 'unknown'
        else known.priority
      end`;
}

const TO_OPEN: Columns<Asked & ToOpen> = {
  ...ASKED,
  record_only: boolean(({ recordOnly = false }) => recordOnly),
};

/**
 * Opens the confirmations; the caller is to wake the workers after the commit. A transaction calls it once:
 * the rows of a second call would be locked in no order with those of the first.
 */
export async function openConfirmations(
  db: Kysely<Tables>,
  toOpen: readonly ToOpen[],
  options: OpeningOptions,
): Promise<void> {
  if (toOpen.length === 0) return;
  const nobody = { sender: null, callbackId: null, traceparents: null };
  const asked = tableOf(
    "asked",
    TO_OPEN,
    distinctKeys(toOpen).map((one) => ({ ...one, ...nobody })),
  );
  await opening(asked, { ...options, recordOnly: sql`asked.record_only` }).execute(db);
}
