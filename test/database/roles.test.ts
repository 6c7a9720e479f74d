import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import { FUNCTION_RIGHTS, grantRoles, grantStatements, RIGHTS, ROLES } from "../../src/database/roles.ts";
import { eraseInvoice } from "../../src/operate/erase.ts";
import { applyRetention } from "../../src/operate/retention.ts";
import { makePartitions } from "../../src/receive/log/partitions.ts";
import { openDatabase } from "../support/database.ts";
import { withDatabase } from "../support/log-rows.ts";
import { loginWith, thisMonth, tries, withRoles } from "../support/login.ts";
import { startRelay } from "../support/relay.ts";

describe("database roles", () => {
  it("are decided for every table that there is, and for no other", async () => {
    const { db } = await withRoles();
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p') and relname !~ '^callback_\\d{4}_\\d{2}$'`.execute(db);
    expect(Object.keys(RIGHTS).sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  it("let nobody log in as one, and the narrow ones do only their part", async () => {
    const { database, db } = await withRoles();
    /** Who may: r for the receiver, w for the worker, o for who only reads. */
    const attempts: Record<string, string> = {
      "select from callback": "rwo",
      "insert into alarm (name, source, subject, detail) values ('a', 'b', 'c', 'd')": "rw",
      "delete from callback": "",
      "select from invoice": "wo",
      "update event set created_at = now()": "",
      "delete from event": "",
      "delete from audit_entry": "",
      "create table mine (id int)": "",
      "drop table event": "",
    };
    for (const [role, letter] of [
      ["receiver", "r"],
      ["worker", "w"],
      ["reader", "o"],
    ] as const)
      expect(await tries(database.url, [role], Object.keys(attempts)), role).toEqual(
        Object.values(attempts).map((who) => (who.includes(letter) ? "done" : "refused")),
      );
    expect(await tries(database.url, [], ["select from callback"])).toEqual(["refused"]);
    const { rows } = await sql<{ rolcanlogin: boolean }>`
      select rolcanlogin from pg_roles where rolname = any(${Object.values(ROLES)})`.execute(db);
    expect(rows.map(({ rolcanlogin }) => rolcanlogin)).toEqual([false, false, false]);
  });

  it("are made at the same time in several databases of a server, and again, without a fault", async () => {
    const databases = await Promise.all([withRoles(), withRoles(), withRoles()]);
    const states = await Promise.all(
      [...databases, ...databases, ...databases].map(({ db }) => grantRoles(db)),
    );
    expect(new Set(states)).toEqual(new Set(["granted"]));
  });

  it("let the worker make and drop past months of the log as their owner would, and nothing else so", async () => {
    const { database, db } = await withRoles();
    await sql`select make_callback_partition('2020-03-01'), make_callback_partition('2020-04-15')`.execute(
      db,
    );
    const attempts = [
      "select make_callback_partition('2020-05-31')",
      "select drop_callback_partition('callback_2020_03', '{}', '{}')",
      `select drop_callback_partition('${thisMonth()}', '{}', '{}')`,
      "select drop_callback_partition('callback_default', '{}', '{}')",
      "select drop_callback_partition('event', '{}', '{}')",
      "drop table callback_2020_03",
    ];
    const done = ["done", "done", "22023", "22023", "22023", "refused"];
    expect(await tries(database.url, ["worker"], attempts)).toEqual(done);
    expect(await tries(database.url, ["receiver"], attempts)).toEqual(attempts.map(() => "refused"));
    expect(await tries(database.url, ["reader"], attempts)).toEqual(attempts.map(() => "refused"));
  });

  it("let nobody change or delete the log; of past months only what retention kept", async () => {
    const { database, db } = await withRoles();
    const [old, young] = [randomUUID(), randomUUID()];
    const log = (id: string, at: string) =>
      sql`insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
        values (${id}, ${at}, 'default', 'POST', '', '', '{}', '[]', 'sent')`.execute(db);
    await log(old, "2020-03-10T10:00:00Z");
    await log(young, new Date().toISOString());
    const attempts = [
      "delete from callback",
      `delete from ${thisMonth()}`,
      "truncate callback",
      "update callback set invoice_ids = '{}'",
      "update event set created_at = now()",
      "delete from event",
    ];
    const all = attempts.map(() => "refused");
    expect(await tries(database.url, ["worker", "receiver", "reader"], attempts)).toEqual(all);

    const drop = `select drop_kept_callbacks('{2020-03-10T10:00:00Z,${new Date().toISOString()}}', '{${old},${young}}')`;
    expect(await tries(database.url, ["receiver", "reader"], [drop])).toEqual(["refused"]);
    await sql.raw(drop).execute(openDatabase(await loginWith(database.url, ["worker"])));
    expect((await sql`select id from callback`.execute(db)).rows).toEqual([{ id: young }]);
  });

  it("let nobody in between them and their owner: what they call is looked up in pg_catalog", async () => {
    const { db } = await withRoles();
    const { rows } = await sql<{ name: string; settings: string[] }>`
      select proname as name, proconfig as settings from pg_proc
      where prosecdef and pronamespace = 'public'::regnamespace order by 1`.execute(db);
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(FUNCTION_RIGHTS).sort());
    for (const { settings } of rows) expect(settings).toContain("search_path=pg_catalog, pg_temp");
  });

  it("let the receiver decide nothing: no verdict, no pause, no end of an alarm, no erasing", async () => {
    const { database } = await withRoles();
    const attempts = [
      "update confirmation set verdict = 'paid'",
      "update confirmation set settled_at = now()",
      "update confirmation set lease_token = null, claimed_until = null",
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, verdict)
       values (gen_random_uuid(), 'a', 'callback', now(), now(), now(), 'paid')`,
      "delete from confirmation",
      "update source set paused_by = 'operator', paused_at = now()",
      "update source set opens_at = 'infinity'",
      "insert into source (name, opens_at) values ('a', 'infinity')",
      "insert into topic (arn, paused_by, paused_at) values ('a', 'operator', now())",
      "update topic set opens_at = 'infinity'",
      "update alarm set cleared_at = now()",
      "update alarm set told_at = now()",
      "delete from alarm",
      "update callback set erased_at = now()",
      "insert into erased_invoice (id) values (gen_random_uuid())",
      "select from confirmation for update",
      "lock table confirmation in share mode",
      "lock table callback in share mode",
    ];
    const outcomes = await tries(database.url, ["receiver"], attempts);
    // Locking rows takes a right to update some column; there are none here to lock.
    expect(outcomes).toEqual(attempts.map((attempt) => (/for update/.test(attempt) ? "done" : "refused")));
  });

  it("let nobody lock the logs: what is recorded and published never waits for a worker", async () => {
    const { database } = await withRoles();
    const attempts = ["callback", "callback_default", thisMonth(), "event"].flatMap((log) =>
      ["share", "exclusive", "access exclusive"].map((mode) => `lock table ${log} in ${mode} mode`),
    );
    const all = attempts.map(() => "refused");
    expect(await tries(database.url, ["receiver", "worker", "reader"], attempts)).toEqual(all);
  });

  it("are enough to erase", async () => {
    const { database } = await withRoles();
    const db = openDatabase(await loginWith(database.url, ["worker"]));
    const id = randomUUID();
    await sql`
      insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
      values (${randomUUID()}, now(), 'default', 'POST', '', '', ${[id]}, '[]', 'Ada')`.execute(db);
    await sql`
      insert into event (id, source, type, invoice_id, invoice_type, payload)
      values (${randomUUID()}, 'default', 'invoice.paid', ${id}, 'Live', '{"data":{}}')`.execute(db);
    expect(await eraseInvoice({ db, actor: "cli:test", invoiceId: id })).toMatchObject({
      callbacks: 1,
      events: 1,
    });
  });

  it("are enough for what serve does daily: partitions ahead are made, old months leave", async () => {
    const { database, db: owner } = await withRoles();
    await sql`select make_callback_partition('2020-03-01')`.execute(owner);
    const db = openDatabase(await loginWith(database.url, ["receiver", "worker"]));
    const kept = randomUUID();
    for (const id of [kept, randomUUID()])
      await sql`
        insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
        values (${randomUUID()}, '2020-03-10T10:00:00.123456Z', 'default', 'POST', '', '', ${[id]}, '[]',
          '')`.execute(db);
    await sql`
      insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at)
      values (${kept}, 'default', 'callback', now(), now(), now())`.execute(db);
    expect(await makePartitions(db, new Date("2031-01-01T00:00:00Z"))).toHaveLength(4);
    const result = await applyRetention({ db, actor: "cli:test", retentionMs: 400 * 86_400_000 });
    expect(result).toMatchObject({
      partitions: [{ name: "callback_2020_03", callbacks: 2, kept: 1 }],
      stays: null,
    });
    const { rows } =
      await sql`select invoice_ids::text[] as ids, received_at::text as at from callback`.execute(db);
    expect(rows).toEqual([{ ids: [kept], at: "2020-03-10 10:00:00.123456+00" }]);
  });

  it("name nothing that would need quoting", () => {
    for (const statement of grantStatements()) expect(statement).toMatch(/^[a-z_, ()]+$/);
  });

  it("are enough for serve --no-workers: the receiver alone records", async () => {
    const { harness, db } = await withDatabase();
    await makePartitions(db);
    await grantRoles(db);
    const relay = await startRelay(
      harness.environment({
        COLLECTION_IDS: "none",
        DATABASE_URL: await loginWith(harness.databaseUrl, ["receiver"]),
      }),
      { http: true, workers: false },
    );
    expect((await relay.callback({ data: { id: randomUUID() } })).status).toBe(200);
    await vi.waitFor(async () => expect((await fetch(`${relay.url}/readyz`)).status).toBe(200));
    expect(await harness.query("select from callback")).toHaveLength(1);
    await relay.stop();
    expect(relay.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    expect(relay.lines.filter(({ msg }) => String(msg).includes("may not make partitions"))).toHaveLength(1);
  });

  it("are enough for serve: with receiver and worker a payment goes all the way", async () => {
    const { harness, db } = await withDatabase();
    await makePartitions(db);
    await grantRoles(db);
    const id = harness.provider.paid();
    const relay = await startRelay(
      harness.environment({
        COLLECTION_IDS: "none",
        DATABASE_URL: await loginWith(harness.databaseUrl, ["receiver", "worker"]),
      }),
    );
    expect((await relay.callback({ data: { id } })).status).toBe(200);
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
    await vi.waitFor(async () =>
      expect(await harness.query("select message_id is not null as sent from publication")).toEqual([
        { sent: true },
      ]),
    );
    await vi.waitFor(async () => expect((await fetch(`${relay.url}/readyz`)).status).toBe(200));
    await relay.stop();
    expect(relay.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  });
});
