import { describe, expect, it } from "vitest";
import {
  certificates,
  claimDaily,
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
    await expect(finishSweep(db, old, {})).rejects.toThrow(LeaseLost);
    expect(await sweeps.release(db, old, { dueInMs: 0, isFault: true, error: "old" })).toBe(false);
    expect(await query("select state, faults, last_error from sweep")).toEqual([
      { state: "claimed", faults: 0, last_error: null },
    ]);
    await finishSweep(db, current, {});
  });

  it("a certificate", async () => {
    const given = await books();
    const { db, query, context } = given;
    const made = await prove(given);
    await query(
      `insert into certificate (id, source, day, window_from, window_to, collection_ids)
       values (gen_random_uuid(), 'default', now(), $1, $2, '{}')`,
      [midnight(9), midnight(8)],
    );
    const claim = () => claimDaily(db, { source: "default", lease: context.lease });
    const old = await claim();
    if (old === null) throw new Error("not claimed");
    await query(
      `update certificate set state = 'due', lease_token = null, claimed_until = null where id = '${old.id}'`,
    );
    const current = await claim();
    if (current === null) throw new Error("not claimed");
    expect(old.id).toBe(current.id);
    await expect(finishCertificate(db, old, made, {})).rejects.toThrow(LeaseLost);
    expect(await certificates.release(db, old, { dueInMs: 0, isFault: true, error: "old" })).toBe(false);
    await finishCertificate(db, current, made, {});
  });
});
