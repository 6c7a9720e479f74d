import { sql } from "kysely";
import { boolean, bytea, type Columns, json, text, time, uuid } from "../database/columns.ts";
import { sourceIsOpen } from "../database/source-is-open.ts";
import { type Slots, Statement } from "../database/statement.ts";
import type { IncomingCallback } from "./callback-log.ts";
import { type Born, openingStatement, QUESTION, type Question } from "./open-questions.ts";
import type { HandedQuestion } from "./question-taker.ts";

export type CallbackRow = IncomingCallback & { id: string; receivedAt: Date };

/** Callbacks, and the distinct questions that they open. */
interface Batch {
  rows: readonly CallbackRow[];
  questions: readonly Question[];
}

/** A question, and whether it is to be claimed from its first moment on. */
type Asked = Question & { handOver: boolean };

interface HandedBatch extends Batch {
  questions: readonly Asked[];
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
  // unnest would take an array of arrays apart to its last element.
  ids: text((row) => `{${row.invoiceIds.join(",")}}`),
};

const appending = <Given extends Batch>({ table }: Slots<Given>) => sql`
  insert into callback
    (id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, cut, headers, body, invoice_ids)
  select id, received_at, source, method, path, query, reference, remote_address, found_by, verdict, cut, headers, body, ids::uuid[]
  from ${table("incoming", COLUMNS, ({ rows }) => rows)}
  on conflict do nothing`;

const ASKED: Columns<Asked> = { ...QUESTION, hand_over: boolean(({ handOver }) => handOver) };

const OPENING = { openedBy: "callback", lane: "unknown" } as const;

export const APPEND = new Statement<Batch, unknown>(appending);

export const APPEND_AND_ASK = new Statement<Batch, unknown>((slots) => {
  const asked = slots.table("asked", QUESTION, ({ questions }) => questions);
  return sql`with logged as (${appending(slots)}) ${openingStatement(asked, OPENING)}`;
});

/**
 * Claims what is handed over in the commit that opens it, by the same rules as a claim. A question that was asked
 * before, or about an invoice that is known, waits for a claim, which reads what is known of it.
 * @returns what is claimed.
 */
export const APPEND_AND_HAND_OVER = new Statement<HandedBatch, Omit<HandedQuestion, "leaseToken">>(
  (slots) => {
    const token = slots.value(({ leaseToken }) => leaseToken);
    const leaseMs = slots.value(({ leaseMs: ms }) => ms);
    const born: Born = {
      state: sql`case when source.name is null then 'due' else 'claimed' end`,
      leaseToken: sql`case when source.name is not null then ${token}::uuid end`,
      claimedUntil: sql`case when source.name is not null then clock_timestamp() + ${leaseMs}::float8 * interval '1 ms' end`,
    };
    // Not "not exists": Postgres would join with all invoices.
    const asked = sql`${slots.table("asked", ASKED, ({ questions }) => questions)}
      left join source on source.name = asked.source and asked.hand_over and ${sourceIsOpen}
        and (select invoice.id from invoice where invoice.id = asked.invoice_id) is null`;
    return sql`
      with logged as (${appending(slots)}),
      opened as (${openingStatement(asked, { ...OPENING, born })} returning invoice_id, source, lease_token)
      select invoice_id as "invoiceId", source, clock_timestamp() as "askedAt" from opened where lease_token = ${token}::uuid`;
  },
);
