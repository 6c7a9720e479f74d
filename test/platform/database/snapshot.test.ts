import type { KyselyPlugin } from "kysely";
import { describe, expect, it } from "vitest";
import { readStatus, readTimeline, readVitalSigns } from "../../../src/operations/index.ts";
import type { Database } from "../../../src/platform/database/tables.ts";
import { addAlarm, addCallback, addConfirmation, withDatabase } from "../../support/log-rows.ts";
import type { Harness } from "../../support/relay.ts";

/** The same database, on which others make a change as soon as the first statement has been answered. */
function disturbed(db: Database, change: () => Promise<unknown>): Database {
  let changing: Promise<unknown> | undefined;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      changing ??= change();
      await changing;
      return result;
    },
  };
  return db.withPlugin(plugin);
}

const confirmationsLive = { sources: null, intervalMs: 60_000 };

const READERS: Record<string, (db: Database, invoiceId: string) => Promise<unknown>> = {
  "an invoice's timeline": async (db, id) => {
    const story = await readTimeline(db, id);
    return story && { ...story, at: null };
  },
  status: async (db) => {
    const { at: _, waiting: _ages, backlog, ...facts } = await readStatus(db, confirmationsLive);
    return { ...facts, confirmations: backlog.confirmations };
  },
  "the vital signs of /metrics": async (db) => {
    const { backlog, ...signs } = await readVitalSigns(db, { sources: [], topics: [] });
    return { ...signs, confirmations: backlog.confirmations };
  },
};

async function deadLetter(harness: Harness): Promise<string> {
  const { invoiceId = "" } = await addCallback(harness, {});
  await addConfirmation(harness, { invoice_id: invoiceId, state: "dead", verdict: "pending" });
  await addAlarm(harness, "confirmation_dead", invoiceId);
  return invoiceId;
}

/** What a retry and its answer leave, all tables at once. */
async function everythingChanges(harness: Harness, invoiceId: string): Promise<void> {
  await harness.query(
    `with settled as (update confirmation set state = 'done', verdict = 'paid', settled_at = clock_timestamp()),
      cleared as (update alarm set cleared_at = clock_timestamp()),
      stored as (insert into invoice (id, source, status, asked_at, confirmed_at, digest, document)
        values ($1, 'default', 'Paid', now(), now(), '', '{}')),
      made as (insert into event (id, invoice_id, payload, type, source, invoice_type)
        values (event_id($1, 'invoice.paid'), $1, '{}', 'invoice.paid', 'default', 'Live'))
     insert into audit_entry (invoice_id, actor, action, subject, detail)
       values ($1, 'cli:ada', 'dead.retry', $1::text, '{}')`,
    [invoiceId],
  );
}

describe("what is read of several tables", () => {
  it.each(Object.entries(READERS))("is of one moment: %s", async (_, read) => {
    const { harness, db } = await withDatabase();
    const invoiceId = await deadLetter(harness);
    const before = await read(db, invoiceId);
    const changing = disturbed(db, () => everythingChanges(harness, invoiceId));
    expect(await read(changing, invoiceId)).toEqual(before);
    expect(await read(db, invoiceId)).not.toEqual(before);
  });
});
