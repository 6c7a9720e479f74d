import { sql } from "kysely";
import { ALARM, type Alarm, type AlarmName, raiseLasting } from "../../../platform/alarms/index.ts";
import type { FailedCheck } from "../../../platform/config/index.ts";
import {
  boolean,
  bytea,
  type Columns,
  indexedText,
  json,
  nullable,
  returned,
  type Slots,
  Statement,
  text,
  time,
  uuid,
} from "../../../platform/database/index.ts";
import { takenKeyOf } from "../../../platform/errors/index.ts";
import { joinHealthySource } from "../../../platform/upstreams/index.ts";
import { type Lease, leaseEnd } from "../../../platform/worker/index.ts";
import {
  ASKED,
  type ConfirmationRequest,
  type InitialState,
  namesErased,
  noInvoiceIsKnown,
  openAsked,
} from "../../confirm/index.ts";

/** A callback as it came in: its secrets already masked, its bytes untouched. */
export interface IncomingCallback {
  source: string;
  method: string;
  /** Without query, the token masked. */
  path: string;
  /** As it was in the URL, without the `?`. */
  query: string;
  headers: [name: string, value: string][];
  /** The bytes as received. */
  body: Buffer;
  remoteAddress: string | null;
  reference: string | null;
  invoiceIds: string[];
  /** The other UUIDs in it, lower case, distinct: what erasing finds it by; nothing is asked about them. */
  alsoNamed: string[];
  foundBy: string | null;
  /** null when the ids are to be asked for. */
  verdict: "unreadable" | "ping" | "refused" | null;
  /** The check of its source that it failed, of a refused one. */
  failedCheck: FailedCheck | null;
  /** Of its request; null while tracing is off. */
  traceparent: string | null;
  /** Alarms about its sender, kept in the same commit (every change of state is notified, G13). */
  raises: readonly Alarm[];
}

export type CallbackRow = IncomingCallback & { id: string; receivedAt: Date };

interface Batch {
  rows: readonly CallbackRow[];
  asked: readonly ConfirmationRequest[];
  /** About their senders (G13). */
  alarms?: readonly Alarm[];
}

type RequestWithHandoff = ConfirmationRequest & { isDispatched: boolean };

interface HandoffBatch extends Batch {
  asked: readonly RequestWithHandoff[];
  leaseToken: string;
  lease: Lease;
}

const COLUMNS: Columns<CallbackRow> = {
  id: uuid((row) => row.id),
  received_at: time((row) => row.receivedAt),
  source: text((row) => row.source),
  method: text((row) => row.method),
  path: text((row) => row.path),
  query: text((row) => row.query),
  reference: indexedText((row) => row.reference),
  remote_address: text((row) => row.remoteAddress),
  found_by: text((row) => row.foundBy),
  verdict: text((row) => row.verdict),
  failed_check: text((row) => row.failedCheck),
  headers: json((row) => JSON.stringify(row.headers)),
  body: bytea((row) => row.body),
  // unnest would flatten an array of arrays.
  ids: text((row) => `{${row.invoiceIds.join(",")}}`),
  also_named: text(({ alsoNamed }) => (alsoNamed.length === 0 ? null : `{${alsoNamed.join(",")}}`)),
};

/** Of a callback that names an erased invoice, the digest stands for everything that may name a person. */
const insertCallbacks = <Given extends Batch>({ table }: Slots<Given>) => sql`
  insert into callback
    (id, received_at, source, method, found_by, verdict, failed_check, invoice_ids, also_named, erased_at,
     erased_digest, path, query, reference, remote_address, headers, body)
  select id, received_at, source, method, found_by, verdict, failed_check, ids::uuid[], also_named::uuid[],
    case when is_erased then clock_timestamp() end,
    case when is_erased then encode(sha256(body), 'hex') end,
    case when is_erased then '' else path end, case when is_erased then '' else query end,
    case when not is_erased then reference end, case when not is_erased then remote_address end,
    case when is_erased then '[]' else headers end, case when is_erased then '' else body end
  from ${table("incoming", COLUMNS, ({ rows }) => rows)}
  cross join lateral (select ${namesErased(sql`ids::uuid[] || also_named::uuid[]`)} as is_erased) as mark`;

