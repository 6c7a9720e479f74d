import { describe, expect, it } from "vitest";
import { scheduleDaily } from "../../../src/pipeline/reconcile/certificate/certificate-row.ts";
import { runCertifyJob } from "../../../src/pipeline/reconcile/certificate/certify.ts";
import { scheduleSweeps } from "../../../src/pipeline/reconcile/sweep/sweep-row.ts";
import { COLLECTION, PLAIN, refusing } from "./list-provider.ts";
import { place } from "./prove-period.ts";
import { type Books, books, sweep } from "./relay-books.ts";

const RUNS = { sweep, certificate: ({ context }: Books) => runCertifyJob(context, context.signal) };
const BROKEN = { faults: [refusing(500)] };
const CONTRADICTORY = { reading: { ...PLAIN, hides: 1 } };

describe("what a run comes to and what is told of it are written together, or not at all (G13)", () => {
  it.each([
    ["sweep_failing", "sweep", BROKEN],
    ["sweep_failing", "sweep", CONTRADICTORY],
    ["certificate_failing", "certificate", BROKEN],
    ["certificate_gap", "certificate", CONTRADICTORY],
  ] as const)("%s, of a %s", async (name, table, trouble) => {
    const given = await books();
    const { query, provider } = given;
    await place(given);
    if (table === "sweep") await scheduleSweeps(given.db, "default", [COLLECTION], 600_000);
    else await scheduleDaily(given.db, given.source);
    await query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = 'P0042'; end $$`);
    for (const [outcome, alarms] of [
      [trouble, [name]],
      [{ faults: [], reading: PLAIN }, []],
    ] as const) {
      Object.assign(provider, outcome);
      await query("update source set opens_at = '-infinity'");
      const undone = table === "sweep" ? "" : ", document = null, gaps = null, result = null";
      const due = `update ${table} set state = 'due', faults = 2, due_at = now(), finished_at = null,
        lease_token = null, claimed_until = null${undone}`;
      await query(due);
      // No alarm can be raised or ended: then nothing is written of the run either.
      await query(
        "create trigger refuse before insert or update on alarm for each row execute function refuse()",
      );
      await expect(RUNS[table](given)).rejects.toMatchObject({ code: "P0042" });
      expect(await query(`select state from ${table} where faults = 2`)).toEqual([{ state: "claimed" }]);
      await query("drop trigger refuse on alarm");
      await query(due);
      await RUNS[table](given);
      expect(await given.openAlarms()).toEqual(alarms);
    }
  });
});
