import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildLedger } from "../../../src/ledger/build.ts";
import { readRoots } from "../../../src/ledger/proofs.ts";
import { unpackRefs } from "../../../src/ledger/refs.ts";
import { readTiles } from "../../../src/ledger/tiles.ts";
import { verifyLedger } from "../../../src/ledger/verify.ts";
import { createTestDatabase, openDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { endWorld, makeWorld } from "../world/world.ts";
import { Matrix, type MatrixKind } from "./matrix.ts";
import { STEPS } from "./steps.ts";

const LEASE_MS = 1_000;

/** A world with a database of its own, removed after the test. */
async function matrix(kind: MatrixKind) {
  const database = await createTestDatabase();
  const folder = await temporaryFolder();
  const relays = kind === "crash" ? 1 : 2;
  const world = await makeWorld({ folder, seed: 0, databaseUrl: database.url, relays, leaseMs: LEASE_MS });
  onTestFinished(async () => {
    await endWorld(world);
    await database.drop();
  });
  return Object.assign(new Matrix(world, kind, LEASE_MS), { databaseUrl: database.url });
}

const GOOD = { reached: true, rested: true, copies: 0, findings: [] };

/** `npm run crash-matrix` runs the other steps. */
const step = STEPS.find(({ name }) => name === "callback recorded") ?? { name: "", drive: "callback" };

describe("at each step of the ledger", () => {
  it("a process that is killed leaves no leaf twice and none missing (G14)", async () => {
    const world = await matrix("crash");
    for (const one of STEPS.filter(({ drive }) => drive === "ledger"))
      expect(await world.row(one)).toEqual({ step: one.name, ...GOOD });
    const db = openDatabase(world.databaseUrl);
    await buildLedger(db);
    await buildLedger(db);
    expect(await verifyLedger({ db })).toMatchObject({ findings: [], pending: 0 });
    const tiles = (await readRoots(db)).map(({ source }) => readTiles(db, source, sql`true`));
    const names = (await Promise.all(tiles)).map((some) =>
      some.flatMap(({ refs }) => [...unpackRefs(refs)].map(({ name }) => name)),
    );
    expect(names.map((some) => new Set(some).size)).toEqual(names.map((some) => some.length));
  });
});

describe("between the commit of a callback and its answer", () => {
  it("a process that is killed has lost nothing (G1, G2, G5)", async () => {
    expect(await (await matrix("crash")).row(step)).toEqual({ step: step.name, ...GOOD });
  });

  it("a process that sleeps for two leases does no harm when it wakes (G6, G7)", async () => {
    expect(await (await matrix("pause")).row(step)).toEqual({ step: step.name, ...GOOD });
  });
});
