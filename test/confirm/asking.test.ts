import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, toEqual, toMatchObject } from "../support/eventually.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer, type Script, unpaidAnswer } from "../support/scripted-provider.ts";
import { confirmation, timesAsked, WAIT } from "./asking-fixture.ts";

/** An answer that comes once the test lets it go. */
function held(answer: Script): { script: Script; letGo(): void } {
  const waiting = Promise.withResolvers<void>();
  const { body } = answer as { body: unknown };
  const script: Script = (_request, response) =>
    void waiting.promise.then(() =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
  return { script, letGo: waiting.resolve };
}

describe("asking the provider", () => {
  it("asks again when a callback comes while the provider is being asked (a GET covers only what was recorded before it)", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    const { script, letGo } = held(unpaidAnswer(id));
    harness.provider.invoice(id, script, invoiceAnswer(id));
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(() => expect(timesAsked(harness, id)).toBe(1), WAIT);
    await relay.callback({ data: { id } });
    letGo();
    // No ladder step in between.
    await eventually(
      () => confirmation(harness, id),
      toMatchObject({ state: "done", verdict: "paid", requests: 2 }),
    );
    expect(timesAsked(harness, id)).toBe(2);
  });

  it("repeated callbacks about known ids cost an ask in two seconds each, and the last one is covered (G6)", async () => {
    const harness = await startHarness();
    const ids = Array.from({ length: 5 }, () => harness.provider.paid());
    const relay = await startRelay(harness.environment());
    const began = performance.now();
    let sent = 0;
    while (sent < 3 || performance.now() - began < 3_000) {
      await Promise.all(ids.map((id) => relay.callback({ data: { id } })));
      sent += 1;
    }
    await eventually(
      () => harness.query("select count(*)::int as n from confirmation where state = 'done'"),
      toEqual([{ n: ids.length }]),
    );
    const asks = 1 + Math.floor((performance.now() - began) / 2_000);
    for (const id of ids) expect(timesAsked(harness, id)).toBeLessThanOrEqual(asks);
    expect(
      await harness.query("select bool_and(asked_at >= requested_at) as covered from confirmation"),
    ).toEqual([{ covered: true }]);
  });

  it("a new callback starts the ladder anew, after not_paid too", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.invoice(id, unpaidAnswer(id));
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => {
      await harness.query(
        `update confirmation set due_at = now(), attempt = 8 where invoice_id = $1 and state = 'due'
          and attempt > 0`,
        [id],
      );
      expect(await confirmation(harness, id)).toMatchObject({ state: "done", verdict: "not_paid" });
    }, WAIT);
    await relay.callback({ data: { id } });
    await eventually(
      () => confirmation(harness, id),
      toMatchObject({
        state: "due",
        verdict: "pending",
        attempt: 1,
      }),
    );
  });
});
