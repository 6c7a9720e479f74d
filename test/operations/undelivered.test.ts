import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  dismissDead,
  dismissQuarantine,
  listUndelivered,
  releaseQuarantine,
  retryDead,
} from "../../src/operations/undelivered.ts";
import { eventually, toEqual, toHaveLength, toMatchObject } from "../support/eventually.ts";
import { addAlarm, addConfirmation, addEvents, wholeDatabase, withDatabase } from "../support/log-rows.ts";
import { startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const actor = "cli:test";
const DEAD = { state: "dead", verdict: "pending", attempt: 8, last_error: "outside the contract" };

async function undelivered() {
  const { harness, db } = await withDatabase();
  const { query } = harness;
  return {
    ...{ harness, db, query },
    list: (list: "dead" | "quarantine" = "dead") => listUndelivered({ db, list }),
    openAlarms: () => query("select source, subject from alarm where cleared_at is null order by subject"),
  };
}

describe("dead letters", () => {
  it("lists confirmations and events that were given up, by filter, the oldest first", async () => {
    const { harness, db, list } = await undelivered();
    const confirmation = await addConfirmation(harness, { ...DEAD, settled_at: "2026-09-01T00:00:00Z" });
    const [event] = await addEvents(harness, 1, { state: "dead" });
    await addConfirmation(harness);
    await addEvents(harness, 2);
    const dead = { kind: "event", invoiceId: event?.invoiceId, eventId: event?.id };
    expect((await list()).items).toMatchObject([
      { kind: "confirmation", invoiceId: confirmation, eventId: null },
      dead,
    ]);
    const selection = { filters: { kind: "event", collection: "Term 1" } } as const;
    expect(await listUndelivered({ db, list: "dead", selection, limit: 1 })).toMatchObject({
      total: 1,
      items: [dead],
    });
  });

  it("retried, are asked and sent again from the first step; alarms close, and the audit names who", async () => {
    const { harness, db, query, openAlarms } = await undelivered();
    const confirmation = await addConfirmation(harness, DEAD);
    const [event = { id: "", invoiceId: "" }] = await addEvents(harness, 1, { state: "dead" });
    await addAlarm(harness, "confirmation_dead", confirmation);
    await addAlarm(harness, "event_dead", event.id);
    harness.provider.invoice(confirmation, invoiceAnswer(confirmation));
    await startRelay(harness.environment());
    expect((await retryDead({ db, actor, selection: { ids: [confirmation, event.id] } })).count).toBe(2);
    const sent = () => harness.sns.messages().map(({ message }) => JSON.parse(message).subject);
    await eventually(() => sent().sort(), toEqual([confirmation, event.invoiceId].sort()));
    expect(await openAlarms()).toEqual([]);
    const retried = { actor, action: "dead.retry" };
    expect(
      await query("select actor, action, subject, invoice_id as id from audit_entry order by subject = $1", [
        event.id,
      ]),
    ).toEqual([
      { ...retried, subject: confirmation, id: confirmation },
      { ...retried, subject: event.id, id: event.invoiceId },
    ]);
  });

  it("chosen by filter have the priority of a replay, so that live confirmations do not wait for them", async () => {
    const { harness, db, query } = await undelivered();
    for (const source of ["default", "default", "other"]) await addConfirmation(harness, { ...DEAD, source });
    const before = await wholeDatabase(harness);
    const ofDefault = { db, actor, selection: { filters: { source: "default" } } };
    expect(await retryDead({ ...ofDefault, dryRun: true })).toMatchObject({ count: 2, dryRun: true });
    expect(await wholeDatabase(harness)).toEqual(before);
    await retryDead(ofDefault);
    const due = { source: "default", state: "due", priority: "replay", attempt: 0 };
    expect(await query("select source, state, priority, attempt from confirmation order by source")).toEqual([
      due,
      due,
      { source: "other", state: "dead", priority: "known", attempt: 8 },
    ]);
  });

  it("dismissed, are kept and listed no more, unless they die again", async () => {
    const { harness, db, query, list, openAlarms } = await undelivered();
    const confirmation = await addConfirmation(harness, DEAD);
    const [event] = await addEvents(harness, 1, { state: "dead" });
    await addAlarm(harness, "event_dead", event?.id ?? "");
    expect(await dismissDead({ db, actor, selection: { filters: {} } })).toMatchObject({ count: 2 });
    expect(await list()).toEqual({ total: 0, items: [] });
    expect(await openAlarms()).toEqual([]);
    const states = await query("select state from confirmation union all select state from outbox");
    expect(states).toEqual([{ state: "dead" }, { state: "dead" }]);
    const again = { db, actor, selection: { ids: [confirmation] } };
    expect(await dismissDead(again)).toMatchObject({ count: 0 });
    await query("update confirmation set settled_at = clock_timestamp()");
    expect(await list()).toMatchObject({ total: 1, items: [{ invoiceId: confirmation }] });
  });

  it("of an id that two sources know are decided about one source at a time", async () => {
    const { harness, db, list, openAlarms } = await undelivered();
    const id = await addConfirmation(harness, { ...DEAD, source: "one" });
    await addConfirmation(harness, { ...DEAD, source: "two", invoice_id: id });
    for (const source of ["one", "two"]) await addAlarm(harness, "confirmation_dead", id, { source });
    await expect(dismissDead({ db, actor, selection: { ids: [id] } })).rejects.toMatchObject({
      code: "usage",
    });
    expect(await dismissDead({ db, actor, selection: { ids: [id], source: "two" } })).toMatchObject({
      count: 1,
    });
    expect(await list()).toMatchObject({ total: 1, items: [{ source: "one" }] });
    expect(await openAlarms()).toEqual([{ source: "one", subject: id }]);
  });
});

describe("quarantine", () => {
  it("released, the invoice is asked for again and published; nothing else is", async () => {
    const { harness, db, query, list } = await undelivered();
    const collection = randomUUID();
    const data = { id: collection, collectionName: "Term 9" };
    harness.provider.collection(collection, {
      status: 200,
      body: { status: "success", message: "ok", data },
    });
    const relay = await startRelay(harness.environment({ COLLECTION_IDS: collection }));
    const [wanted, other] = [harness.provider.paid(), harness.provider.paid()];
    for (const id of [wanted, other]) await relay.callback({ data: { id } });
    await eventually(() => list("quarantine"), toMatchObject({ total: 2 }));
    await releaseQuarantine({ db, actor, selection: { ids: [wanted] } });
    const [sent] = await eventually(() => harness.sns.messages(), toHaveLength(1));
    expect(JSON.parse(sent?.message ?? "").subject).toBe(wanted);
    expect(await list("quarantine")).toMatchObject({ total: 1, items: [{ invoiceId: other }] });
    const verdict = () => query("select verdict from confirmation where invoice_id = $1", [wanted]);
    await eventually(verdict, toEqual([{ verdict: "paid" }]));
    const alarms = "select subject from alarm where name = 'invoice_quarantined' and cleared_at is null";
    expect(await query(alarms)).toEqual([{ subject: other }]);
  });

  it("dismissed, stays unpublished and is listed no more", async () => {
    const { harness, db, query, list } = await undelivered();
    const id = await addConfirmation(harness, { verdict: "quarantined", last_error: "foreign collection" });
    await dismissQuarantine({ db, actor, selection: { ids: [id] } });
    expect(await list("quarantine")).toMatchObject({ total: 0 });
    expect(await query("select verdict, released_at from confirmation")).toEqual([
      { verdict: "quarantined", released_at: null },
    ]);
  });
});
