import { describe, it } from "vitest";
import { eventually, toEqual } from "../support/eventually.ts";
import { addCallback, addConfirmation } from "../support/log-rows.ts";
import { startHarness } from "../support/relay.ts";
import { replaying } from "./replaying-fixture.ts";

describe("replays that a running relay takes up", () => {
  it("do not wait for one that cannot go on, of their own kind or another (G11)", async () => {
    const harness = await startHarness();
    // What was replayed for a source that is refused is never asked about.
    await harness.query(
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, state, priority)
       select gen_random_uuid(), 'sick', 'replay', now(), now(), now(), 'due', 'replay'
       from generate_series(1, 1000)`,
    );
    for (const source of ["sick", "well"]) await addConfirmation(harness, { source, verdict: "not_paid" });
    await addCallback(harness, { source: "well" });
    const [asking, reading] = [
      replaying(harness, { kind: "confirmations" }),
      replaying(harness, { kind: "callbacks" }),
    ];
    const { id: sick } = await asking.start({ source: "sick" });
    const well = [await asking.start({ source: "well" }), await reading.start({ source: "well" })];
    asking.passing();

    const states = () =>
      harness.query("select id, state, waits_for is not null as waits from replay order by id");
    await eventually(
      states,
      toEqual(
        [
          { id: sick, state: "running", waits: true },
          ...well.map(({ id }) => ({ id, state: "done", waits: false })),
        ].sort((one, other) => (one.id < other.id ? -1 : 1)),
      ),
    );
  });
});
