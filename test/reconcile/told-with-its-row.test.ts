import { describe, expect, it } from "vitest";
import { scheduleDaily } from "../../src/reconcile/certificate/certificate-row.ts";
import { certifyPass } from "../../src/reconcile/certificate/certify.ts";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import { scheduleSweeps } from "../../src/reconcile/sweep/sweep-row.ts";
import { COLLECTION, type ListProvider, PLAIN } from "./list-provider.ts";
import { place } from "./prove-period.ts";
import { type Books, books } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

const PASSES = {
  sweep: ({ context }: Books) => sweepPass(context, GO_ON),
  certificate: ({ context }: Books) => certifyPass(context, GO_ON),
};

const broken = (provider: ListProvider) => {
  provider.faults = [(response) => void response.writeHead(500).end("{}")];
};
const contradictory = (provider: ListProvider) => {
  provider.reading = { ...PLAIN, hides: 1 };
};

/** A run that failed twice and is due again. */
async function failedTwice(table: keyof typeof PASSES) {
  const given = await books();
  await place(given);
  if (table === "sweep") await scheduleSweeps(given.db, "default", [COLLECTION], 600_000);
  else await scheduleDaily(given.db, given.source);
  await given.query(`update ${table} set faults = 2, due_at = now()`);
  await given.query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no alarm can be written'; end $$`);
  /** A pass, while no alarm can be raised or ended. */
  const passUntold = async () => {
    await given.query(
      "create trigger refuse before insert or update on alarm for each row execute function refuse()",
    );
    await expect(PASSES[table](given)).rejects.toThrow("no alarm can be written");
    await given.query("drop trigger refuse on alarm");
    const left = await given.query(`select state from ${table} where faults = 2`);
    await given.query(
      `update ${table} set state = 'due', lease_token = null, claimed_until = null, due_at = now() where state = 'claimed'`,
    );
    return left;
  };
  return { ...given, passUntold, pass: () => PASSES[table](given) };
}

describe("what a run comes to and what is told of it are written together, or not at all (G13)", () => {
  it.each([
    ["sweep_failing", "sweep", broken],
    ["sweep_failing", "sweep", contradictory],
    ["certificate_failing", "certificate", broken],
    ["certificate_gap", "certificate", contradictory],
  ] as const)("%s, of a %s", async (name, table, fails) => {
    const given = await failedTwice(table);
    fails(given.provider);
    expect(await given.passUntold()).toEqual([{ state: "claimed" }]);
    await given.pass();
    expect(await given.openAlarms()).toEqual([name]);

    Object.assign(given.provider, { faults: [], reading: PLAIN });
    await given.query("update source set opens_at = '-infinity'");
    const nothing = table === "sweep" ? "" : ", document = null, gaps = null, result = null";
    await given.query(
      `update ${table} set state = 'due', faults = 2, due_at = now(), finished_at = null${nothing}`,
    );
    expect(await given.passUntold()).toEqual([{ state: "claimed" }]);
    await given.pass();
    expect(await given.openAlarms()).toEqual([]);
  });
});
