import { randomUUID } from "node:crypto";
import type { Certificate, Difference, Totals } from "../../../src/reconcile/certificate/certificate.ts";
import type { BenchDatabase } from "./bench-database.ts";

/** What waits for people in a large company, on top of a filled history. */
export const TROUBLES = {
  deadLetters: 1_000,
  quarantined: 1_000,
  refused: 10_000,
  anomalies: 1_000,
  audited: 100_000,
};

const DAY_MS = 86_400_000;
const DAYS = 365;
const COVERED_DAYS = 35;
const PAID_A_DAY = 27_000;

/** As many as a certificate names. */
const GAPS = 10_000;

const some = (order: "asc" | "desc") =>
  `(select invoice_id, source from confirmation order by md5(invoice_id::text) ${order} limit $1)`;
const IS_CHOSEN = "confirmation.invoice_id = chosen.invoice_id and confirmation.source = chosen.source";

/** Dead letters, quarantine, refused callbacks, alarms, audit entries, and a year of daily certificates. */
export async function fillTroubles({ query }: BenchDatabase): Promise<void> {
  const { deadLetters, quarantined, refused, anomalies, audited } = TROUBLES;
  await query(
    `update confirmation
     set state = 'dead', verdict = 'pending', attempt = 8, last_error = 'The answer is about another id'
     from ${some("asc")} as chosen where ${IS_CHOSEN}`,
    [deadLetters],
  );
  await query(
    `update confirmation set verdict = 'quarantined', last_error = 'Its collection is not in COLLECTION_IDS'
     from ${some("desc")} as chosen where ${IS_CHOSEN}`,
    [quarantined],
  );
  await query(
    `insert into callback
       (id, received_at, source, method, path, query, remote_address, verdict, invoice_ids, headers, body)
     select gen_random_uuid(), now() - n * interval '50 minutes', 'default', 'POST', '/callbacks/***', '',
       '203.0.113.9', 'refused', '{}', '[["Content-Type","application/json"]]',
       convert_to('{"data":{"status":"Paid"}}', 'UTF8')
     from generate_series(1, $1::int) as n`,
    [refused],
  );
  await query(
    `insert into alarm (name, source, subject, detail, raised_at)
     select 'invoice_anomaly', source, invoice_id::text, 'Its amount changed after payment', now()
     from ${some("asc")} as chosen`,
    [anomalies],
  );
  await query(
    `insert into audit_entry (at, actor, action, subject, detail)
     select now() - n * interval '5 minutes', 'admin:bench', 'dead.retry', gen_random_uuid()::text,
       '{"reason":"The provider is back"}' from generate_series($1::int, 1, -1) as n`,
    [audited],
  );
  await certifyEachDay(query);
  await query("vacuum analyze");
}

/** As the daily run keeps them: each over 35 days, the newest with gaps on its last day. */
async function certifyEachDay(query: BenchDatabase["query"]): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (let age = DAYS; age >= 1; age -= 1) {
    const certificate = certificateOf(new Date(today - age * DAY_MS), age === 1 ? GAPS : 0);
    await query(
      `insert into certificate (id, source, day, window_from, window_to, collection_ids, state, created_at,
         finished_at, result, gaps, differences, paid, stored, published, paid_amount, stored_amount,
         published_amount, document)
       values ($1, 'default', ($2::timestamptz at time zone 'UTC')::date, $3, $2::timestamptz, '{}', 'done',
         $2::timestamptz, $2::timestamptz, $4, $5, $5, $6, $6, $6, $7, $7, $7, $8)`,
      [
        ...[certificate.id, certificate.to, certificate.from, certificate.result, certificate.gaps],
        ...[certificate.total.paid.count, certificate.total.paid.amount, JSON.stringify(certificate)],
      ],
    );
  }
  await query(
    `insert into certified_day (certificate_id, begins_at, ends_at, day, gaps, source, time_zone, result, counted)
     select distinct on (day) id, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC', day,
       (counted -> 'missing' ->> 'count')::integer, source, 'UTC',
       case when (counted -> 'missing' ->> 'count')::integer > 0 then 'not_equal' else 'equal' end, counted
     from certificate, json_array_elements(document -> 'days') as counted,
       lateral (select (counted ->> 'day')::date as day) as its
     order by day, finished_at desc`,
  );
}

function certificateOf(end: Date, gaps: number): Certificate {
  const from = new Date(end.getTime() - COVERED_DAYS * DAY_MS);
  const dayAt = (n: number) => new Date(from.getTime() + n * DAY_MS).toISOString().slice(0, 10);
  const [day, whole] = [tallies(PAID_A_DAY), tallies(PAID_A_DAY * COVERED_DAYS)];
  const missing = { count: gaps, amount: `${(gaps * 151_125) / 100}.00` };
  return {
    id: randomUUID(),
    source: "default",
    result: gaps === 0 ? "equal" : "not_equal",
    refusals: [],
    scope: "source",
    collections: [{ id: randomUUID(), name: "Term 2" }],
    from: from.toISOString(),
    to: end.toISOString(),
    madeAt: end.toISOString(),
    basis: {
      listFirst: dayAt(0),
      listLast: dayAt(COVERED_DAYS - 1),
      lookbackDays: COVERED_DAYS,
      zone: "UTC",
      providerTimeZone: "UTC",
      paidStatuses: ["Paid"],
      begunAt: end.toISOString(),
      provisional: true,
      pages: 20_000,
      listed: whole.paid.count,
      asked: 0,
      deep: false,
      firstServedAt: null,
    },
    days: Array.from({ length: COVERED_DAYS }, (_, n) => ({
      day: dayAt(n),
      ...(n === COVERED_DAYS - 1 ? { ...day, missing } : day),
    })),
    total: { ...whole, missing },
    currency: "NGN",
    foreign: { count: 0, amount: "0.00" },
    test: { count: 0, amount: "0.00" },
    gaps,
    differencesInAll: gaps,
    differences: Array.from({ length: gaps }, () => missingOn(dayAt(COVERED_DAYS - 1))),
  };
}

function tallies(count: number): Totals {
  const tally = { count, amount: `${(count * 151_125) / 100}.00` };
  const missing = { count: 0, amount: "0.00" };
  return { paid: tally, stored: tally, published: tally, missing, differences: 0 };
}

const missingOn = (day: string): Difference => ({
  invoiceId: randomUUID(),
  eventId: null,
  reason: "missing",
  detail: "Nobody ever asked about it: no callback named it, and no sweep has found it yet.",
  weight: "gap",
  day,
  amount: "1511.25",
});
