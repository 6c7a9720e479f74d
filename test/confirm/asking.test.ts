import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, toEqual, toMatchObject } from "../support/eventually.ts";
import { startRelay, surroundings } from "../support/relay.ts";
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
    const around = await surroundings();
    const id = randomUUID();
    const { script, letGo } = held(unpaidAnswer(id));
    around.provider.invoice(id, script, invoiceAnswer(id));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(() => expect(timesAsked(around, id)).toBe(1), WAIT);
    await relay.callback({ data: { id } });
    letGo();
    // No ladder step in between.
    await eventually(
      () => confirmation(around, id),
      toMatchObject({ state: "done", verdict: "paid", requests: 2 }),
    );
    expect(timesAsked(around, id)).toBe(2);
  });

  it("repeated callbacks about known ids cost an ask in two seconds each, and the last one is covered (G6)", async () => {
    const around = await surroundings();
    const ids = Array.from({ length: 5 }, () => around.provider.paid());
    const relay = await startRelay(around.environment());
    const began = performance.now();
    let sent = 0;
    while (sent < 3 || performance.now() - began < 3_000) {
      await Promise.all(ids.map((id) => relay.callback({ data: { id } })));
      sent += 1;
    }
    await eventually(
      () => around.query("select count(*)::int as n from confirmation where state = 'done'"),
      toEqual([{ n: ids.length }]),
    );
    const asks = 1 + Math.floor((performance.now() - began) / 2_000);
    for (const id of ids) expect(timesAsked(around, id)).toBeLessThanOrEqual(asks);
    expect(
      await around.query("select bool_and(asked_at >= requested_at) as covered from confirmation"),
    ).toEqual([{ covered: true }]);
  });

  it("a new callback starts the ladder anew, after not_paid too", async () => {
    const around = await surroundings();
    const id = randomUUID();
    around.provider.invoice(id, unpaidAnswer(id));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => {
      await around.query(
        `update confirmation set due_at = now(), attempt = 8 where invoice_id = $1 and state = 'due'
          and attempt > 0`,
        [id],
      );
      expect(await confirmation(around, id)).toMatchObject({ state: "done", verdict: "not_paid" });
    }, WAIT);
    await relay.callback({ data: { id } });
    await eventually(
      () => confirmation(around, id),
      toMatchObject({
        state: "due",
        verdict: "pending",
        attempt: 1,
      }),
    );
  });
});
