import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually, toEqual, toMatchObject } from "../support/eventually.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer, type Script, unpaidAnswer } from "../support/scripted-provider.ts";
import { confirmation, hurry, timesAsked, WAIT } from "./asking-fixture.ts";

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

  it.each([-1, 1])(
    "is timed by Postgres' clock, though this machine's is %i days off (G10)",
    async (days) => {
      const around = await surroundings();
      const [first, again] = [randomUUID(), randomUUID()];
      const relay = await startRelay(around.environment());
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * 86_400_000 });
      onTestFinished(() => void vi.useRealTimers());
      const [begun] = await around.query("select clock_timestamp()::text as now");
      for (const id of [first, again]) {
        around.provider.invoice(id, unpaidAnswer(id), invoiceAnswer(id, { paymentDate: null }));
        await relay.callback({ data: { id } });
        await vi.waitFor(async () => {
          await hurry(around, id);
          expect(await confirmation(around, id)).toMatchObject({ verdict: "paid" });
        }, WAIT);
      }
      const rows = await around.query(
        "select confirmed_at between $1::timestamptz and clock_timestamp() as fits from invoice",
        [begun?.now],
      );
      expect(rows).toEqual([{ fits: true }, { fits: true }]);
    },
  );

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

  it("a lease is extended while the work goes on, and only its holder writes (G6, G7)", async () => {
    const around = await surroundings();
    const id = randomUUID();
    const { script, letGo } = held(invoiceAnswer(id, { title: "From the lost lease" }));
    around.provider.invoice(id, script, invoiceAnswer(id, { title: "From the new lease" }));
    const relay = await startRelay(around.environment({ LEASE_DURATION: "3s", CONFIRM_TIMEOUT: "60s" }));
    await relay.callback({ data: { id } });
    const first = await vi.waitFor(async () => {
      const row = await confirmation(around, id);
      expect(row).toMatchObject({ state: "claimed" });
      return row;
    }, WAIT);
    await vi.waitFor(async () => {
      const row = await confirmation(around, id);
      expect(row?.lease_token).toBe(first?.lease_token);
      expect(row?.claimed_until.getTime()).toBeGreaterThan(first?.claimed_until.getTime() + 500);
    }, WAIT);
    // As if this worker had hung past its lease: the row goes back and is claimed anew.
    await around.query(
      `update confirmation set state = 'due', due_at = now(), lease_token = null, claimed_until = null
        where invoice_id = $1`,
      [id],
    );
    await eventually(() => confirmation(around, id), toMatchObject({ state: "done", verdict: "paid" }));
    letGo();
    await vi.waitFor(() => expect(around.sns.messages(around.topicArn)).toHaveLength(1), WAIT);
    await relay.stop();
    expect(await around.query("select title from invoice")).toEqual([{ title: "From the new lease" }]);
    expect(await around.query("select count(*)::int as snapshots from invoice_snapshot")).toEqual([
      { snapshots: 0 },
    ]);
  });
});
