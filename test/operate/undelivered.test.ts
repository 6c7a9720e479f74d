import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import {
  dismissDead,
  dismissQuarantine,
  listUndelivered,
  releaseQuarantine,
  retryDead,
  showUndelivered,
} from "../../src/operate/undelivered.ts";
import { addAlarm, addConfirmation, addEvents, wholeDatabase, withDatabase } from "../support/log-rows.ts";
import { type Harness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const actor = "cli:test";
const DEAD = { state: "dead", verdict: "pending", attempt: 8, last_error: "outside the contract" };

const openAlarms = (harness: Harness) => harness.query("select name from alarm where cleared_at is null");

describe("dead letters", () => {
  it("lists confirmations and events that were given up, by filter, the oldest first", async () => {
    const { harness, db } = await withDatabase();
    const confirmation = await addConfirmation(harness, { ...DEAD, settled_at: "2026-09-01T00:00:00Z" });
    const [event] = await addEvents(harness, 1, { state: "dead" });
    await addConfirmation(harness);
    await addEvents(harness, 2);

    const all = await listUndelivered({ db, list: "dead" });
    expect(all.items.map(({ kind, invoiceId, eventId }) => ({ kind, invoiceId, eventId }))).toEqual([
      { kind: "confirmation", invoiceId: confirmation, eventId: null },
      { kind: "event", invoiceId: event?.invoiceId, eventId: event?.id },
    ]);
    const filtered = await listUndelivered({
      db,
      list: "dead",
      selection: { filters: { kind: "event", collection: "Term 1" } },
      limit: 1,
    });
    expect(filtered).toMatchObject({ total: 1, items: [{ eventId: event?.id }] });
  });

  it("retried, are asked and sent again from the first step; alarms close, and the audit names who", async () => {
    const { harness, db } = await withDatabase();
    const confirmation = await addConfirmation(harness, DEAD);
    const [event] = await addEvents(harness, 1, { state: "dead" });
    await addAlarm(harness, "confirmation_dead", confirmation);
    await addAlarm(harness, "event_dead", event?.id ?? "");
    harness.provider.invoice(confirmation, invoiceAnswer(confirmation));
    await startRelay(harness.environment());

    const result = await retryDead({ db, actor, selection: { ids: [confirmation, event?.id ?? ""] } });

    expect(result.count).toBe(2);
    await vi.waitFor(() =>
      expect(
        harness.sns
          .messages()
          .map((message) => JSON.parse(message.message).subject)
          .sort(),
      ).toEqual([confirmation, event?.invoiceId].sort()),
    );
    expect(await openAlarms(harness)).toEqual([]);
    expect(
      await harness.query("select actor, action, subject, invoice_id from audit_entry order by subject"),
    ).toEqual(
      [
        { actor, action: "dead.retry", subject: confirmation, invoice_id: confirmation },
        { actor, action: "dead.retry", subject: event?.id, invoice_id: event?.invoiceId },
      ].sort((a, b) => (String(a.subject) < String(b.subject) ? -1 : 1)),
    );
  });

  it("chosen by filter have the priority of a replay, so that live confirmations do not wait for them", async () => {
    const { harness, db } = await withDatabase();
    for (let count = 0; count < 3; count += 1) await addConfirmation(harness, DEAD);
    await addConfirmation(harness, { ...DEAD, source: "other" });

    const before = await wholeDatabase(harness);
    expect(
      await retryDead({ db, actor, selection: { filters: { source: "default" } }, dryRun: true }),
    ).toMatchObject({ count: 3, dryRun: true });
    expect(await wholeDatabase(harness)).toEqual(before);

    await retryDead({ db, actor, selection: { filters: { source: "default" } } });
    expect(
      await harness.query(
        "select state, priority, attempt, count(*)::int from confirmation group by 1, 2, 3 order by 1",
      ),
    ).toEqual([
      { state: "dead", priority: "known", attempt: 8, count: 1 },
      { state: "due", priority: "replay", attempt: 0, count: 3 },
    ]);
  });

  it("dismissed, are kept and listed no more, unless they die again", async () => {
    const { harness, db } = await withDatabase();
    const confirmation = await addConfirmation(harness, DEAD);
    const [event] = await addEvents(harness, 1, { state: "dead" });
    await addAlarm(harness, "event_dead", event?.id ?? "");

    expect(await dismissDead({ db, actor, selection: { filters: {} } })).toMatchObject({ count: 2 });
    expect(await listUndelivered({ db, list: "dead" })).toEqual({ total: 0, items: [] });
    expect(await openAlarms(harness)).toEqual([]);
    expect(await harness.query("select state from confirmation union all select state from outbox")).toEqual([
      { state: "dead" },
      { state: "dead" },
    ]);
    expect(await dismissDead({ db, actor, selection: { ids: [confirmation] } })).toMatchObject({ count: 0 });

    await harness.query("update confirmation set settled_at = clock_timestamp()");
    expect(await listUndelivered({ db, list: "dead" })).toMatchObject({
      total: 1,
      items: [{ invoiceId: confirmation }],
    });
  });

  it("of an id that two sources know are decided about one source at a time", async () => {
    const { harness, db } = await withDatabase();
    const id = await addConfirmation(harness, { ...DEAD, source: "one" });
    await addConfirmation(harness, { ...DEAD, source: "two", invoice_id: id });
    for (const source of ["one", "two"]) await addAlarm(harness, "confirmation_dead", id, { source });

    await expect(dismissDead({ db, actor, selection: { ids: [id] } })).rejects.toThrow(/one, two/);
    expect(await showUndelivered({ db, list: "dead", id })).toHaveLength(2);
    expect(await showUndelivered({ db, list: "dead", id, source: "two" })).toHaveLength(1);

    expect(await dismissDead({ db, actor, selection: { ids: [id], source: "two" } })).toMatchObject({
      count: 1,
    });
    expect(await listUndelivered({ db, list: "dead" })).toMatchObject({
      total: 1,
      items: [{ source: "one" }],
    });
    expect(await harness.query("select source from alarm where cleared_at is null")).toEqual([
      { source: "one" },
    ]);
  });

  it("that stop half-way say how many are done, and the same again takes the rest", async () => {
    const { harness, db } = await withDatabase();
    const last = (await addEvents(harness, 2_300, { state: "dead" })).at(-1)?.id;
    await harness.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no more room'; end $$;
      create trigger refuse before insert on audit_entry for each row
        when (new.subject = '${last}') execute function refuse()`);
    const retry = () => retryDead({ db, actor, selection: { filters: {} } });
    await expect(retry()).rejects.toThrow(/2,000.*no more room/);
    const states = () =>
      harness.query("select state, count(*)::int as count from outbox group by state order by state");
    expect(await states()).toEqual([
      { state: "dead", count: 300 },
      { state: "due", count: 2_000 },
    ]);
    expect(await harness.query("select count(*)::int as count from audit_entry")).toEqual([{ count: 2_000 }]);
    await harness.query("drop trigger refuse on audit_entry");
    expect((await retry()).count).toBe(300);
  });
});

describe("quarantine", () => {
  const QUARANTINED = { verdict: "quarantined", last_error: "foreign collection" };

  it("released, the invoice is asked for again and published; nothing else is", async () => {
    const { harness, db } = await withDatabase();
    const collection = randomUUID();
    harness.provider.collection(collection, {
      status: 200,
      body: { status: "success", message: "ok", data: { id: collection, collectionName: "Term 9" } },
    });
    const relay = await startRelay(harness.environment({ COLLECTION_IDS: collection }));
    const [wanted, other] = [randomUUID(), randomUUID()];
    for (const id of [wanted, other]) harness.provider.invoice(id, invoiceAnswer(id));
    await relay.callback({ data: { id: wanted } });
    await relay.callback({ data: { id: other } });
    await vi.waitFor(async () =>
      expect(await listUndelivered({ db, list: "quarantine" })).toMatchObject({ total: 2 }),
    );

    await releaseQuarantine({ db, actor, selection: { ids: [wanted] } });

    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
    expect(JSON.parse(harness.sns.messages()[0]?.message ?? "").subject).toBe(wanted);
    expect(await listUndelivered({ db, list: "quarantine" })).toMatchObject({
      total: 1,
      items: [{ invoiceId: other }],
    });
    await vi.waitFor(async () =>
      expect(await harness.query("select verdict from confirmation where invoice_id = $1", [wanted])).toEqual(
        [{ verdict: "paid" }],
      ),
    );
    expect(
      await harness.query(
        "select subject from alarm where name = 'invoice_quarantined' and cleared_at is null",
      ),
    ).toEqual([{ subject: other }]);
  });

  it("dismissed, stays unpublished and is listed no more", async () => {
    const { harness, db } = await withDatabase();
    const id = await addConfirmation(harness, QUARANTINED);
    await dismissQuarantine({ db, actor, selection: { ids: [id] } });
    expect(await listUndelivered({ db, list: "quarantine" })).toMatchObject({ total: 0 });
    expect(await harness.query("select verdict, released_at from confirmation")).toEqual([
      { verdict: "quarantined", released_at: null },
    ]);
  });
});
