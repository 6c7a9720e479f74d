import { describe, expect, it } from "vitest";
import { eventually, toEqual } from "../support/eventually.ts";
import { addConfirmation, addEvents } from "../support/log-rows.ts";
import { type Harness, startHarness } from "../support/relay.ts";
import { replaying } from "./replaying-fixture.ts";

/** Of a transaction that Postgres rolled back, while the connection lives: nothing of it was written. */
const PASSING = {
  "40001": "could not serialize access",
  "40P01": "deadlock detected",
  "55P03": "canceling statement due to lock timeout",
  "57014": "canceling statement due to statement timeout",
};

/** The next writes of a row that fits fail. A sequence counts them: it stands when a transaction is undone. */
async function failWrites(harness: Harness, table: string, sqlState: string, times: number, fits = "true") {
  await harness.query("create sequence faults");
  await harness.query(
    `create function fault() returns trigger language plpgsql as $$
      begin
        if ${fits} and nextval('faults') <= ${times} then
          raise exception 'a fault of the test' using errcode = '${sqlState}';
        end if;
        return new;
      end $$`,
  );
  await harness.query(
    `create trigger fault before insert or update on ${table} for each row execute function fault()`,
  );
}

describe("a replay that Postgres rolls back", () => {
  it.concurrent.each(Object.entries(PASSING))(
    "with SQLSTATE %s (%s) goes on when that is over, and does nothing twice",
    async (sqlState) => {
      const harness = await startHarness();
      const events = await addEvents(harness, 5);
      for (let count = 0; count < 5; count += 1) await addConfirmation(harness);
      const { start, run } = replaying(harness);
      const asking = replaying(harness, { kind: "confirmations" });
      const replay = await asking.start();
      await failWrites(harness, "confirmation", sqlState, 3);
      expect(await asking.run(replay)).toMatchObject({
        state: "done",
        handled: 5,
        opened: 5,
        waitsFor: null,
      });
      expect(await harness.query("select distinct requests from confirmation")).toEqual([{ requests: 2 }]);

      const publishing = await start();
      await harness.query("alter sequence faults restart");
      await harness.query(
        "create trigger fault before insert on publication for each row execute function fault()",
      );
      expect(await run(publishing)).toMatchObject({ state: "done", handled: 5, sent: 5 });
      expect(harness.sns.messages()).toHaveLength(events.length);
      expect(await harness.query("select 1 from publication where replay_id is not null")).toHaveLength(5);
    },
  );

  it("each time says why it waits, and lets others of its kind go first (G11)", async () => {
    const harness = await startHarness();
    const { start, passing } = replaying(harness, { kind: "confirmations" });
    for (const source of ["sick", "well"]) await addConfirmation(harness, { source, verdict: "not_paid" });
    await failWrites(harness, "confirmation", "57014", 1_000_000, "new.source = 'sick'");
    const { id: sick } = await start({ source: "sick" });
    const { id: well } = await start({ source: "well" });
    passing();
    const why = "the database cannot go on with it just now: a fault of the test";
    await eventually(
      () => harness.query("select id, state, waits_for from replay order by requested_at"),
      toEqual([
        { id: sick, state: "running", waits_for: why },
        { id: well, state: "done", waits_for: null },
      ]),
    );
  });
});
