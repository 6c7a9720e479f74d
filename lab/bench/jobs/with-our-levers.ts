import { hash } from "node:crypto";
import { sql } from "kysely";
import * as steps from "../../../src/pipeline/confirm/answer-statement.ts";
import { type OutgoingEvent, SnsDestination } from "../../../src/pipeline/publish/sns-destination.ts";
import { type Database, GroupCommit } from "../../../src/platform/database/index.ts";
import * as columns from "../../../src/platform/database/statement.ts";
import { TOPIC_ARN } from "../harness/payment.ts";
import type { JobOutlet, Paid } from "./queue-job.ts";

type Row = Paid & { handTo: null };
interface Accepted {
  event: OutgoingEvent;
  messageId: string;
}

// Whether it is news is found out by the statement: no claim read what is known.
const { newest: _newest, differs: _differs, ...ANSWER } = steps.INVOICE;
const PAID: columns.Columns<Row> = {
  invoice_id: columns.uuid(({ invoiceId }) => invoiceId),
  ...ANSWER,
  ...steps.EVENT,
};

const STORED = {
  invoiceId: columns.returned.uuid,
  isAccepted: columns.returned.boolean,
  /** What an earlier try has logged. */
  payload: columns.nullable(columns.returned.text()),
};

/** Verdict, invoice, snapshot and event of many jobs in one statement, made of the relay's own parts. */
const STORE = new columns.Statement(STORED, ({ table }: columns.Slots<{ paid: readonly Row[] }>) => {
  const paid = table("paid", PAID, (given) => given.paid);
  return sql`
    with held as materialized (
      select paid.*, 'default' as source, null::timestamptz as erased_at,
        known.digest is distinct from paid.digest as differs,
        coalesce(paid.modified_at >= known.modified_at, true) as newest, known.id is not null as is_stored
      from ${paid} left join invoice as known on known.source = 'default' and known.id = paid.invoice_id
      order by paid.invoice_id),
    verdicts as (
      insert into confirmation
        (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at, settled_at, state, verdict)
      select invoice_id, source, 'known', 'callback', clock_timestamp(), clock_timestamp(), clock_timestamp(),
        clock_timestamp(), 'done', 'paid'
      from held order by invoice_id
      on conflict (invoice_id, source) do update set
        state = 'done', verdict = 'paid', priority = 'known', settled_at = clock_timestamp()),
    snapshots as (${steps.insertSnapshots}),
    replaced as (${steps.replaceInvoices}),
    stored as (${steps.insertInvoices}),
    logged as (${steps.insertEventsOnHold})
    select held.invoice_id as "invoiceId",
      exists (select from publication
        where publication.source = held.source and publication.event_id = held.event_id) as "isAccepted",
      event.payload
    from held left join event on event.source = held.source and event.id = held.event_id`;
});

const ACCEPTED: columns.Columns<Accepted> = {
  event_id: columns.uuid(({ event }) => event.id),
  message_id: columns.text(({ messageId }) => messageId),
  digest: columns.bytea(({ event }) => hash("sha256", event.payload, "buffer")),
};

const KEEP = new columns.Statement(
  { accepted: columns.returned.count },
  ({ table }: columns.Slots<{ accepted: readonly Accepted[] }>) => sql`
    with kept as (
      insert into publication (source, event_id, topic_arn, message_id, digest)
      select 'default', event_id, ${sql.lit(TOPIC_ARN)}, message_id, digest
      from ${table("accepted", ACCEPTED, ({ accepted }) => accepted)}
      returning 1)
    select count(*) as accepted from kept`,
);

/** As many PublishBatches under way as the relay allows itself. */
const BATCHES_IN_FLIGHT = 8;

/**
 * All that makes the relay fast and a job queue can have: shared statements, binary columns, shared
 * PublishBatches.
 * @param alone one job at a time: none waits for others.
 */
export function outletWithOurLevers(db: Database, snsUrl: string, alone: boolean): JobOutlet {
  const connections = BATCHES_IN_FLIGHT;
  const options = { region: "us-east-1", endpoint: snsUrl, connections, timeoutMs: 10_000 };
  const destination = new SnsDestination(options);
  const unlimited = { maxWaiting: Number.POSITIVE_INFINITY };
  const stores = new GroupCommit<{ paid: Paid; unsent: string | null }>({
    ...{ ...unlimited, maxBatch: 128, maxInFlight: 2 },
    async write(jobs) {
      const rows = await STORE.execute(db, { paid: jobs.map(({ paid }) => ({ ...paid, handTo: null })) });
      const stored = new Map(rows.map((row) => [row.invoiceId, row]));
      for (const job of jobs) {
        const row = stored.get(job.paid.invoiceId);
        job.unsent = row?.isAccepted === true ? null : (row?.payload ?? job.paid.event.payload);
      }
    },
  });
  const publishes = new GroupCommit<{ event: OutgoingEvent; error: string | null }>({
    ...{ ...unlimited, maxBatch: destination.batchSize, maxInFlight: BATCHES_IN_FLIGHT },
    lingerMs: alone ? 0 : 5,
    async write(jobs) {
      const answer = await destination.send(
        TOPIC_ARN,
        jobs.map(({ event }) => event),
      );
      const entries = answer.kind === "answered" ? answer.entries : [];
      const accepted = jobs.flatMap((job, place): Accepted[] => {
        const entry = entries[place];
        job.error = entry?.kind === "accepted" ? null : (entry?.error ?? "no outcome");
        return entry?.kind === "accepted" ? [{ event: job.event, messageId: entry.messageId }] : [];
      });
      // Accepted and not written down: published again later, with the same id.
      if (accepted.length > 0) await KEEP.execute(db, { accepted });
    },
  });
  return {
    async store(paid) {
      const job = { paid, unsent: null };
      await stores.add(job);
      return job.unsent;
    },
    async publish(event) {
      const job = { event, error: null };
      await publishes.add(job);
      if (job.error !== null) throw new Error(job.error);
    },
  };
}
