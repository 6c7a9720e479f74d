import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { startHarness, startRelay } from "../support/relay.ts";
import { NOT_FOUND } from "../support/scripted-provider.ts";
import { confirmation, timesAsked, WAIT } from "./asking-fixture.ts";

describe("the replay priority", () => {
  it("leaves live confirmations three quarters of the places, however many replays wait", async () => {
    const harness = await startHarness();
    harness.provider.otherwise(() => undefined);
    const relay = await startRelay(harness.environment({ CONFIRM_CONCURRENCY: "8", CONFIRM_TIMEOUT: "60s" }));
    await harness.query(
      `insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at,
        due_at) select gen_random_uuid(), 'default', 'replay', 'replay', now(), now(), now()
        from generate_series(1, 100)`,
    );
    await relay.callback({ data: { id: randomUUID() } });
    await vi.waitFor(() => expect(harness.provider.requests.length).toBe(3), WAIT);
    await relay.callback(Array.from({ length: 20 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(harness.provider.requests.length).toBe(8), WAIT);
    expect(
      await harness.query(
        `select priority, count(*)::int as claimed from confirmation where state = 'claimed' group by priority
          order by priority`,
      ),
    ).toMatchObject([{ priority: "replay", claimed: 2 }, { priority: "unknown" }]);
  });

  it("goes on after a source took no more: what was given back no longer counts as held", async () => {
    const harness = await startHarness();
    const asked: ServerResponse[] = [];
    harness.provider.otherwise((_request, response) => void asked.push(response));
    const relay = await startRelay(harness.environment({ CONFIRM_CONCURRENCY: "4" }));
    await relay.callback(Array.from({ length: 4 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(asked.length).toBe(4), WAIT);
    const id = randomUUID();
    await harness.query(
      `insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at)
        values ('${id}', 'default', 'replay', 'replay', now(), now(), now())`,
    );
    const isHeld = async () => expect(await confirmation(harness, id)).toMatchObject({ state: "claimed" });
    await vi.waitFor(isHeld, WAIT);

    harness.provider.otherwise(NOT_FOUND);
    for (const response of asked)
      response.writeHead(429, { "content-type": "application/json", "retry-after": "1" }).end("{}");
    await vi.waitFor(() => expect(timesAsked(harness, id)).toBe(1), WAIT);
  });
});

describe("limits of a source", () => {
  it("CONFIRM_RATE_PER_SECOND is kept by two processes together", async () => {
    const harness = await startHarness();
    harness.provider.otherwise(NOT_FOUND);
    const environment = harness.environment({
      CONFIRM_RATE_PER_SECOND: "20",
      UNKNOWN_RATE_PER_SECOND: "1000",
    });
    const [relay] = await Promise.all([startRelay(environment), startRelay(environment)]);
    const began = Date.now();
    await relay?.callback(Array.from({ length: 100 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(harness.provider.requests.length).toBeGreaterThanOrEqual(40), WAIT);
    const seconds = (Date.now() - began) / 1_000;
    // The bucket's size of 4 on top, and what is under way.
    expect(harness.provider.requests.length).toBeLessThanOrEqual(Math.ceil(seconds * 20) + 4 + 1);
  });
});
