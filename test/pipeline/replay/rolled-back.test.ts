import { expect, it } from "vitest";
import { addConfirmation, addEvents } from "../../support/log-rows.ts";
import type { Harness } from "../../support/relay.ts";
import { ownReplaying } from "./replaying-fixture.ts";

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
