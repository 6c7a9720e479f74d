import { sql } from "kysely";
import { ASKED, type Asked, type Born, opening } from "../confirmations/open.ts";
import { ALARM, type Alarm, type AlarmName, raisingWhatLasts } from "../database/alarms.ts";
import { boolean, bytea, type Columns, json, text, time, uuid } from "../database/columns.ts";
import { leaseEnd } from "../database/leased-rows.ts";
import { nullable, returned, type Slots, Statement } from "../database/statement.ts";
import { noInvoiceIsKnown } from "../payments/known-invoice.ts";
import { joiningWellSource } from "../upstreams/upstream-kind.ts";
import type { IncomingCallback } from "./callback-log.ts";

export type CallbackRow = IncomingCallback & { id: string; receivedAt: Date };

/** Callbacks, and the distinct confirmations that they open. */
interface Batch {
  rows: readonly CallbackRow[];
  asked: readonly Asked[];
}

/** A confirmation, and whether it is claimed as it is opened. */
type AskedWithHandoff = Asked & { handOver: boolean };

interface HandoffBatch extends Batch {
  asked: readonly AskedWithHandoff[];
  leaseToken: string;
  leaseMs: number;
}

const COLUMNS: Columns<CallbackRow> = {
  id: uuid((row) => row.id),
  received_at: time((row) => row.receivedAt),
  source: text((row) => row.source),
  method: text((row) => row.method),
  path: text((row) => row.path),
  query: text((row) => row.query),
  reference: text((row) => row.reference),
  remote_address: text((row) => row.remoteAddress),
  found_by: text((row) => row.foundBy),
  verdict: text((row) => row.verdict),
  cut: json(({ cut }) => (cut === null ? null : JSON.stringify(cut))),
  headers: json((row) => JSON.stringify(row.headers)),
  body: bytea((row) => row.body),
  // unnest would flatten an array of arrays.
  ids: text((row) => `{${row.invoiceIds.join(",")}}`),
};

const appending = <Given extends Batch>({ table }: Slots<Given>) => sql`
  insert into callback
    (id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, cut, headers,
     body, invoice_ids)
  select id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, cut,
    headers, body, ids::uuid[]
  from ${table("incoming", COLUMNS, ({ rows }) => rows)}
  on conflict do nothing`;

const OPENING = { openedBy: "callback", priority: "unknown" } as const;

export const append = new Statement({}, (slots: Slots<Batch>) => appending(slots));

export const appendAndOpen = new Statement({}, (slots: Slots<Batch>) => {
  const asked = slots.table("asked", ASKED, (batch) => batch.asked);
  return sql`with logged as (${appending(slots)}) ${opening(asked, OPENING)}`;
});

interface AlarmingBatch extends Batch {
  alarms: readonly Alarm[];
}

/** An open alarm is touched this often at most, in ms, however many callbacks raise it again. */
const TOUCH_EVERY_MS = 10_000;

/** With the alarms about their senders (G13); for the few batches that have any. */
export const appendAndAlarm = new Statement(
  {
    name: returned.text<AlarmName>(),
    source: returned.text(),
    subject: returned.text(),
    detail: returned.text(),
    isNew: returned.boolean,
  },
  (slots: Slots<AlarmingBatch>) => {
    const asked = slots.table("asked", ASKED, (batch) => batch.asked);
    const alarms = slots.table("alarm", ALARM, (batch) => batch.alarms);
    const raised = raisingWhatLasts(sql`select * from ${alarms}`, TOUCH_EVERY_MS);
    return sql`
      with logged as (${appending(slots)}),
      opened as (${opening(asked, OPENING)}),
      raised as (${raised} returning name, source, subject, detail, xmax = 0 as is_new)
      select name, source, subject, detail, is_new as "isNew" from raised`;
  },
);

const TO_HAND_OVER: Columns<AskedWithHandoff> = { ...ASKED, hand_over: boolean(({ handOver }) => handOver) };

/**
 * Claims what is handed over in the commit that opens it, by the same rules as a claim. A confirmation that
 * was asked before, or about an invoice that is known, waits for a claim, which reads what is known of it.
 */
export const appendAndHandOver = new Statement(
  {
    invoiceId: returned.uuid,
    source: returned.text(),
    traceparents: nullable(returned.text()),
    askedAt: returned.time,
  },
  (slots: Slots<HandoffBatch>) => {
    const token = slots.value(({ leaseToken }) => leaseToken);
    const whenHandedOver = (value: ReturnType<typeof sql>) =>
      sql`case when source.name is not null then ${value} end`;
    const born: Born = {
      state: sql`case when source.name is null then 'due' else 'claimed' end`,
      leaseToken: whenHandedOver(sql`${token}::uuid`),
      claimedUntil: whenHandedOver(sql`${leaseEnd(slots.value(({ leaseMs }) => leaseMs))}`),
    };
    const asked = sql`${slots.table("asked", TO_HAND_OVER, (batch) => batch.asked)}
      ${joiningWellSource(sql`asked.source`)} and asked.hand_over and ${noInvoiceIsKnown}`;
    return sql`
      with logged as (${appending(slots)}),
      opened as (${opening(asked, { ...OPENING, born })}
        returning invoice_id, source, traceparents, lease_token)
      select invoice_id as "invoiceId", source, traceparents, clock_timestamp() as "askedAt"
      from opened where lease_token = ${token}::uuid`;
  },
);
