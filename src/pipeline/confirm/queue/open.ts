import { type RawBuilder, sql } from "kysely";
import {
  boolean,
  type Columns,
  command,
  type Database,
  tableOf,
  text,
  uuid,
} from "../../../platform/database/index.ts";
import type { ConfirmationKey, OpenedBy, Priority } from "./confirmation.ts";

interface OpeningOptions {
  openedBy: OpenedBy;
  priority: Priority;
}

/** The columns of a new confirmation's state, as expressions over `asked`. */
export interface InitialState {
  state: RawBuilder<unknown>;
  askedAt: RawBuilder<unknown>;
  leaseToken: RawBuilder<unknown>;
  claimedUntil: RawBuilder<unknown>;
}

export interface ToOpen extends ConfirmationKey {
  /** Record what the provider answers and publish nothing; any later opening without this revokes it. */
  recordOnly?: boolean;
}

/** The invoice to ask for, the callback that asks, and its trace. */
export type ConfirmationRequest = ConfirmationKey & {
  callbackId: string | null;
  traceparents: string | null;
};

const DUE: InitialState = {
  state: sql`'due'`,
  askedAt: sql`null::timestamptz`,
  leaseToken: sql`null::uuid`,
  claimedUntil: sql`null::timestamptz`,
};

/** Requests that come this soon after an ask share the next one. */
const SHARED_FOR = sql.lit("2 s");

/**
 * When a request for the confirmation `known` is to be answered: at once, unless the provider has just been
 * asked, so that a repeated callback costs one further ask at the end of that time.
 */
export const nextAsk: RawBuilder<unknown> = sql`
  greatest(known.asked_at + ${SHARED_FOR}::interval, clock_timestamp())`;

export const ASKED: Columns<ConfirmationRequest> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  source: text(({ source }) => source),
  callback_id: uuid(({ callbackId }) => callbackId),
  traceparents: text(({ traceparents }) => traceparents),
};

/** The `traceparents` of a confirmation: that of the callback that opened it; null while tracing is off. */
const keptTraceparent: RawBuilder<unknown> = sql`
  case when known.state in ('done', 'dead') then excluded.traceparents
    else coalesce(known.traceparents, excluded.traceparents) end`;

/**
 * The part of a statement that opens confirmations, the rows of `opened`. Requests for one invoice coalesce
 * in its row, and its retry schedule starts anew. A request that comes while the provider is being asked is
 * counted in `requests` and asked again afterwards (newer wins, G6). A row that already waits for its turn
 * keeps its time, which changes no index of the row, or gets a sooner one. A confirmation of an erased
 * invoice is marked as it is opened. Rows are locked in invoice order, so that concurrent statements cannot
 * deadlock.
 * @param asked a table `asked` of distinct confirmations.
 * @param options.recordOnly an expression over `asked`: its answer is only recorded.
 */
export function openAsked(
  asked: RawBuilder<unknown>,
  {
    openedBy,
    priority,
    recordOnly = sql`false`,
    born = DUE,
  }: OpeningOptions & { recordOnly?: RawBuilder<unknown>; born?: InitialState },
): RawBuilder<unknown> {
  return sql`
    opened as (insert into confirmation as known
      (invoice_id, source, callback_id, traceparents, priority, record_only, opened_by, opened_at,
       open_since, requested_at, due_at, state, asked_at, lease_token, claimed_until, erased_at)
    select asked.invoice_id, asked.source, asked.callback_id, asked.traceparents, ${priority}, ${recordOnly}, ${openedBy},
      clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp(),
      ${born.state}, ${born.askedAt}, ${born.leaseToken}, ${born.claimedUntil},
      (select erased_at from erased_invoice as mark where mark.id = asked.invoice_id)
    from ${asked}
    order by asked.invoice_id, asked.source
    on conflict (invoice_id, source) do update set
      requests = known.requests + 1,
      callback_id = coalesce(excluded.callback_id, known.callback_id),
      traceparents = ${keptTraceparent},
      attempt = 0,
      record_only = known.record_only and excluded.record_only,
      open_since = coalesce(known.open_since, clock_timestamp()),
      requested_at = clock_timestamp(),
      due_at = case known.state when 'claimed' then known.due_at
        when 'due' then least(known.due_at, ${nextAsk}) else ${nextAsk} end,
      state = case known.state when 'claimed' then 'claimed' else 'due' end,
      priority = case
        when excluded.priority = 'known' then 'known'
        when excluded.priority = 'replay' then
          case when known.state in ('due', 'claimed') then known.priority else 'replay' end
        when known.priority = 'replay' and known.verdict is distinct from 'unknown_invoice' then 'known'
        when known.priority = 'replay' then 'unknown'
        else known.priority
      end
      returning invoice_id, source, traceparents, lease_token, erased_at)`;
}

const TO_OPEN: Columns<ConfirmationRequest & ToOpen> = {
  ...ASKED,
  record_only: boolean(({ recordOnly = false }) => recordOnly),
};

const openAll = command((toOpen: readonly (ConfirmationRequest & ToOpen)[], options: OpeningOptions) => {
  const asked = tableOf("asked", TO_OPEN, toOpen);
  return sql`with ${openAsked(asked, { ...options, recordOnly: sql`asked.record_only` })} select where false`;
}, []);

/**
 * Opens the confirmations; the caller is to wake the workers after the commit. A transaction calls it once:
 * the rows of a second call would be locked in no order with those of the first.
 */
export async function openConfirmations(
  db: Database,
  toOpen: readonly ToOpen[],
  options: OpeningOptions,
): Promise<void> {
  if (toOpen.length === 0) return;
  const nobody = { callbackId: null, traceparents: null };
  const distinct = new Map(toOpen.map((one) => [`${one.invoiceId} ${one.source}`, { ...one, ...nobody }]));
  await openAll(db, [...distinct.values()], options);
}

/** A list's text about an invoice when it was asked about, as a digest. */
interface NotedListing {
  invoiceId: string;
  digest: string | null;
}

const NOTED: Columns<NotedListing> = {
  invoice_id: uuid(({ invoiceId }) => invoiceId),
  digest: text(({ digest }) => digest),
};

/** Notes what each confirmation was opened for, in the transaction that opens them. */
export const noteListed = command(
  (source: string, listed: readonly NotedListing[]) => sql`
    update confirmation set listed_digest = noted.digest from ${tableOf("noted", NOTED, listed)}
    where confirmation.source = ${source} and confirmation.invoice_id = noted.invoice_id`,
  "",
  [],
);
