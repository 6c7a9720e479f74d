import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { eraseInvoice } from "../../../src/operations/erase.ts";
import { applyRetention } from "../../../src/operations/retention.ts";
import { makePartitions, partitionsDue } from "../../../src/pipeline/receive/log/partitions.ts";
import { connect } from "../../../src/platform/database/connect.ts";
import {
  FUNCTION_RIGHTS,
  grantRoles,
  RIGHTS,
  ROLES,
  type Role,
} from "../../../src/platform/database/roles.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { createTestDatabase, openDatabase, ownDatabase } from "../../support/database.ts";
import { withDatabase } from "../../support/log-rows.ts";
import { loginWith } from "../../support/login.ts";
import { startRelay } from "../../support/relay.ts";

const database = await createTestDatabase();
const { db: owner, close } = connect(new Secret(database.url), { max: 2 });
afterAll(async () => {
  await close();
  await database.drop();
});
await makePartitions(owner);
await grantRoles(owner);

const THIS_MONTH = partitionsDue(new Date())[0]?.name ?? "";

/** Runs statements as a login with these roles, each in a transaction that is rolled back. */
async function tries(roles: readonly Role[], statements: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: await loginWith(database.url, roles) });
  await client.connect();
  const outcomes: string[] = [];
  for (const statement of statements) {
    await client.query("begin");
    outcomes.push(
      await client.query(statement).then(
        () => "done",
        ({ code }) => (code === "42501" ? "refused" : code),
      ),
    );
    await client.query("rollback");
  }
  await client.end();
  return outcomes;
}

const as = async (...roles: Role[]) => openDatabase(await loginWith(database.url, roles));

/** One row of the log. @returns its id */
async function log(at: string, invoiceId: string, db = owner): Promise<string> {
  const id = randomUUID();
  await sql`insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
    values (${id}, ${at}, 'default', 'POST', '', '', ${[invoiceId]}, '[]', 'Ada')`.execute(db);
  return id;
}

