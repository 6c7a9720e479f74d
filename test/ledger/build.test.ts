import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { rootOf as rootBy, rootsOf } from "../../examples/verify/verify.ts";
import type { Database } from "../../src/database/tables.ts";
import { buildBatch, buildLedger, type Reading } from "../../src/ledger/build.ts";
import { kindNamed, SHARED } from "../../src/ledger/kinds.ts";
import { leafHash, nodeHash, rootOf } from "../../src/ledger/merkle.ts";
import { Prover, proveConsistency, readRoot, rootAt } from "../../src/ledger/proofs.ts";
import { readRow } from "../../src/ledger/read-rows.ts";
import { unpackRefs } from "../../src/ledger/refs.ts";
import { hashesIn, readTiles } from "../../src/ledger/tiles.ts";
import { verifyLedger } from "../../src/ledger/verify.ts";
import { openSession } from "../support/database.ts";
import { addPayments } from "../support/ledgered-rows.ts";
import { withDatabase } from "../support/log-rows.ts";

/** Leaves of one payment of `addPayments` in its source's tree. */
const PER_PAYMENT = 8;

async function leavesOf(db: Database, source: string) {
  const tiles = await readTiles(db, source, sql`true`);
  return {
    names: tiles.flatMap(({ refs }) => [...unpackRefs(refs)].map(({ name }) => name)),
    hashes: tiles.flatMap(({ hashes }) => hashesIn(hashes)),
  };
}

/** Subtrees from nothing but the leaves. */
const overLeaves = (hashes: readonly Buffer[]) =>
  async function read(level: number, index: number): Promise<Buffer> {
    if (level === 0) return hashes[index] ?? Buffer.alloc(0);
    return nodeHash(await read(level - 1, index * 2), await read(level - 1, index * 2 + 1));
  };