/**
 * The callback is there already: an earlier commit whose outcome was unknown went through. Not "on conflict": for
 * that Postgres would log 48 bytes more for each callback.
 */
export const isRecorded = (error: unknown): boolean => /^callback_\w+_pkey$/.test(takenKeyOf(error));

const OPENING = { openedBy: "callback", priority: "unknown" } as const;

/** An open alarm is touched this often at most, in ms, however many callbacks raise it again. */
const TOUCH_EVERY_MS = 10_000;

/** @returns the alarms that it raised. */
export const appendAndOpen = new Statement(
  {
    name: returned.text<AlarmName>(),
    source: returned.text(),
    subject: returned.text(),
    detail: returned.text(),
    isNew: returned.boolean,
  },
  (slots: Slots<Batch>) => {
    const asked = slots.table("asked", ASKED, (batch) => batch.asked);
    const alarms = slots.table("alarm", ALARM, ({ alarms = [] }) => alarms);
    const raised = raiseLasting(sql`select * from ${alarms}`, TOUCH_EVERY_MS);
    return sql`
      with logged as (${insertCallbacks(slots)}),
      ${openAsked(asked, OPENING)},
      raised as (${raised} returning name, source, subject, detail, xmax = 0 as is_new)
      select name, source, subject, detail, is_new as "isNew" from raised`;
  },
);

const TO_DISPATCH: Columns<RequestWithHandoff> = {
  ...ASKED,
  is_dispatched: boolean(({ isDispatched }) => isDispatched),
};

/**
 * Claims confirmations for dispatch in the commit that opens them, by the same rules as a claim. A
 * confirmation that was asked before, or about a known invoice, waits for a claim, which reads the invoice.
 */
export const appendAndDispatch = new Statement(
  {
    invoiceId: returned.uuid,
    source: returned.text(),
    traceparents: nullable(returned.text()),
    erased: returned.boolean,
    askedAt: returned.time,
  },
  (slots: Slots<HandoffBatch>) => {
    const token = slots.value(({ leaseToken }) => leaseToken);
    const whenDispatched = (value: ReturnType<typeof sql>) =>
      sql`case when source.name is not null then ${value} end`;
    const born: InitialState = {
      state: sql`case when source.name is null then 'due' else 'claimed' end`,
      askedAt: whenDispatched(sql`clock_timestamp()`),
      leaseToken: whenDispatched(sql`${token}::uuid`),
      claimedUntil: whenDispatched(sql`${leaseEnd(slots.value(({ lease }) => lease.ms))}`),
    };
    const asked = sql`${slots.table("asked", TO_DISPATCH, (batch) => batch.asked)}
      ${joinHealthySource(sql`asked.source`)} and asked.is_dispatched and ${noInvoiceIsKnown}`;
    return sql`
      with logged as (${insertCallbacks(slots)}),
      ${openAsked(asked, { ...OPENING, born })}
      select invoice_id as "invoiceId", source, traceparents, erased_at is not null as erased,
        clock_timestamp() as "askedAt"
      from opened where lease_token = ${token}::uuid`;
  },
);

/**
 * The distinct requests of the callbacks of one commit; of the same request the first is traced.
 * Pure.
 */
export function distinctRequests(rows: readonly CallbackRow[]): ConfirmationRequest[] {
  const asked = new Map<string, ConfirmationRequest>();
  for (const { id, verdict, invoiceIds, source, traceparent } of rows) {
    if (verdict !== null) continue;
    for (const invoiceId of invoiceIds) {
      const key = `${invoiceId} ${source}`;
      const traceparents = asked.get(key)?.traceparents ?? traceparent;
      asked.set(key, { invoiceId, source, callbackId: id, traceparents });
    }
  }
  return [...asked.values()];
}
