import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { addCallback } from "../support/log-rows.ts";
import { startHarness, startRelay } from "../support/relay.ts";

it("a partition that takes too long to make keeps neither callbacks nor the start of serve waiting (G11)", async () => {
  const harness = await startHarness();
  // What the default partition took in its stead moves over, while callbacks wait.
  await harness.query(
    `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return old; end $$`,
  );
  await harness.query(
    "create trigger slow before delete on callback_default for each row execute function slow()",
  );
  await addCallback(harness, { received_at: new Date().toISOString() });
  const relay = await startRelay(harness.environment({ COLLECTION_IDS: "none" }));
  // The workers try once more, and hold the log for a few seconds.
  await vi.waitFor(async () =>
    expect((await relay.callback({ data: { id: randomUUID() } })).status).toBe(200),
  );
  const error = expect.stringContaining("statement timeout");
  expect(relay.lines).toContainEqual(expect.objectContaining({ level: "warn", error }));
});
