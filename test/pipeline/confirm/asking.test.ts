import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, toEqual, toMatchObject } from "../../support/eventually.ts";
import { onceForAll } from "../../support/own-test.ts";
import { type Harness, ownRelay } from "../../support/relay.ts";
import { invoiceAnswer, NOT_FOUND, type Script } from "../../support/scripted-provider.ts";

const confirmation = async (harness: Harness, id: string) =>
  (await harness.query("select * from confirmation where invoice_id = $1", [id]))[0];
const openAlarms = (harness: Harness) => harness.query("select name from alarm where cleared_at is null");

describe("asking the provider", () => {
  const own = onceForAll(() => ownRelay());

  it("asks again when a callback comes while the provider is being asked: a GET covers only what was recorded before", async () => {
    const { harness, relay } = own();
    const id = randomUUID();
    const { asked, release } = harness.provider.held(id);
    await relay.callback({ data: { id } });
    await asked;
    await relay.callback({ data: { id } });
    release();
    await eventually(() => confirmation(harness, id), toMatchObject({ state: "due", requests: 2 }));
    await harness.query("update confirmation set due_at = now() where invoice_id = $1", [id]);
    await eventually(() => confirmation(harness, id), toMatchObject({ state: "done", verdict: "paid" }));
    expect(harness.provider.requests.filter((path) => path.endsWith(id))).toHaveLength(2);
  });
});

describe("a provider in trouble", () => {
  it("that fails is asked again until it works: its alarm is raised once and cleared", async () => {
    const { harness, relay } = await ownRelay();
    const ids = Array.from({ length: 8 }, () => randomUUID());
    harness.provider.otherwise({ status: 500, body: { status: 500, message: "Oops" } });
    await relay.callback(ids);
    await eventually(() => openAlarms(harness), toEqual([{ name: "source_failing" }]));
    for (const id of ids) harness.provider.invoice(id, invoiceAnswer(id));
    await vi.waitFor(async () => {
      await harness.query("update source set opens_at = least(opens_at, now())");
      await harness.query("update confirmation set due_at = now() where state = 'due'");
      const paid = await harness.query("select from confirmation where verdict = 'paid'");
      expect(paid).toHaveLength(ids.length);
    });
    await eventually(() => openAlarms(harness), toEqual([]));
    expect(await harness.query("select times from alarm")).toEqual([{ times: 1 }]);
  });

  it("that refuses one invoice is asked on, that refuses the key is paused, and goes on by itself once it works", async () => {
    const { harness, relay } = await ownRelay();
    const { provider } = harness;
    const refused = (status: number): Script => ({ status, body: { status, message: "No" } });
    const [forbidden, id] = [randomUUID(), randomUUID()];
    for (const one of [forbidden, id]) provider.invoice(one, refused(403));
    await relay.callback({ data: { id: forbidden } });
    await eventually(async () => (await confirmation(harness, forbidden))?.faults > 0, toEqual(true));
    const paused = () => harness.query("select paused_by from source");
    expect(await paused()).toEqual([{ paused_by: null }]);

    provider.otherwise(refused(401));
    await relay.callback({ data: { id } });
    await eventually(paused, toEqual([{ paused_by: "refused" }]));
    await eventually(() => openAlarms(harness), toEqual([{ name: "source_paused" }]));
    provider.invoice(id, invoiceAnswer(id));
    provider.otherwise(NOT_FOUND);
    await vi.waitFor(async () => {
      await harness.query("update source set probe_at = now() where probe_at is not null");
      await harness.query("update confirmation set due_at = now() where state = 'due'");
      expect(await confirmation(harness, id)).toMatchObject({ verdict: "paid" });
    });
    await eventually(() => openAlarms(harness), toEqual([]));
  });

  it("that is slow leaves live confirmations three quarters of the places, however many replays wait (G9)", async () => {
    const { harness, relay } = await ownRelay({ CONFIRM_CONCURRENCY: "8", CONFIRM_TIMEOUT: "60s" });
    harness.provider.otherwise(() => undefined);
    await harness.query(
      `insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at,
        due_at) select gen_random_uuid(), 'default', 'replay', 'replay', now(), now(), now()
        from generate_series(1, 100)`,
    );
    await relay.callback([randomUUID()]);
    await vi.waitFor(() => expect(harness.provider.requests).toHaveLength(3));
    await relay.callback(Array.from({ length: 20 }, () => randomUUID()));
    await vi.waitFor(() => expect(harness.provider.requests).toHaveLength(8));
    expect(
      await harness.query("select from confirmation where state = 'claimed' and priority = 'replay'"),
    ).toHaveLength(2);
  });

  it("whose rate is limited is asked by claims alone, since these are what is counted (G8)", async () => {
    const { harness, relay } = await ownRelay({ CONFIRM_RATE_PER_SECOND: "1" });
    harness.provider.otherwise(() => undefined);
    await relay.callback(Array.from({ length: 20 }, () => randomUUID()));
    await vi.waitFor(() => expect(harness.provider.requests).not.toEqual([]));
    const claimed = await harness.query("select from confirmation where state = 'claimed'");
    expect(claimed.length).toBeLessThan(10);
  });
});