describe("database roles", () => {
  it("are decided for every table that there is, and for no other", async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p') and relname !~ '^callback_\\d{4}_\\d{2}$'`.execute(owner);
    expect(Object.keys(RIGHTS).sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  it("let nobody log in as one, and the narrow ones do only their part", async () => {
    /** Who may: r for the receiver, w for the worker, o for who only reads. */
    const attempts: Record<string, string> = {
      "select from callback": "rwo",
      "insert into alarm (name, source, subject, detail) values ('a', 'b', 'c', 'd')": "rw",
      "select from invoice": "wo",
      "delete from audit_entry": "",
      "create table mine (id int)": "",
      "drop table event": "",
    };
    for (const [role, letter] of [
      ["receiver", "r"],
      ["worker", "w"],
      ["reader", "o"],
    ] as const)
      expect(await tries([role], Object.keys(attempts)), role).toEqual(
        Object.values(attempts).map((who) => (who.includes(letter) ? "done" : "refused")),
      );
    expect(await tries([], ["select from callback"])).toEqual(["refused"]);
    const { rows } = await sql`
      select from pg_roles where rolcanlogin and rolname = any(${Object.values(ROLES)})`.execute(owner);
    expect(rows).toEqual([]);
  });

  it("are made at the same time in several databases of a server, and again, without a fault", async () => {
    const databases = await Promise.all([ownDatabase(), ownDatabase(), ownDatabase()]);
    const states = await Promise.all(
      [...databases, ...databases, ...databases].map(({ db }) => grantRoles(db)),
    );
    expect(new Set(states)).toEqual(new Set(["granted"]));
  });

  it("let the worker make and drop past months of the log as their owner would, and nothing else so", async () => {
    await sql`select make_callback_partition('2019-03-01'), make_callback_partition('2019-04-15')`.execute(
      owner,
    );
    const attempts = [
      "select make_callback_partition('2019-05-31')",
      "select drop_callback_partition('callback_2019_03', '{}', '{}')",
      `select drop_callback_partition('${THIS_MONTH}', '{}', '{}')`,
      "select drop_callback_partition('callback_default', '{}', '{}')",
      "select drop_callback_partition('event', '{}', '{}')",
      "drop table callback_2019_03",
    ];
    const done = ["done", "done", "22023", "22023", "22023", "refused"];
    expect(await tries(["worker"], attempts)).toEqual(done);
    expect(await tries(["receiver", "reader"], attempts)).toEqual(attempts.map(() => "refused"));
  });

  it("let nobody change, delete or lock the logs: what is recorded never waits for a worker", async () => {
    const attempts = [
      ...["delete from callback", `delete from ${THIS_MONTH}`, "truncate callback", "delete from event"],
      ...["update callback set invoice_ids = '{}'", "update event set created_at = now()"],
      ...["callback", "callback_default", THIS_MONTH, "event"].flatMap((table) =>
        ["share", "exclusive", "access exclusive"].map((mode) => `lock table ${table} in ${mode} mode`),
      ),
    ];
    expect(await tries(["worker", "receiver", "reader"], attempts)).toEqual(attempts.map(() => "refused"));
  });

  it("let the worker alone delete, of past months, what retention kept", async () => {
    const [past, now] = ["2018-03-10T10:00:00Z", new Date().toISOString()];
    const [old, young] = [await log(past, randomUUID()), await log(now, randomUUID())];
    const drop = `select drop_kept_callbacks('{${past},${now}}', '{${old},${young}}')`;
    expect(await tries(["receiver", "reader"], [drop])).toEqual(["refused"]);
    await sql.raw(drop).execute(await as("worker"));
    const { rows } = await sql`select id from callback where id in (${old}, ${young})`.execute(owner);
    expect(rows).toEqual([{ id: young }]);
  });

  it("let nobody in between them and their owner: what they call is looked up in pg_catalog", async () => {
    const { rows } = await sql<{ name: string; settings: string[] }>`
      select proname as name, proconfig as settings from pg_proc
      where prosecdef and pronamespace = 'public'::regnamespace order by 1`.execute(owner);
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(FUNCTION_RIGHTS).sort());
    for (const { settings } of rows) expect(settings).toContain("search_path=pg_catalog, pg_temp");
  });

  it("let the receiver decide nothing: no verdict, no pause, no end of an alarm, no erasing", async () => {
    const attempts = [
      "update confirmation set verdict = 'paid'",
      "update confirmation set lease_token = null, claimed_until = null",
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, verdict)
       values (gen_random_uuid(), 'a', 'callback', now(), now(), now(), 'paid')`,
      "delete from confirmation",
      "update source set paused_by = 'operator', paused_at = now()",
      "update source set opens_at = 'infinity'",
      "insert into source (name, opens_at) values ('a', 'infinity')",
      "insert into topic (arn, paused_by, paused_at) values ('a', 'operator', now())",
      "update alarm set cleared_at = now()",
      "delete from alarm",
      "update callback set erased_at = now()",
      "insert into erased_invoice (id) values (gen_random_uuid())",
      "lock table confirmation in share mode",
    ];
    expect(await tries(["receiver"], attempts)).toEqual(attempts.map(() => "refused"));
  });

  it("are enough to erase", async () => {
    const [db, id] = [await as("worker"), randomUUID()];
    await log(new Date().toISOString(), id, db);
    await sql`
      insert into event (id, source, type, invoice_id, invoice_type, payload)
      values (${randomUUID()}, 'default', 'invoice.paid', ${id}, 'Live', '{"data":{}}')`.execute(db);
    const erased = await eraseInvoice({ db, actor: "cli:test", invoiceId: id });
    expect(erased).toMatchObject({ callbacks: 1, events: 1 });
  });

  it("are enough for what serve does daily: partitions ahead are made, old months leave", async () => {
    await sql`select make_callback_partition('2020-03-01')`.execute(owner);
    const db = await as("receiver", "worker");
    const kept = randomUUID();
    for (const id of [kept, randomUUID()]) await log("2020-03-10T10:00:00.123456Z", id, db);
    await sql`
      insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at)
      values (${kept}, 'default', 'callback', now(), now(), now())`.execute(db);
    expect(await makePartitions(db, new Date("2031-01-01T00:00:00Z"))).toHaveLength(4);
    const { partitions } = await applyRetention({ db, actor: "cli:test", retentionMs: 400 * 86_400_000 });
    expect(partitions.find(({ name }) => name === "callback_2020_03")).toMatchObject({
      callbacks: 2,
      kept: 1,
    });
    const { rows } = await sql`
      select received_at::text as at from callback where ${kept}::uuid = any(invoice_ids)`.execute(db);
    expect(rows).toEqual([{ at: "2020-03-10 10:00:00.123456+00" }]);
  });

  it.each<[string, Role[], number]>([
    ["serve --no-workers: the receiver alone records", ["receiver"], 0],
    ["serve: with receiver and worker a payment goes all the way", ["receiver", "worker"], 1],
  ])("are enough for %s", async (_, roles, published) => {
    const { harness, db } = await withDatabase();
    await makePartitions(db);
    await grantRoles(db);
    const id = harness.provider.paid();
    const DATABASE_URL = await loginWith(harness.databaseUrl, roles);
    const environment = harness.environment({ COLLECTION_IDS: "none", DATABASE_URL });
    const relay = await startRelay(environment, { http: true, workers: published > 0 });
    expect((await relay.callback({ data: { id } })).status).toBe(200);
    await vi.waitFor(async () =>
      expect(await harness.query("select from publication where message_id is not null")).toHaveLength(
        published,
      ),
    );
    await vi.waitFor(async () => expect((await fetch(`${relay.url}/readyz`)).status).toBe(200));
    expect(await harness.query("select from callback")).toHaveLength(1);
    await relay.stop();
    expect(relay.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  });
});
