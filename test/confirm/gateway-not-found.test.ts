import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventually, toEqual, toMatchObject } from "../support/eventually.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer, type Script } from "../support/scripted-provider.ts";
import { confirmation, hurry, openAlarms } from "./asking-fixture.ts";

const BARE: Script = {
  status: 404,
  body: "<h1>404 page not found</h1>",
  headers: { "content-type": "text/html" },
};
const openNow = "update source set opens_at = '-infinity', retry_at = '-infinity'";

describe("a bare 404, not in the provider's own envelope", () => {
  it("of a gateway is a fault of the source: alarmed, it ends nothing, however often it comes (G2)", async () => {
    const harness = await startHarness();
    harness.provider.otherwise(BARE);
    const id = randomUUID();
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id } });
    await eventually(() => confirmation(harness, id), toMatchObject({ state: "due", faults: 1 }));
    // As often as the ladder of what is not found has steps, and the source's alarm needs.
    await harness.query("update confirmation set attempt = 8");
    await harness.query(`${openNow}, faults = 4`);
    await hurry(harness, id);
    await eventually(() => confirmation(harness, id), toMatchObject({ state: "due", faults: 2 }));
    expect(await confirmation(harness, id)).toMatchObject({ verdict: null, attempt: 8 });
    await eventually(() => openAlarms(harness), toMatchObject([{ name: "source_failing" }]));

    harness.provider.otherwise(invoiceAnswer(id));
    await harness.query(openNow);
    await hurry(harness, id);
    await eventually(() => confirmation(harness, id), toMatchObject({ state: "done", verdict: "paid" }));
    await eventually(() => openAlarms(harness), toEqual([]));
  });

  it("of a provider that words it so counts while an answer of its own has proven the source", async () => {
    const harness = await startHarness();
    harness.provider.otherwise(BARE);
    const [paid, unknown] = [randomUUID(), randomUUID()];
    harness.provider.invoice(paid, invoiceAnswer(paid));
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id: paid } });
    await eventually(() => confirmation(harness, paid), toMatchObject({ verdict: "paid" }));
    await relay.callback({ data: { id: unknown } });
    await eventually(
      () => confirmation(harness, unknown),
      toMatchObject({ state: "due", attempt: 1, faults: 0 }),
    );
    expect(await openAlarms(harness)).toEqual([]);
  });
});
