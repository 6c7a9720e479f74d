import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { BenchDatabase } from "./harness/bench-database.ts";
import { type ContestantName, contestants } from "./harness/contestants.ts";
import { Stage } from "./harness/stage.ts";

const stage = new Stage();
const invoiceIds = Array.from({ length: 40 }, () => randomUUID());

let byRelay: Awaited<ReturnType<typeof drained>>;

beforeAll(async () => {
  await stage.begin();
  byRelay = await drained("relay");
});
afterAll(() => stage.end());

/** All that a contestant leaves behind, without what no two runs share: times, and the ids that SNS gives. */
async function rowsOf({ query }: BenchDatabase) {
  return {
    callbacks: await query(
      "select source, method, path, invoice_ids, body from callback order by invoice_ids",
    ),
    verdicts: await query(
      "select invoice_id, source, priority, opened_by, state, verdict from confirmation order by 1",
    ),
    invoices: await query(
      "select to_jsonb(invoice) - 'asked_at' - 'confirmed_at' as row from invoice order by id",
    ),
    snapshots: await query(
      "select invoice_id, source, status, digest, document::text from invoice_snapshot order by 1",
    ),
    events: await query(
      `select id, invoice_id, source, type, invoice_type, collection_name,
        payload::jsonb #- '{data,confirmedAt}' as payload from event order by id`,
    ),
    unsent: await query("select event_id from outbox"),
    publications: await query(
      `select source, event_id, topic_arn, replay_id, message_id <> '' as has_message_id,
        digest = (select sha256(convert_to(payload, 'UTF8')) from event where event.id = event_id)
          as is_what_was_sent
      from publication order by event_id`,
    ),
  };
}

/** Every fourth entry, more or less, is refused by SNS the first time. */
async function drained(name: ContestantName) {
  const database = await stage.createDatabase();
  const contestant = await contestants[name](stage, database);
  try {
    await stage.sns.call("reset", { failFirst: 4 });
    await contestant.record(invoiceIds);
    await stage.sns.call("whenAccepted", invoiceIds.length);
    await vi.waitFor(async () =>
      expect((await rowsOf(database)).publications).toHaveLength(invoiceIds.length),
    );
    return { rows: await rowsOf(database), sns: await stage.sns.call("counts") };
  } finally {
    await contestant.stop();
    await database.drop();
  }
}

describe("the rivals of the drain bench", () => {
  it.each(["graphileWorkerAsDocumented", "graphileWorker", "pgBossAsDocumented", "pgBoss"] as const)(
    "%s leaves the same rows and the same SNS acceptances as the relay, refused entries included",
    async (rival) => {
      const byRival = await drained(rival);

      expect(byRelay.rows.events).toHaveLength(invoiceIds.length);
      expect(byRelay.sns).toEqual({ events: invoiceIds.length, acceptances: invoiceIds.length });
      expect(byRival).toEqual(byRelay);
    },
  );

  it("noDatabase sends one message for each invoice", async () => {
    const database = await stage.createDatabase();
    const contestant = await contestants.noDatabase(stage, database);
    await stage.sns.call("reset", { failFirst: 0 });
    await contestant.record(invoiceIds);
    await stage.sns.call("whenAccepted", invoiceIds.length);
    await contestant.stop();
    await database.drop();

    expect(await stage.sns.call("counts")).toEqual({
      events: invoiceIds.length,
      acceptances: invoiceIds.length,
    });
  });
});
