import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { eventually, toEqual } from "../support/eventually.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { NOT_FOUND } from "../support/scripted-provider.ts";
import { confirmation, timesAsked, WAIT } from "./asking-fixture.ts";

describe("the replay priority", () => {
  it("leaves live confirmations three quarters of the places, however many replays wait", async () => {
    const around = await surroundings();
    around.provider.otherwise(() => undefined);
    const relay = await startRelay(around.environment({ CONFIRM_CONCURRENCY: "8", CONFIRM_TIMEOUT: "60s" }));
    await around.query(
      `insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at,
        due_at) select gen_random_uuid(), 'default', 'replay', 'replay', now(), now(), now()
        from generate_series(1, 100)`,
    );
    await relay.callback({ data: { id: randomUUID() } });
    await vi.waitFor(() => expect(around.provider.requests.length).toBe(3), WAIT);
    await relay.callback(Array.from({ length: 20 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(around.provider.requests.length).toBe(8), WAIT);
    expect(
      await around.query(
        `select priority, count(*)::int as claimed from confirmation where state = 'claimed' group by priority
          order by priority`,
      ),
    ).toMatchObject([{ priority: "replay", claimed: 2 }, { priority: "unknown" }]);
  });

  it("leaves live confirmations seven eighths of the rate, however low it is (G9)", async () => {
    const around = await surroundings();
    around.provider.otherwise(NOT_FOUND);
    const relay = await startRelay(around.environment({ CONFIRM_RATE_PER_SECOND: "20" }));
    await around.query(
      `insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at,
        due_at) select gen_random_uuid(), 'default', 'replay', 'replay', now(), now(), now()
        from generate_series(1, 200)`,
    );
    await vi.waitFor(() => expect(around.provider.requests.length).toBeGreaterThan(8), WAIT);
    const id = randomUUID();
    await relay.callback({ data: { id } });
    const before = around.provider.requests.length;
    await vi.waitFor(() => expect(timesAsked(around, id)).toBeGreaterThan(0), WAIT);
    // Fifty replays go first by chance in one of 8 to the power of 50 runs.
    expect(around.provider.requests.length - before).toBeLessThan(50);
  });

  it("goes on after a source took no more: what was given back no longer counts as held", async () => {
    const around = await surroundings();
    const asked: ServerResponse[] = [];
    around.provider.otherwise((_request, response) => void asked.push(response));
    const relay = await startRelay(around.environment({ CONFIRM_CONCURRENCY: "4" }));
    await relay.callback(Array.from({ length: 4 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(asked.length).toBe(4), WAIT);
    const id = randomUUID();
    await around.query(
      `insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at)
        values ('${id}', 'default', 'replay', 'replay', now(), now(), now())`,
    );
    const isHeld = async () => expect(await confirmation(around, id)).toMatchObject({ state: "claimed" });
    await vi.waitFor(isHeld, WAIT);

    around.provider.otherwise(NOT_FOUND);
    for (const response of asked)
      response.writeHead(429, { "content-type": "application/json", "retry-after": "1" }).end("{}");
    await vi.waitFor(() => expect(timesAsked(around, id)).toBe(1), WAIT);
  });
});

describe("limits of a source", () => {
  it("CONFIRM_RATE_PER_SECOND is kept by two processes together", async () => {
    const around = await surroundings();
    around.provider.otherwise(NOT_FOUND);
    const environment = around.environment({
      CONFIRM_RATE_PER_SECOND: "20",
      UNKNOWN_RATE_PER_SECOND: "1000",
    });
    const [relay] = await Promise.all([startRelay(environment), startRelay(environment)]);
    const began = Date.now();
    await relay?.callback(Array.from({ length: 100 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(around.provider.requests.length).toBeGreaterThanOrEqual(40), WAIT);
    const seconds = (Date.now() - began) / 1_000;
    // The bucket's size of 4 on top, and what is under way.
    expect(around.provider.requests.length).toBeLessThanOrEqual(Math.ceil(seconds * 20) + 4 + 1);
  });

  it("in a flood a genuine sender waits for one turn of each forger, at the default rate (G11, G12)", async () => {
    const around = await surroundings();
    around.provider.otherwise(NOT_FOUND);
    const relay = await startRelay(around.environment({ TRUSTED_PROXIES: "loopback" }));
    const sendFrom = (address: string, ids: string[]) =>
      relay.callback(
        ids.map((id) => ({ data: { id } })),
        { headers: { "content-type": "application/json", "x-forwarded-for": address } },
      );
    const forge = () =>
      Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          sendFrom(
            `203.0.113.${n % 12}`,
            Array.from({ length: 50 }, () => randomUUID()),
          ),
        ),
      );
    await forge();
    await eventually(
      () =>
        around.query(
          `select unknown_share > 0.5 as flooded,
            (select count(*)::int from confirmation where state = 'claimed') as claimed from source`,
        ),
      toEqual([{ flooded: true, claimed: 0 }]),
    );
    const id = around.provider.paid();
    await sendFrom("198.51.100.1", [id]);
    const before = around.provider.requests.length;
    await forge();
    await vi.waitFor(() => expect(timesAsked(around, id)).toBe(1), WAIT);
    const place = around.provider.requests.findIndex((path) => path.endsWith(id));
    // One of each, and what was claimed before the genuine one was recorded and asked after it.
    expect(place - before).toBeLessThanOrEqual(12 + 3);
  });
});
