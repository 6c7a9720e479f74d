import { describe, expect, it } from "vitest";
import {
  certificates,
  claimAskedFor,
  finishCertificate,
} from "../../../src/pipeline/reconcile/certificate/certificate-row.ts";
import {
  claimDueSweep,
  finishSweep,
  scheduleSweeps,
  sweeps,
} from "../../../src/pipeline/reconcile/sweep/sweep-row.ts";
import { LeaseLost } from "../../../src/platform/worker/leased-rows.ts";
import { COLLECTION } from "./list-provider.ts";
import { midnight, prove } from "./prove-period.ts";
import { type Books, books } from "./relay-books.ts";

const SWEEP_END = { listed: null, whole: null, unproven: [], alarms: {} };

const claimedSweep = async ({ db, context }: Books) =>
  claimDueSweep(db, { source: "default", collectionIds: [COLLECTION], lease: context.lease });

describe("a run whose lease another worker has taken since is written to by that worker alone (G6)", () => {
  it("a sweep", async () => {
    const given = await books();
    const { db, query } = given;
    await scheduleSweeps(db, "default", [COLLECTION], 600_000);
    const old = await claimedSweep(given);
    await query("update sweep set state = 'due', lease_token = null, claimed_until = null");
    const current = await claimedSweep(given);
    if (old === null || current === null) throw new Error("not claimed");
    expect(old.id).toBe(current.id);
    await expect(finishSweep(db, old, SWEEP_END)).rejects.toThrow(LeaseLost);
    expect(await sweeps.release(db, old, { dueInMs: 0, isFault: true, error: "old" })).toBe(false);
    expect(await query("select state, faults, last_error from sweep")).toEqual([
      { state: "claimed", faults: 0, last_error: null },
    ]);
    await finishSweep(db, current, SWEEP_END);
  });

  it("a certificate", async () => {
    const given = await books();
    const { db, query, context } = given;
    const made = await prove(given);
    const asked = {
      ...{ source: "default", window: { from: midnight(9), to: midnight(8) }, deep: false },
      collectionIds: [COLLECTION],
    };
    const old = await claimAskedFor(db, asked, context.lease);
    await query(
      `update certificate set state = 'due', lease_token = null, claimed_until = null where id = '${old.id}'`,
    );
    const current = await claimAskedFor(db, asked, context.lease);
    expect(old.id).toBe(current.id);
    await expect(finishCertificate(db, old, made)).rejects.toThrow(LeaseLost);
    expect(await certificates.release(db, old, { dueInMs: 0, isFault: true, error: "old" })).toBe(false);
    await finishCertificate(db, current, made);
  });
});
