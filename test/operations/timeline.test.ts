import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { readTimeline } from "../../src/operations/timeline-reading.ts";
import { addCallback, addEvents, withDatabase } from "../support/log-rows.ts";

it("a timeline finds a callback by any of the ids it names, each once, also one that was refused", async () => {
  const { harness, db } = await withDatabase();
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  const both = await addCallback(harness, { invoice_ids: [first, second] });
  const late = { received_at: "2026-10-02T00:00:00Z", verdict: "refused" };
  const alone = await addCallback(harness, { ...late, invoice_ids: [second] });
  const callbacksOf = async (id: string) =>
    (await readTimeline(db, id))?.entries.flatMap((entry) => (entry.kind === "callback" ? entry.id : []));
  expect(await callbacksOf(first)).toEqual([both.id]);
  expect(await callbacksOf(second)).toEqual([both.id, alone.id]);
  expect(await callbacksOf(third)).toBeUndefined();
});

it("a timeline stays bounded however many callbacks, answers, acceptances and actions there are (G8)", async () => {
  const { harness, db } = await withDatabase();
  const [{ invoiceId, id: eventId } = { invoiceId: "", id: "" }] = await addEvents(harness, 1);
  for (const insert of [
    `callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
       select gen_random_uuid(), now(), 'default', 'POST', '/', '', array[$1::uuid], '[]', ''`,
    `invoice_snapshot (source, invoice_id, status, asked_at, digest, document)
       select 'default', $1, 'Unpaid', '2026-10-01T00:00:00Z'::timestamptz + n * interval '1 second', n::text, '{}'`,
    `publication (event_id, source, topic_arn, message_id)
       select (select id from event where invoice_id = $1), 'default', 'arn', n::text`,
    `audit_entry (actor, action, subject, invoice_id, detail)
       select 'cli:test', 'n' || n, $1::text, $1::uuid, '{}'`,
  ])
    await harness.query(`insert into ${insert} from generate_series(1, 230) as n`, [invoiceId]);
  const timeline = await readTimeline(db, invoiceId);
  const ofKind = (kind: string) => timeline?.entries.filter((entry) => entry.kind === kind) ?? [];
  for (const kind of ["callback", "publication", "action"]) expect(ofKind(kind), kind).toHaveLength(200);
  expect(timeline?.furtherCallbacks).toBe(30);
  expect(ofKind("answer")).toHaveLength(200);
  // The last answers and actions; of acceptances the first, by which the event was published.
  expect(ofKind("action").some((entry) => "action" in entry && entry.action === "n230")).toBe(true);
  expect(ofKind("answer").at(-1)?.at.toISOString()).toBe("2026-10-01T00:03:50.000Z");
  expect(ofKind("publication")[0]).toMatchObject({ messageId: `sent-${eventId}` });
});
