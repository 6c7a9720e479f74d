import { describe, expect, it } from "vitest";
import { eventually, toEqual } from "../../support/eventually.ts";
import { addCallback, addConfirmation, addEvents } from "../../support/log-rows.ts";
import type { Harness } from "../../support/relay.ts";
import { ownReplaying, replaying } from "./replaying-fixture.ts";

/**
 * The next writes of a row that fits fail as those of a transaction that Postgres rolled back, while the connection
 * lives: could not serialize, deadlock, lock timeout, statement timeout. A sequence counts them: it stands when a
 * transaction is undone.
 */
async function failWrites({ query }: Pick<Harness, "query">, times: number, fits = "true") {
  await query("create sequence faults");
  await query(
    `create function fault() returns trigger language plpgsql as $$
      declare states text[] := '{40001,40P01,55P03,57014}';
      begin
        if ${fits} and nextval('faults') <= ${times} then
          raise exception 'a fault of the test' using errcode = states[1 + currval('faults') % 4];
        end if;
        return new;
      end $$`,
  );
  for (const table of ["confirmation", "publication"])
    await query(
      `create trigger fault before insert or update on ${table} for each row execute function fault()`,
    );
}

it.each([
  ["confirmations", 2, 0],
  ["events", 1, 5],
] as const)(
  "a replay of %s that Postgres rolls back goes on, and does nothing twice",
  async (kind, requests, sent) => {
    const { query, harness, sns, start, run } = await ownReplaying({ kind });
    await addEvents(harness, 5);
    for (let count = 0; count < 5; count += 1) await addConfirmation(harness);
    const replay = await start();
    await failWrites(harness, 4);
    expect(await run(replay)).toMatchObject({ state: "done", handled: 5, waitsFor: null });
    expect(await query("select distinct requests from confirmation")).toEqual([{ requests }]);
    expect(sns.messages()).toHaveLength(sent);
    expect(await query("select from publication where replay_id is not null")).toHaveLength(sent);
  },
);

/** Reasons why a replay of the source `sick` does not go on. */
const STUCK: Record<string, (harness: Harness) => Promise<unknown>> = {
  "what it has opened is never asked about": ({ query }) =>
    query(
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, state, priority)
       select gen_random_uuid(), 'sick', 'replay', now(), now(), now(), 'due', 'replay'
       from generate_series(1, 1000)`,
    ),
  "Postgres rolls it back each time": (harness) => failWrites(harness, 1_000_000, "new.source = 'sick'"),
};

describe("replays that a running relay takes up", () => {
  it.each(Object.keys(STUCK))(
    "do not wait for one that cannot go on, and says so, since %s (G11)",
    async (why) => {
      const { query, harness, ...asking } = await ownReplaying({ kind: "confirmations" });
      for (const source of ["sick", "well"]) await addConfirmation(harness, { source, verdict: "not_paid" });
      await addCallback(harness, { source: "well" });
      await STUCK[why]?.(harness);
      const { id: sick } = await asking.start({ source: "sick" });
      // One of its own kind, and one of another.
      for (const { start } of [asking, replaying(harness, { kind: "callbacks" })])
        await start({ source: "well" });
      asking.passing();
      const done = { state: "done", waits: false, sick: false };
      await eventually(
        () =>
          query(
            "select state, waits_for is not null as waits, id = $1 as sick from replay order by sick, requested_at",
            [sick],
          ),
        toEqual([done, done, { state: "running", waits: true, sick: true }]),
      );
    },
  );
});
