import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readTimeline } from "../../src/operate/timeline-reading.ts";
import { CallbackLog, type IncomingCallback } from "../../src/receive/log/callback-log.ts";
import { openDatabase, ownDatabase } from "../support/database.ts";
import { incomingCallback } from "../support/incoming-callback.ts";
import { addEvents, type EventRow } from "../support/log-rows.ts";
import { startHarness } from "../support/relay.ts";

async function openLog() {
  const { db } = await ownDatabase();
  const log = new CallbackLog({ db, onConfirmations: () => undefined });
  const callback = (changes: Partial<IncomingCallback>) => log.append(incomingCallback(changes));
  return { db, callback };
}

describe("a timeline", () => {
  it("finds a callback by any of the ids it names, each once", async () => {
    const { db, callback } = await openLog();
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const both = await callback({ invoiceIds: [first, second] });
    const alone = await callback({ invoiceIds: [second] });
    const callbacksOf = async (id: string) =>
      (await readTimeline(db, id))?.entries.flatMap((entry) => (entry.kind === "callback" ? entry.id : []));
    expect(await callbacksOf(first)).toEqual([both]);
    expect(await callbacksOf(second)).toEqual([both, alone]);
    expect(await callbacksOf(third)).toBeUndefined();
  });

  it("stays bounded however many callbacks came, and says how many there are beyond (G8)", async () => {
    const { db, callback } = await openLog();
    const id = randomUUID();
    await Promise.all(Array.from({ length: 230 }, () => callback({ invoiceIds: [id] })));
    const timeline = await readTimeline(db, id);
    expect(timeline?.entries.filter((entry) => entry.kind === "callback")).toHaveLength(200);
    expect(timeline?.furtherCallbacks).toBe(30);
  });

  it("stays bounded however many answers, acceptances and actions there are (G8)", async () => {
    const harness = await startHarness();
    const { invoiceId, id: eventId } = (await addEvents(harness, 1))[0] as EventRow;
    await harness.query(
      `insert into invoice_snapshot (source, invoice_id, status, asked_at, digest, document)
       select 'default', $1, 'Unpaid', '2026-10-01T00:00:00Z'::timestamptz + n * interval '1 second',
         n::text, '{}'
       from generate_series(1, 230) as n`,
      [invoiceId],
    );
    await harness.query(
      `insert into publication (event_id, source, topic_arn, message_id)
       select $1, 'default', $2, n::text from generate_series(1, 230) as n`,
      [eventId, harness.topicArn],
    );
    await harness.query(
      `insert into audit_entry (actor, action, subject, invoice_id, detail)
       select 'cli:test', 'n' || n, $1::text, $1::uuid, '{}' from generate_series(1, 230) as n`,
      [invoiceId],
    );
    const timeline = await readTimeline(openDatabase(harness.databaseUrl), invoiceId);
    const ofKind = (kind: string) => timeline?.entries.filter((entry) => entry.kind === kind) ?? [];
    for (const kind of ["publication", "action"]) expect(ofKind(kind), kind).toHaveLength(200);
    // And the one that the event was made from.
    expect(ofKind("answer")).toHaveLength(201);
    // The last answers and actions; of acceptances the first, by which the event was published.
    expect(ofKind("action").some((entry) => "action" in entry && entry.action === "n230")).toBe(true);
    expect(ofKind("answer").at(-1)?.at.toISOString()).toBe("2026-10-01T00:03:50.000Z");
    expect(ofKind("publication")[0]).toMatchObject({ messageId: `sent-${eventId}` });
  });

  it("is there for a callback that was refused and opened no confirmation", async () => {
    const { db, callback } = await openLog();
    const id = randomUUID();
    await callback({ invoiceIds: [id], verdict: "refused" });
    const timeline = await readTimeline(db, id);
    expect(timeline).toMatchObject({
      confirmations: [],
      events: [],
      invoices: [],
      entries: [{ kind: "callback", verdict: "refused" }],
    });
  });
});
