import { describe, expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../test/support/database.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { endEnvironment, makeEnvironment } from "../environment/environment.ts";
import { STEPS } from "./failpoints.ts";
import { Matrix, type MatrixKind } from "./matrix.ts";

const LEASE_MS = 1_000;

/** An environment with a database of its own, removed after the test. */
async function matrix(kind: MatrixKind) {
  const database = await createTestDatabase();
  const folder = await temporaryFolder();
  const relays = kind === "crash" ? 1 : 2;
  const environment = await makeEnvironment({
    folder,
    seed: 0,
    databaseUrl: database.url,
    relays,
    leaseMs: LEASE_MS,
  });
  onTestFinished(async () => {
    await endEnvironment(environment);
    await database.drop();
  });
  return new Matrix(environment, kind, LEASE_MS);
}

const GOOD = { reached: true, rested: true, copies: 0, findings: [] };

/** `npm run crash-matrix` runs the other steps. */
const step = STEPS.find(({ name }) => name === "callback recorded") ?? { name: "", drive: "callback" };

describe("between the commit of a callback and its answer", () => {
  it("a process that is killed has lost nothing (G1, G2, G5)", async () => {
    expect(await (await matrix("crash")).row(step)).toEqual({ step: step.name, ...GOOD });
  });

  it("a process that sleeps for two leases does no harm when it wakes (G6, G7)", async () => {
    expect(await (await matrix("pause")).row(step)).toEqual({ step: step.name, ...GOOD });
  });
});
