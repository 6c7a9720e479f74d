import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openConfirmations } from "../../src/confirm/queue/open.ts";
import { backFill } from "../../src/reconcile/sweep/sweep.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { COLLECTION, PLAIN } from "./list-provider.ts";
import { type Books, books, DAY_MS, daysAgo } from "./relay-books.ts";

const pay = ({ provider }: Books, days: number) => {
  const id = randomUUID();
  provider.invoices.push({ id, createdAt: daysAgo(days), paidAt: daysAgo(days) });
  return id;
};

const window = { from: new Date(Date.now() - 60 * DAY_MS), to: new Date(Date.now() - DAY_MS) };

const fill = ({ context, source }: Books, changes = {}) =>
  backFill(context, {
    source,
    collectionId: COLLECTION,
    window,
    publish: false,
    signal: new AbortController().signal,
    ...changes,
  });

const records = async ({ query }: Books) =>
  Object.fromEntries(
    (
      await query<{ id: string; record: boolean }>(
        "select invoice_id as id, record_only as record from confirmation",
      )
    ).map(({ id, record }) => [id, record]),
  );

describe("a back-fill", () => {
  it("records what was paid before the first serve, publishes what was paid since, and has other days dated", async () => {
    const given = await books({ servedDays: 10 });
    const [before, since] = [pay(given, 20), pay(given, 5)];
    // Listed, and dated outside the window: only Get Invoice can say so. It is opened, and counts elsewhere.
    const outside = pay(given, 70);
    pay(given, 0.5);
    expect(await fill(given)).toMatchObject({ listed: 2, missing: 2, opened: 3 });
    expect(await records(given)).toEqual({ [before]: true, [since]: false, [outside]: true });
  });

  it("records everything for a source that was never served, and publishes it with publish", async () => {
    const given = await books({ servedDays: null });
    const id = pay(given, 20);
    await fill(given);
    expect(await records(given)).toEqual({ [id]: true });
    await given.query("update confirmation set state = 'done', verdict = 'paid'");
    expect(await fill(given)).toMatchObject({ listed: 1, opened: 0 });
    expect(await fill(given, { publish: true })).toMatchObject({ opened: 1 });
    expect(await records(given)).toEqual({ [id]: false });
  });

  it("never takes publishing away: a callback's confirmation stays one that publishes", async () => {
    const given = await books({ servedDays: 10 });
    const [called, recorded] = [pay(given, 20), pay(given, 21)];
    const callback = (invoiceId: string) =>
      openConfirmations(given.db, [{ invoiceId, source: "default" }], {
        openedBy: "callback",
        priority: "unknown",
      });
    await callback(called);
    await fill(given);
    await callback(recorded);
    expect(await records(given)).toEqual({ [called]: false, [recorded]: false });
  });

  it("is continued by the same request after a crash, with what came meanwhile", async () => {
    const given = await books();
    const today = { from: window.from, to: new Date(Date.now() + DAY_MS) };
    const ids = Array.from({ length: 60 }, (_, n) => pay(given, n));
    await fill(given, { window: today });
    // A crash leaves its lease behind, which then runs out; half of the payments were looked at by then.
    const middle = ids.toSorted()[29];
    await given.query(
      `update sweep set state = 'claimed', lease_token = gen_random_uuid(), decided_to = $1, listed = 30,
        missing = 30, opened = 30, claimed_until = now() - interval '1 second'`,
      [middle],
    );
    await given.query("delete from confirmation where invoice_id > $1", [middle]);
    const since = pay(given, 0);
    const pages: number[] = [];
    const result = await fill(given, { window: today, onProgress: (done: number) => pages.push(done) });
    expect(result).toMatchObject({ listed: 61, opened: 61 });
    expect(Object.keys(await records(given)).sort()).toEqual([...ids, since].sort());
    expect(pages).toEqual([...pages].sort((a, b) => a - b));
    expect(await given.query("select state from sweep")).toEqual([{ state: "done" }]);
  });

  it("counts right after a kill -9 in the middle of a step, whatever came of what it had opened by then", async () => {
    const given = await books();
    const ids = Array.from({ length: 60 }, () => pay(given, 5));
    given.provider.beforePage = async () => {
      const query = given.provider.queries.at(-1);
      if (query?.get("page") !== "2") return;
      given.provider.beforePage = () => undefined;
      // The process is gone from here on; the first page's are confirmed and published by the relay
      // meanwhile.
      await given.query("update confirmation set state = 'done', verdict = 'paid'");
      await given.query(
        `insert into event (id, invoice_id, type, source, invoice_type, payload)
         select gen_random_uuid(), invoice_id, 'invoice.paid', 'default', 'Live', '{}' from confirmation`,
      );
      await given.query(
        "insert into outbox (source, event_id, invoice_type) select source, id, 'Live' from event",
      );
      await given.query(
        "update sweep set lease_token = gen_random_uuid(), claimed_until = now() - interval '1 second'",
      );
    };
    await expect(fill(given)).rejects.toThrow(/Another process took this over/);
    expect(await fill(given)).toMatchObject({ listed: 60, missing: 60, opened: 60 });
    expect(Object.keys(await records(given)).sort()).toEqual(ids.sort());
  });

  it("names the days that it could not prove to whoever asked, and raises no alarm", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, hides: 1 };
    pay(given, 5);
    expect((await fill(given)).unproven).not.toEqual([]);
    expect(await given.openAlarms()).toEqual([]);
  });

  it("tells of another back-fill of the source that is under way", async () => {
    const given = await books();
    await given.query(
      `insert into sweep (id, source, collection_id, kind, state, lease_token, claimed_until, window_from,
        window_to)
       values (gen_random_uuid(), 'default', $1, 'back_fill', 'claimed', gen_random_uuid(),
         now() + interval '1 hour',
         '2026-01-01', '2026-02-01')`,
      [COLLECTION],
    );
    expect((await fill(given)).underWay).toMatchObject([{ collectionId: COLLECTION }]);
  });

  it("is refused while another process runs the same one", async () => {
    const given = await books();
    await given.query(
      `insert into sweep (id, source, collection_id, kind, state, lease_token, claimed_until, window_from,
        window_to)
       values (gen_random_uuid(), 'default', $1, 'back_fill', 'claimed', gen_random_uuid(),
         now() + interval '1 hour', $2, $3)`,
      [COLLECTION, window.from, window.to],
    );
    const other = { ...given, context: { ...given.context, lease: leaseOf(100) } };
    await expect(fill(other)).rejects.toThrow(/Another process is reading the same period/);
    expect(given.provider.queries).toHaveLength(0);
  });
});
