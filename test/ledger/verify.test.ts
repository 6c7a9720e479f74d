import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { relaySchema } from "../../migrations/relay.schema.ts";
import { grantRoles } from "../../src/database/roles.ts";
import { buildLedger } from "../../src/ledger/build.ts";
import { KINDS, type Kind, SHARED } from "../../src/ledger/kinds.ts";
import { readRoots } from "../../src/ledger/proofs.ts";
import { hashesIn, readTiles, rootOver } from "../../src/ledger/tiles.ts";
import { verifyLedger } from "../../src/ledger/verify.ts";
import { eraseInvoice } from "../../src/operate/erase.ts";
import { applyRetention } from "../../src/operate/retention.ts";
import { runCli } from "../support/cli-process.ts";
import { addPayments } from "../support/ledgered-rows.ts";
import { withDatabase } from "../support/log-rows.ts";
import { loginWith } from "../support/login.ts";
import type { Surroundings } from "../support/relay.ts";

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** As superuser with the triggers off. */
const tamper = ({ query }: Surroundings, text: string) =>
  query(`do $do$ begin set local session_replication_role = replica; ${text}; end $do$`);

/** Another value of the column's type, in SQL. */
const CHANGED: Readonly<Record<string, string>> = {
  uuid: "gen_random_uuid()",
  text: "md5(random()::text)",
  "timestamp with time zone": "X + interval '1 second'",
  bigint: "X + 1000000",
  integer: "coalesce(X, 0) + 1",
  numeric: "coalesce(X, 0) + 0.01",
  boolean: "not X",
  json: `'{"changed":1}'`,
  date: "date '2020-01-01'",
  bytea: "sha256('changed')",
  "uuid[]": "array[gen_random_uuid()]",
};

const columnsOf = ({ table }: Kind) => {
  const description: Readonly<Record<string, string>> = relaySchema;
  const columns = /^(\w+) ([a-z ]+?(?:\[\])?)(?: not null| default| generated|$)/gm;
  return [...(description[table] ?? "").matchAll(columns)].map(([, name = "", type = ""]) => ({
    name,
    type,
  }));
};

