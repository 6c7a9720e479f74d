import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { readSettings, SERVE_REQUIRES } from "../../src/kit/settings.ts";
import { sourcesOf } from "../../src/kit/sources.ts";
import { addCallback } from "../support/log-rows.ts";
import { passesApart } from "../support/passes-apart.ts";
import { startRelay, surroundings } from "../support/relay.ts";

it("a partition that takes too long to make keeps neither callbacks nor the start of serve waiting (G11)", async () => {
  const around = await surroundings();
  // What the default partition took in its stead moves over, while callbacks wait.
  await around.query(
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return old; end $$`,
  );
  await around.query(
    "create trigger slow before delete on callback_default for each row execute function slow()",
  );
  await addCallback(around, { received_at: new Date().toISOString() });
  expect(await around.query("select tableoid::regclass::text as place from callback")).toEqual([
    { place: "callback_default" },
  ]);
  const relay = await startRelay(around.environment({ COLLECTION_IDS: "none" }));
  // The workers try once more, and hold the log for a few seconds.
  await vi.waitFor(async () =>
    expect((await relay.callback({ data: { id: randomUUID() } })).status).toBe(200),
  );
  expect(relay.lines).toContainEqual(
    expect.objectContaining({
      msg: "partitions of the callback log are missing",
      error: expect.stringContaining("statement timeout"),
    }),
  );
});

it("retention deletes nothing within an hour after a clock was set: it may have been set wrong", async () => {
  const around = await surroundings();
  await around.query(
    "create table callback_2020_03 partition of callback for values from ('2020-03-01') to ('2020-04-01')",
  );
  const settings = readSettings(around.environment({ COLLECTION_IDS: "none" }), SERVE_REQUIRES);
  const { passes, close } = await passesApart(settings, sourcesOf(settings), { max: 2 });
  onTestFinished(close);
  const isThere = () => around.query("select to_regclass('callback_2020_03') is not null as there");
  await around.query(
    "insert into alarm (name, source, subject, detail) values ('clock_stepped', '', 'postgres', '')",
  );
  await passes.retention();
  expect(await isThere()).toEqual([{ there: true }]);
  await around.query("update alarm set cleared_at = clock_timestamp()");
  await passes.retention();
  expect(await isThere()).toEqual([{ there: false }]);
});