async function proveInclusion(db: Database, source: string, { kind, key }: { kind: string; key: string }) {
  const row = await readRow(db, kindNamed(kind), source, key);
  return row && (await new Prover(db).prove(kindNamed(kind), row));
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

const insertAct = "insert into audit_entry (actor, action, subject, detail) values ('a', 'b', $1, '{}')";

describe("building the ledger", () => {
  it.concurrent("takes in each row once; the root is that of RFC 9162, and a later tree begins with it", async () => {
    const { around, db } = await withDatabase();
    await addPayments(around, 300);
    await buildLedger(db);
    const first = await readRoot(db, "default");
    await addPayments(around, 100, { from: minutesAgo(2), source: "other" });
    await addPayments(around, 40, { from: minutesAgo(2) });
    expect(await buildLedger(db)).toBe(140 * (PER_PAYMENT + 1));
    expect(await buildLedger(db)).toBe(0);
    const sizes = { default: 340 * PER_PAYMENT, other: 100 * PER_PAYMENT, [SHARED]: 440 };
    for (const [source, size] of Object.entries(sizes)) {
      const { names, hashes } = await leavesOf(db, source);
      expect(new Set(names).size).toBe(size);
      expect(await readRoot(db, source)).toMatchObject({
        size,
        root: await rootOf(0, size, overLeaves(hashes)),
      });
    }
    const second = await readRoot(db, "default");
    if (first === null || second === null) throw new Error("no root");
    expect(await rootAt(db, "default", first.size)).toEqual(first.root);
    const path = await proveConsistency(db, "default", first.size, second.size);
    expect(rootsOf(first.size, second.size, [first.root], path)).toEqual([first.root, second.root]);
  });

  it.concurrent("proves that a row is in the tree, as it stands", async () => {
    const { around, db } = await withDatabase();
    const [id = ""] = await addPayments(around, 50);
    const [callback] = await around.query<{ id: string }>(
      "select id from callback where invoice_ids = array[$1::uuid]",
      [id],
    );
    await buildLedger(db);
    for (const [kind, key] of [
      ["answer", id],
      ["verdict", id],
      ["callback", callback?.id ?? ""],
    ] as const) {
      const proof = await proveInclusion(db, "default", { kind, key });
      if (proof === null) throw new Error(`no leaf of ${kind} ${key}`);
      expect(proof.matches).toBe(true);
      const { leaf, index, size, path, root } = proof;
      expect(rootBy(leafHash(Buffer.from(leaf)), index, size, path)).toEqual(root);
      expect(JSON.parse(proof.leaf)).toMatchObject({ "@kind": kind, "@key": key, "@source": "default" });
    }
    expect(await proveInclusion(db, "default", { kind: "answer", key: callback?.id ?? "" })).toBeNull();
  });

  it.concurrent("misses no row that is committed late, and takes none twice", async () => {
    const { around, db } = await withDatabase();
    const late = await openSession(around.databaseUrl);
    await late.query("begin");
    await late.query(insertAct, ["late"]);
    for (let round = 0; round < 3; round += 1) {
      await around.query(insertAct, [`round ${round}`]);
      await buildLedger(db);
    }
    // A row that is moved meanwhile, as partitions do, stands under another transaction.
    await around.query("update audit_entry set actor = actor");
    await late.query("commit");
    await around.query(insertAct, ["after"]);
    await buildLedger(db);
    await buildLedger(db);
    const acts = await around.query<{ id: string }>("select id::text from audit_entry");
    const { names } = await leavesOf(db, SHARED);
    expect(names).toHaveLength(acts.length);
    for (const { id } of acts)
      expect(await proveInclusion(db, SHARED, { kind: "act", key: id })).not.toBeNull();
  });

  it.concurrent("takes in what comes after Postgres' clock was ahead and is set right", async () => {
    const { around, db } = await withDatabase();
    await around.query(insertAct, ["before"]);
    await buildLedger(db);
    const ahead = (text: string) => new Date(Date.parse(text) + 40 * 86_400_000).toISOString();
    const [row] = await around.query<{ reading: Reading }>("select reading from ledger where source = '*'");
    const { begunAt = "", marks = [], ...reading } = row?.reading ?? {};
    const later = {
      ...reading,
      begunAt: ahead(begunAt),
      marks: marks.map((mark) => ({ ...mark, at: ahead(mark.at) })),
    };
    await around.query("update ledger set reading = $1 where source = '*'", [JSON.stringify(later)]);
    const late = await openSession(around.databaseUrl);
    await late.query("begin");
    await late.query(insertAct, ["while it was set"]);
    for (const subject of ["after", "later"]) {
      await around.query(insertAct, [subject]);
      await buildLedger(db);
    }
    await late.query("commit");
    await buildLedger(db);
    expect((await leavesOf(db, SHARED)).names).toHaveLength(4);
    expect((await verifyLedger({ db })).findings).toEqual([]);
  });

  it.concurrent("an answer gets a leaf for each version that was seen, an unchanged one none", async () => {
    const { around, db } = await withDatabase();
    const [id = ""] = await addPayments(around, 1, { from: minutesAgo(1) });
    await buildLedger(db);
    const { names } = await leavesOf(db, "default");
    await around.query("update confirmation set attempt = 3");
    await around.query("update invoice set confirmed_at = clock_timestamp(), status = 'Refunded'");
    await buildLedger(db);
    expect((await leavesOf(db, "default")).names.length - names.length).toBe(1);
    const proof = await proveInclusion(db, "default", { kind: "answer", key: id });
    expect(JSON.parse(proof?.leaf ?? "")).toMatchObject({ status: "Refunded" });
    expect(proof?.matches).toBe(true);
  });

  it.concurrent("is done by one process at a time; what another begins, one goes on with", async () => {
    const { around, db } = await withDatabase();
    await addPayments(around, 1_500);
    await Promise.all(Array.from({ length: 3 }, () => buildBatch(db)));
    await Promise.all(Array.from({ length: 3 }, () => buildLedger(db)));
    await buildLedger(db);
    const { names } = await leavesOf(db, "default");
    expect(names).toHaveLength(1_500 * PER_PAYMENT);
    expect(new Set(names).size).toBe(names.length);
  });
});
