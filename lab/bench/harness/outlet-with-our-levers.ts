import { hash } from "node:crypto";
import { sql } from "kysely";
import {
  EVENT,
  INVOICE,
  insertHeldEvents,
  insertInvoices,
  insertSnapshots,
  replaceInvoices,
} from "../../../src/confirm/answer-statement.ts";
import { GroupCommit } from "../../../src/database/group-commit.ts";
import {
  bytea,
  type Columns,
  nullable,
  returned,
  type Slots,
  Statement,
  text,
  uuid,
} from "../../../src/database/statement.ts";
import type { Database } from "../../../src/database/tables.ts";
import type { JobOutlet, Paid } from "./callback-job.ts";
import { type Accepted, PublishBatcher } from "./publish-batcher.ts";
import { TOPIC_ARN } from "./sample-payment.ts";

type Row = Paid & { handTo: null };

interface Storing {
  paid: readonly Row[];
}

interface Publishing {
  accepted: readonly Accepted[];
}

// Whether it is news is found out by the statement: no claim read what is known.
const { newest: _newest, differs: _differs, ...ANSWER } = INVOICE;
const PAID: Columns<Row> = { invoice_id: uuid(({ invoiceId }) => invoiceId), ...ANSWER, ...EVENT };

const STORED = {
  invoiceId: returned.uuid,
  isAccepted: returned.boolean,
  /** What an earlier try has logged. */
  payload: nullable(returned.text()),
};

/** Verdict, invoice, snapshot and event of many jobs in one statement, made of the relay's own parts. */
const STORE = new Statement(STORED, ({ table }: Slots<Storing>) => {
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
    snapshots as (${insertSnapshots}),
    replaced as (${replaceInvoices}),
    stored as (${insertInvoices}),
    logged as (${insertHeldEvents})
    select held.invoice_id as "invoiceId",
      exists (select from publication
        where publication.source = held.source and publication.event_id = held.event_id) as "isAccepted",
      event.payload
    from held left join event on event.source = held.source and event.id = held.event_id`;
});

const ACCEPTED: Columns<Accepted> = {
  event_id: uuid(({ event }) => event.id),
  message_id: text(({ messageId }) => messageId),
  digest: bytea(({ event }) => hash("sha256", event.payload, "buffer")),
};

const PUBLISHED = new Statement({ accepted: returned.count }, ({ table }: Slots<Publishing>) => {
  const accepted = table("accepted", ACCEPTED, (given) => given.accepted);
  return sql`
    with kept as (
      insert into publication (source, event_id, topic_arn, message_id, digest)
      select 'default', event_id, ${sql.lit(TOPIC_ARN)}, message_id, digest from ${accepted}
      returning 1)
    select count(*) as accepted from kept`;
});

export interface LeverOptions {
  db: Database;
  snsUrl: string;
  /** Jobs side by side share their commits and PublishBatch calls; else each has its own, at once. */
  shared: boolean;
}

/** How long an event waits for others to share its PublishBatch, in ms. */
const LINGER_MS = 5;

/**
 * All that makes the relay fast and a job queue can have: shared statements, binary columns, shared
 * PublishBatches.
 */
export function outletWithOurLevers({ db, snsUrl, shared }: LeverOptions): JobOutlet {
  const write = async (jobs: readonly StoringJob[]) => {
    const paid = jobs.map((job) => ({ ...job.paid, handTo: null }));
    const rows = await STORE.execute(db, { paid });
    const stored = new Map(rows.map((row) => [row.invoiceId, row]));
    for (const job of jobs) {
      const row = stored.get(job.paid.invoiceId);
      job.unsent = row?.isAccepted === true ? null : (row?.payload ?? job.paid.event.payload);
    }
  };
  const commits = new GroupCommit<StoringJob>({
    write,
    maxBatch: 128,
    maxInFlight: 2,
    maxWaiting: Number.POSITIVE_INFINITY,
  });
  const batcher = new PublishBatcher({
    snsUrl,
    lingerMs: shared ? LINGER_MS : 0,
    onAccepted: async (accepted) => void (await PUBLISHED.execute(db, { accepted })),
  });
  return {
    store: async (paid) => {
      const job: StoringJob = { paid, unsent: null };
      await (shared ? commits.add(job) : write([job]));
      return job.unsent;
    },
    publish: async (event) => {
      const outcome = await batcher.publish(event);
      if (outcome.kind !== "accepted") throw new Error(outcome.error);
    },
  };
}

interface StoringJob {
  paid: Paid;
  /** The payload to be sent; null when SNS has it already. */
  unsent: string | null;
}