describe("verifying the ledger", () => {
  it("its list covers every column of its tables, or says that it does not", () => {
    for (const kind of KINDS) {
      const listed = [...Object.keys(kind.columns), ...(kind.uncovered ?? [])].sort();
      expect([kind.name, listed]).toEqual([
        kind.name,
        columnsOf(kind)
          .map(({ name }) => name)
          .sort(),
      ]);
    }
  });

  it("names each row whose covered column a superuser changed, deleted or inserted", async () => {
    const { around, db } = await withDatabase();
    await addPayments(around, 30, { from: daysAgo(1) });
    const erased = await addPayments(around, 4, { from: daysAgo(1) });
    await buildLedger(db);
    for (const invoiceId of erased) await eraseInvoice({ db, actor: "cli:test", invoiceId });
    await buildLedger(db);
    expect(await verifyLedger({ db })).toMatchObject({ findings: [], pending: 0, proves: "consistent" });
    await around.query(
      "alter table certificate drop constraint certificate_result_check, drop constraint certificate_state_check, drop constraint certificate_done_check, drop constraint certificate_lease_check",
    );
    await around.query(
      "alter table confirmation drop constraint confirmation_opened_by_check, drop constraint confirmation_verdict_check",
    );
    await around.query("alter table callback drop constraint callback_verdict_check");
    await around.query("create sequence given_id start 1000000");
    for (const table of ["invoice_snapshot", "publication", "audit_entry"])
      await around.query(
        `alter table ${table} alter column id drop identity, alter column id set default nextval('given_id')`,
      );
    let named = 0;
    let told = 0;
    for (const kind of KINDS) {
      const { table, time, marks, name: kindName } = kind;
      const key = Object.keys(kind.key).map((column) => `${column}::text`);
      const rows = await around.query<{ where: string; key: string }>(
        `select format('ctid = %L and tableoid = %s', ctid, tableoid::oid) as where, concat_ws('/', ${key}) as key
         from ${table} ${marks ? "where erased_at is null" : ""} order by ${time}`,
      );
      const columns = columnsOf(kind).filter(({ name }) => name in kind.columns);
      expect([kindName, rows.length > columns.length]).toEqual([kindName, true]);
      await around.query(`create table kept as table ${table}`);
      for (const [at, { name, type }] of columns.entries()) {
        const value = name === "erased_at" ? "clock_timestamp()" : CHANGED[type]?.replaceAll("X", name);
        await tamper(around, `update ${table} set ${name} = ${value} where ${rows[at]?.where}`);
      }
      await tamper(around, `delete from ${table} where ${rows[columns.length]?.where}`);
      const { findings } = await verifyLedger({ db });
      const of = (at: number) => findings.filter((one) => one.key === rows[at]?.key && one.kind === kindName);
      for (const [at, { name }] of columns.entries()) {
        expect([table, name, of(at).length > 0]).toEqual([table, name, true]);
        // What it is found by has no byte: such a row is another one.
        if (name === "source" || name === time || name in kind.key) continue;
        named += 1;
        if (of(at).some((one) => one.columns.includes(name))) told += 1;
      }
      expect(of(columns.length)).toMatchObject([{ what: "removed" }]);
      await tamper(
        around,
        `delete from ${table}; insert into ${table} overriding system value select * from kept`,
      );
      await around.query("drop table kept");
    }
    // One change in 64,256 is not told.
    expect(told).toBeGreaterThanOrEqual(named - 1);
    expect(await verifyLedger({ db })).toMatchObject({ findings: [] });
    await addPayments(around, 1, { from: daysAgo(3) });
    const added = (await verifyLedger({ db })).findings.filter(({ what }) => what === "added");
    expect(added.map(({ kind }) => kind).sort()).toEqual(
      KINDS.map(({ name }) => name)
        .filter((name) => name !== "erasure")
        .sort(),
    );
  });

  it("names rows of times that no relay writes, and goes on building beside them", async () => {
    const { around, db } = await withDatabase();
    await addPayments(around, 1);
    await buildLedger(db);
    for (const time of ["-infinity", "infinity", "4000-01-01 BC", "12000-01-01"])
      await tamper(
        around,
        `insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload, created_at)
         values (gen_random_uuid(), gen_random_uuid(), 'default', 'invoice.paid', 'Live', 'Gas', '{}', '${time}')`,
      );
    await addPayments(around, 1, { from: new Date() });
    expect(await buildLedger(db)).toBeGreaterThan(0);
    const { findings } = await verifyLedger({ db });
    expect(findings.map(({ what, kind, detail }) => [what, kind, /no relay writes/.test(detail)])).toEqual(
      Array.from({ length: 4 }, () => ["added", "event", true]),
    );
  });

  it("takes no more than the reader's role", async () => {
    const { around, db } = await withDatabase();
    expect(await grantRoles(db)).toBe("granted");
    const [id = ""] = await addPayments(around, 3);
    await buildLedger(db);
    await tamper(around, `update invoice set title = 'Ada' where id = '${id}'`);
    const reader = around.environment({ DATABASE_URL: await loginWith(around.databaseUrl, ["reader"]) });
    const verified = await runCli(["ledger", "verify"], reader);
    expect(verified).toMatchObject({ code: 1, stderr: "" });
    expect(verified.stdout).toMatch(/BROKEN: 1 finding:\n {2}default: answer .* changed \(title\)/);
    expect(await runCli(["ledger", "root"], reader)).toMatchObject({ code: 0, stderr: "" });
  });

  it("erasing and retention leave it green", async () => {
    const { around, db } = await withDatabase();
    const old = await addPayments(around, 20, { from: daysAgo(100) });
    const [first = "", second = ""] = await addPayments(around, 20, { from: daysAgo(2) });
    await buildLedger(db);
    await around.query(
      "update invoice set confirmed_at = clock_timestamp(), title = 'Ada again' where id = $1",
      [first],
    );
    await buildLedger(db);
    await eraseInvoice({ db, actor: "cli:test", invoiceId: first });
    // One that no leaf stood for yet.
    const [fresh = ""] = await addPayments(around, 1, { from: new Date() });
    await eraseInvoice({ db, actor: "cli:test", invoiceId: fresh });
    await applyRetention({ db, actor: "cli:test", retentionMs: 40 * DAY_MS });
    expect(await around.query("select from callback where received_at < now() - interval '90 days'")).toEqual(
      [],
    );
    await buildLedger(db);
    const report = await verifyLedger({ db });
    expect(report).toMatchObject({ findings: [], pending: 0, replaced: 1, retired: { count: old.length } });
    // No salt of the erased rows is left, in whichever version.
    const salts = await around.query<{ salts: string }>(
      "select encode(salts, 'hex') as salts from ledger where source = 'default'",
    );
    expect(salts).toHaveLength(1);
    await tamper(around, `update invoice set title = 'Ada' where id = '${first}'`);
    await tamper(around, `delete from callback where invoice_ids = array['${second}'::uuid]`);
    expect((await verifyLedger({ db })).findings.map(({ what, kind }) => [what, kind]).sort()).toEqual([
      ["changed", "answer"],
      ["removed", "callback"],
    ]);
  });

  it("with a root kept outside: unchanged since, behind it, another's, or rewritten", async () => {
    const { around, db } = await withDatabase();
    await addPayments(around, 200, { from: daysAgo(1) });
    await buildLedger(db);
    const kept = async () =>
      (await readRoots(db)).map(({ source, size, root, at }) => ({
        source,
        size,
        root: root.toString("hex"),
        at: at.toISOString(),
      }));
    const roots = await kept();
    // The backup: everything as it stands now.
    for (const table of ["ledger", "ledger_tile", "callback", "event"])
      await around.query(`create table ${table}_backup as table ${table}`);
    await addPayments(around, 100, { from: daysAgo(0.002) });
    await buildLedger(db);
    expect(await verifyLedger({ db, roots })).toMatchObject({ findings: [], proves: "unchanged" });
    const later = await kept();
    for (const table of ["ledger", "ledger_tile"])
      await tamper(around, `delete from ${table}; insert into ${table} select * from ${table}_backup`);
    const behind = await verifyLedger({ db, roots: later });
    expect(behind.findings.filter(({ what }) => what === "behind").map(({ source }) => source)).toEqual([
      SHARED,
      "default",
    ]);
    expect(behind.findings[0]?.detail).toMatch(
      /the last \d+, taken in after .* are missing.*backup, or a standby/s,
    );
    expect(await verifyLedger({ db, roots: roots.slice(1) })).toMatchObject({ withoutRoot: [SHARED] });
    // Rewritten but for the roots of its tiles, from which a proof is made.
    await around.query("create table tile_kept as table ledger_tile");
    await tamper(
      around,
      "update ledger_tile set leaves = overlay(leaves placing sha256('other') from 1) where source = 'default' and index = 0",
    );
    const tiles = await readTiles(db, "default", sql`true`);
    const root = rootOver(tiles.flatMap(({ hashes }) => hashesIn(hashes)))?.toString("hex");
    await tamper(around, `update ledger set root = '\\x${root}' where source = 'default'`);
    expect((await verifyLedger({ db, roots })).findings.map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining("the root of leaves 0 to 255 is not theirs"),
    );
    await tamper(around, "delete from ledger_tile; insert into ledger_tile select * from tile_kept");
    const foreign = { ...(roots[1] as (typeof roots)[number]), source: "elsewhere" };
    expect((await verifyLedger({ db, roots: [foreign] })).findings[0]).toMatchObject({ what: "tree" });
    const other = { ...(roots[1] as (typeof roots)[number]), root: "00".repeat(32) };
    expect((await verifyLedger({ db, roots: [other] })).findings[0]).toMatchObject({ what: "different" });
    await tamper(around, "delete from ledger_tile where index = 2 and source = 'default'");
    expect((await verifyLedger({ db })).findings.find(({ what }) => what === "tree")?.detail).toMatch(
      /leaves 512 to 767 is missing/,
    );
  });
});
