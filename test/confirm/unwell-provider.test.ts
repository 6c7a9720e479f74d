import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, toContain, toEqual, toMatchObject } from "../support/eventually.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";
import { confirmation, hurry, openAlarms, WAIT } from "./asking-fixture.ts";

describe("a provider that is not well", () => {
  it("fails: asked again by itself until it works, the alarm raised once and cleared, what read lists due at once", async () => {
    const harness = await startHarness();
    const ids = Array.from({ length: 8 }, () => randomUUID());
    harness.provider.otherwise({ status: 500, body: { status: 500, message: "Oops" } });
    const relay = await startRelay(harness.environment({ CONFIRM_TIMEOUT: "2s" }));
    for (const id of ids) await relay.callback({ data: { id } });
    await eventually(() => openAlarms(harness), toMatchObject([{ name: "source_failing" }]));
    // Of a collection that this relay does not read, so that nothing else moves it.
    await harness.query(
      `insert into sweep (id, source, collection_id, kind, faults, due_at)
       values (gen_random_uuid(), 'default', gen_random_uuid(), 'automatic', 3, now() + interval '4 min')`,
    );
    for (const id of ids) harness.provider.invoice(id, invoiceAnswer(id));
    await vi.waitFor(async () => {
      await harness.query("update source set opens_at = least(opens_at, now())");
      await harness.query("update confirmation set due_at = now() where state = 'due'");
      expect(
        await harness.query("select count(*)::int as paid from confirmation where verdict = 'paid'"),
      ).toEqual([{ paid: 8 }]);
    }, WAIT);
    await eventually(() => openAlarms(harness), toEqual([]));
    await eventually(
      () => harness.query("select due_at <= clock_timestamp() as due from sweep"),
      toEqual([{ due: true }]),
    );
  });

  it("the breaker lets one confirmation at a time try whether it works again", async () => {
    const harness = await startHarness();
    harness.provider.otherwise({ status: 503, body: { status: 503, message: "Down" } });
    const relay = await startRelay(harness.environment());
    await Promise.all(Array.from({ length: 40 }, () => relay.callback({ data: { id: randomUUID() } })));
    await eventually(() => openAlarms(harness), toMatchObject([{ name: "source_failing" }]));
    // No trial of its own falls between these lines.
    await eventually(
      async () => {
        await harness.query("update source set opens_at = now() + interval '1 hour'");
        return harness.query(
          `select (select count(*)::int from confirmation where state = 'claimed') as claimed,
          opens_at > now() + interval '30 min' as closed from source`,
        );
      },
      toEqual([{ claimed: 0, closed: true }]),
    );
    const before = harness.provider.requests.length;
    await harness.query("update confirmation set due_at = now()");
    await harness.query("update source set opens_at = now()");
    await vi.waitFor(async () => {
      expect(harness.provider.requests.length).toBeGreaterThan(before);
      expect(await harness.query("select opens_at > now() as closed from source")).toEqual([
        { closed: true },
      ]);
    }, WAIT);
    expect(harness.provider.requests.length).toBe(before + 1);
  });

  it("answers outside the contract: kept as evidence, asked again, and the alarm is cleared by a good answer", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.invoice(
      id,
      { status: 200, body: { status: 200, message: "ok", data: { id, status: "Paid" } } },
      invoiceAnswer(randomUUID()),
      invoiceAnswer(id),
    );
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id } });
    await eventually(
      async () => (await confirmation(harness, id))?.last_answer,
      toContain('"status":"Paid"'),
    );
    await eventually(
      () => openAlarms(harness),
      toMatchObject([{ name: "provider_answer_outside_contract", subject: id }]),
    );
    await hurry(harness, id);
    await eventually(async () => (await confirmation(harness, id))?.last_error, toContain("another id"));
    expect(await harness.query("select 1 from event")).toEqual([]);
    await hurry(harness, id);
    await eventually(() => confirmation(harness, id), toMatchObject({ verdict: "paid", last_answer: null }));
    await eventually(() => openAlarms(harness), toEqual([]));
  });

  it("an answer that Postgres refuses is kept as evidence, and its neighbours are stored", async () => {
    const harness = await startHarness();
    // Nothing that passes the contract is refused today; this stands for what a later column might refuse.
    await harness.query("alter table invoice add constraint refuses_one check (title <> 'Refused')");
    const ids = Array.from({ length: 9 }, () => randomUUID());
    for (const id of ids)
      harness.provider.invoice(id, invoiceAnswer(id, id === ids[4] ? { title: "Refused" } : {}));
    const relay = await startRelay(harness.environment());
    await relay.callback(ids.map((id) => ({ data: { id } })));
    await eventually(
      () => harness.query("select count(*)::int as paid from confirmation where verdict = 'paid'"),
      toEqual([{ paid: 8 }]),
    );
    await eventually(
      () => confirmation(harness, ids[4] ?? ""),
      toMatchObject({
        state: "due",
        attempt: 1,
        last_error: expect.stringContaining("Postgres refuses"),
        last_answer: expect.stringContaining('"Refused"'),
      }),
    );
  });
});
