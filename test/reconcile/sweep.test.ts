import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { openConfirmations } from "../../src/confirm/queue/open.ts";
import { forgetListWork, hurryListWork, rescueListWork } from "../../src/reconcile/leftovers.ts";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { PLAIN } from "./list-provider.ts";
import { placePayment } from "./place-payment.ts";
import { type Books, books, daysAgo } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

const pay = ({ provider }: Books, daysAgoPaid: number, changes = {}) => {
  const id = randomUUID();
  const paidAt = daysAgo(daysAgoPaid);
  provider.invoices.push({ id, createdAt: daysAgo(daysAgoPaid + 1), paidAt, ...changes });
  return id;
};

const confirmations = ({ query }: Books) =>
  query<{ id: string; priority: string; by: string; record: boolean; state: string; requests: number }>(
    `select invoice_id as id, priority, opened_by as by, record_only as record, state, requests
      from confirmation order by opened_at, invoice_id`,
  );

const sweeps = ({ query }: Books) =>
  query<Record<string, unknown>>(
    "select state, listed, missing, opened, called, faults, last_error from sweep order by due_at",
  );

const dueNow = ({ query }: Books) => query("update sweep set due_at = now() where state = 'due'");
const answer =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end('{"status":500,"message":"Broken"}');

describe("an automatic sweep", () => {
  it("opens a confirmation for what was paid since the first serve and has no event, and has the rest dated", async () => {
    const given = await books({ servedDays: 10 });
    const missed = pay(given, 3);
    const test = pay(given, 2, { type: "Test" });
    // The list dates it before the first serve: that is only a hint.
    const earlier = pay(given, 11);
    pay(given, 3, { paidAt: null });
    await placePayment(given, { paidAt: daysAgo(4) });

    await sweepPass(given.context, GO_ON);

    const opened = (await confirmations(given)).filter(({ state }) => state === "due");
    expect(opened.map(({ id }) => id).sort()).toEqual([missed, test, earlier].sort());
    for (const { id, ...how } of opened)
      expect(how).toMatchObject({ priority: "known", by: "reconcile", record: id === earlier });
    expect(await sweeps(given)).toEqual([
      { state: "done", listed: 4, missing: 3, opened: 3, called: 0, faults: 0, last_error: null },
    ]);
    await sweepPass(given.context, GO_ON);
    expect(await given.query("select state from sweep where due_at > now() + interval '590 s'")).toEqual([
      { state: "due" },
    ]);
  });

  it("puts ids that it lists before those that nobody knows, and has them asked about at once (G12)", async () => {
    const given = await books({ servedDays: 10 });
    const [genuine, forged] = [pay(given, 3), randomUUID()];
    const toOpen = [genuine, forged].map((invoiceId) => ({ invoiceId, source: "default" }));
    await openConfirmations(given.db, toOpen, { openedBy: "callback", priority: "unknown" });
    await given.query("update confirmation set attempt = 5, due_at = now() + interval '10 min'");
    await sweepPass(given.context, GO_ON);
    expect(
      await given.query(
        "select invoice_id as id, due_at <= now() as due from confirmation where priority = 'known'",
      ),
    ).toEqual([{ id: genuine, due: true }]);
  });

  it("is forgotten after 35 days, but for the last one of its collection, by which the next one is due", async () => {
    const given = await books();
    await given.query(
      `insert into sweep (id, source, collection_id, kind, state, started_at, finished_at, window_to)
       select gen_random_uuid(), 'default', collection, kind, 'done', at, at, at
       from unnest($1::uuid[]) as collection, unnest(array['automatic', 'back_fill']) as kind,
         generate_series(now() - interval '100 days', now() - interval '20 days', interval '2 days') as at`,
      [[given.source.collectionIds[0], randomUUID()]],
    );
    await given.query(
      "delete from sweep where collection_id <> $1 and started_at > now() - interval '50 days'",
      [given.source.collectionIds[0]],
    );
    await sweepPass(given.context, GO_ON);
    await forgetListWork(given.db);
    const left = await given.query<{ kind: string; days: number; ours: boolean }>(
      `select kind, extract(day from now() - started_at)::int as days, collection_id = $1 as ours from sweep
       where started_at < now() - interval '1 hour' order by ours, started_at`,
      [given.source.collectionIds[0]],
    );
    expect(left.filter(({ ours }) => !ours)).toEqual([{ kind: "automatic", days: 50, ours: false }]);
    expect(left.filter(({ days, ours }) => ours && days >= 35)).toEqual([]);
    expect(left.filter(({ ours }) => ours)).toHaveLength(16);
    expect(
      await given.query(
        "select window_from < now() - interval '20 days' as whole from sweep where listed = 0 order by started_at desc limit 1",
      ),
    ).toEqual([{ whole: true }]);
  });

  it("breaks off visibly and keeps what it found; the third time it leaves out what it cannot read, with an alarm", async () => {
    const given = await books();
    const recent = pay(given, 0, { createdAt: new Date() });
    const old = pay(given, 20);
    given.provider.beforePage = () => {
      const last = given.provider.queries.at(-1)?.get("endDate") ?? "";
      given.provider.faults = Date.parse(last) < Date.now() ? [answer(500)] : [];
    };
    for (let fault = 1; fault <= 2; fault += 1) {
      await sweepPass(given.context, GO_ON);
      const [row] = await sweeps(given);
      expect(row).toMatchObject({ state: "due", faults: fault });
      expect(String(row?.last_error)).toMatch(/Get Collection Invoices.*500/);
      expect(await given.openAlarms()).toEqual([]);
      await dueNow(given);
    }
    await sweepPass(given.context, GO_ON);
    expect(await sweeps(given)).toMatchObject([{ state: "done", missing: 1, opened: 1 }]);
    expect((await confirmations(given)).map(({ id }) => id)).toEqual([recent]);
    expect(await given.openAlarms()).toEqual(["sweep_failing"]);

    given.provider.beforePage = () => undefined;
    given.provider.faults = [];
    await sweepPass({ ...given.context, intervalMs: 0 }, GO_ON);
    expect(await sweeps(given)).toContainEqual(
      expect.objectContaining({ state: "done", listed: 2, opened: 1 }),
    );
    expect((await confirmations(given)).map(({ id }) => id)).toEqual([recent, old]);
    expect(await given.openAlarms()).toEqual([]);
  });

  it("has the whole source wait for as long as a 429 says, and leaves a waiting or paused source in peace", async () => {
    const given = await books();
    given.provider.faults = [answer(429, { "retry-after": "20" })];
    await sweepPass(given.context, GO_ON);
    const [source] = await given.query<{ ms: number }>(
      "select (extract(epoch from retry_at - now()) * 1000)::int as ms from source",
    );
    expect(source?.ms).toBeGreaterThan(15_000);
    const asked = given.provider.queries.length;
    await dueNow(given);
    await sweepPass(given.context, GO_ON);
    await given.query("update source set retry_at = '-infinity', paused_by = 'operator', paused_at = now()");
    await sweepPass(given.context, GO_ON);
    expect(given.provider.queries).toHaveLength(asked);
    expect(await sweeps(given)).toMatchObject([{ faults: 1 }]);
  });

  it("stops reading, without a fault, when the source is paused while it reads", async () => {
    const given = await books();
    given.provider.beforePage = async () => {
      await given.query("update source set paused_by = 'refused', paused_at = now()");
    };
    await sweepPass(given.context, GO_ON);
    expect(given.provider.queries).toHaveLength(1);
    expect(await sweeps(given)).toMatchObject([{ state: "due", faults: 0 }]);
  });

  it("is made by one process at a time, and taken up by the next when that one dies (G7)", async () => {
    const given = await books();
    pay(given, 1);
    let waiting: (() => void) | undefined;
    given.provider.beforePage = () => new Promise((resolve) => (waiting = resolve));
    const slow = sweepPass({ ...given.context, lease: leaseOf(600_000) }, GO_ON);
    await vi.waitFor(() => expect(waiting).toBeDefined());
    given.provider.beforePage = () => undefined;
    const asked = given.provider.queries.length;
    await sweepPass(given.context, GO_ON);
    expect(given.provider.queries).toHaveLength(asked);

    await given.query("update sweep set claimed_until = now() - interval '1 second'");
    await rescueListWork(given.db);
    await sweepPass(given.context, GO_ON);
    expect(await sweeps(given)).toMatchObject([{ state: "done", listed: 1 }]);
    waiting?.();
    await slow;
    expect(await sweeps(given)).toMatchObject([{ state: "done", listed: 1, opened: 1 }]);
  });

  it("comes forward for a callback without an id, at most once a minute", async () => {
    const given = await books();
    await sweepPass(given.context, GO_ON);
    const unreadable = () =>
      given.query(
        `insert into callback (id, received_at, source, method, path, query, verdict, invoice_ids, headers,
          body) values ($1, clock_timestamp(), 'default', 'POST', '/', '', 'unreadable', '{}', '[]', '')`,
        [randomUUID()],
      );
    await unreadable();
    await sweepPass(given.context, GO_ON);
    expect(await sweeps(given)).toHaveLength(2);
    await sweepPass(given.context, GO_ON);
  });

  it("does nothing without COLLECTION_IDS, and waits for the first serve", async () => {
    const given = await books({ servedDays: null });
    await sweepPass({ ...given.context, source: { ...given.source, collectionIds: [] } }, GO_ON);
    await sweepPass(given.context, GO_ON);
    expect(given.provider.queries).toHaveLength(0);
  });

  it("goes on past a window that contradicts itself, uses what it shows, alarms it, and reads it again", async () => {
    const given = await books({ servedDays: 60 });
    const [recent, hidden, old] = [pay(given, 1), pay(given, 1.1), pay(given, 30)];
    const recentDay = Date.now() - 4 * 86_400_000;
    given.provider.beforePage = () => {
      const last = Date.parse(given.provider.queries.at(-1)?.get("endDate") ?? "");
      given.provider.reading = { ...PLAIN, hides: last > recentDay ? 1 : 0 };
    };
    await sweepPass(given.context, GO_ON);
    expect((await confirmations(given)).map(({ id }) => id).sort()).toEqual([hidden, old].sort());
    expect(await sweeps(given)).toMatchObject([{ state: "done", opened: 2, faults: 0 }]);
    expect(await given.openAlarms()).toEqual(["sweep_failing"]);
    // Which days those are depends on the hour; three of them are named at most.
    expect(await given.query("select detail from alarm")).toEqual([
      { detail: expect.stringMatching(/read: 20\S+ to 20\S+: it [^;]+(; 20[^;]+){0,2}\. What it showed/) },
    ]);

    given.provider.beforePage = () => undefined;
    given.provider.reading = PLAIN;
    await given.query("update sweep set started_at = now() - interval '1 hour'");
    await sweepPass(given.context, GO_ON);
    expect((await confirmations(given)).map(({ id }) => id).sort()).toEqual([recent, hidden, old].sort());
    expect(await given.openAlarms()).toEqual([]);
  });

  it("that could read nothing is not over: its alarm has one text, and it is due once its source works again", async () => {
    const given = await books({ servedDays: 60 });
    const missed = pay(given, 20);
    given.provider.faults = [answer(503)];
    const texts = new Set<unknown>();
    for (let fault = 1; fault <= 6; fault += 1) {
      await dueNow(given);
      await sweepPass(given.context, GO_ON);
      for (const { detail } of await given.query<{ detail: string }>("select detail from alarm"))
        texts.add(detail);
      expect(await sweeps(given)).toMatchObject([{ state: "due", faults: fault }]);
    }
    expect([...texts]).toEqual([expect.stringMatching(/could not be read: .*HTTP 503/)]);

    given.provider.faults = [];
    await sweepPass(given.context, GO_ON);
    expect(await confirmations(given)).toEqual([]);
    await hurryListWork(given.db, "default");
    await sweepPass(given.context, GO_ON);
    expect(await confirmations(given)).toMatchObject([{ id: missed }]);
    expect(await given.openAlarms()).toEqual([]);
  });

  it("leaves days out that alone cannot be read, whichever they are, and says so in one text", async () => {
    for (const areRecent of [true, false]) {
      const given = await books({ servedDays: 60 });
      const [recent, old] = [pay(given, 0, { createdAt: new Date() }), pay(given, 20)];
      given.provider.beforePage = () => {
        const last = Date.parse(given.provider.queries.at(-1)?.get("endDate") ?? "");
        // The days after the newest ones end today.
        const isRecent = last > Date.now() - (areRecent ? 86_400_000 : 0);
        given.provider.faults = isRecent === areRecent ? [answer(500)] : [];
      };
      const texts = new Set<unknown>();
      for (let tries = 0; (await sweeps(given)).every(({ state }) => state !== "done"); tries += 1) {
        expect(tries).toBeLessThan(6);
        await dueNow(given);
        await sweepPass(given.context, GO_ON);
        for (const { detail } of await given.query<{ detail: string }>("select detail from alarm"))
          texts.add(detail);
      }
      expect([...texts]).toEqual([expect.stringMatching(/could not be read: .*HTTP 500/)]);
      expect((await confirmations(given)).map(({ id }) => id)).toEqual([areRecent ? old : recent]);
    }
  });

  it("raises no alarm of its own while its source's tells of the same", async () => {
    const given = await books();
    given.provider.faults = [answer(503)];
    await given.query("update source set faults = 5");
    for (let fault = 1; fault <= 4; fault += 1) {
      await dueNow(given);
      await sweepPass(given.context, GO_ON);
    }
    expect(await given.openAlarms()).toEqual([]);
    await given.query("update source set faults = 0");
    await dueNow(given);
    await sweepPass(given.context, GO_ON);
    expect(await given.openAlarms()).toEqual(["sweep_failing"]);
  });

  it("queues an event again that was never accepted on its topic, with the same id, and asks for lost evidence", async () => {
    const given = await books();
    const lost = await placePayment(given, { paidAt: daysAgo(1), came: 3 });
    const elsewhere = await placePayment(given, { paidAt: daysAgo(1) });
    await given.query(
      "update publication set topic_arn = 'arn:aws:sns:us-east-1:123456789012:invoice-events-test'",
    );
    const fine = await placePayment(given, { paidAt: daysAgo(1) });
    const unproven = await placePayment(given, { paidAt: daysAgo(1) });
    await given.query("delete from confirmation where invoice_id = $1", [unproven]);
    await sweepPass(given.context, GO_ON);
    const queued = await given.query<{ id: string }>(
      "select invoice_id as id from outbox join event on event.id = outbox.event_id and outbox.state = 'due'",
    );
    expect(queued.map(({ id }) => id).sort()).toEqual([lost, elsewhere].sort());
    const due = await given.query("select invoice_id as id from confirmation where state = 'due'");
    expect(due).toEqual([{ id: unproven }]);
    expect(await given.query("select state from confirmation where invoice_id = $1", [fine])).toEqual([
      { state: "done" },
    ]);
  });
});
