import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { confirmationsSteps } from "../../src/replay/ask-again-steps.ts";
import { claimReplay } from "../../src/replay/replay-rows.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { addCallback, addConfirmation, wholeDatabase } from "../support/log-rows.ts";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";
import { replaying } from "./replaying-fixture.ts";

const openIds = async (harness: Harness) =>
  (
    await harness.query<{ id: string }>(
      "select invoice_id as id from confirmation where state = 'due' and priority = 'replay' order by 1",
    )
  ).map((row) => row.id);

const DAY = 86_400_000;

describe("replay confirmations", () => {
  it("asks again about exactly what the filters match, with the priority of a replay", async () => {
    const harness = await startHarness();
    const [wanted] = [await addConfirmation(harness, { verdict: "not_paid" })];
    await addConfirmation(harness, { verdict: "paid" });
    await addConfirmation(harness, { verdict: "not_paid", source: "other" });
    await addConfirmation(harness, { verdict: "not_paid", requested_at: "2026-09-30T23:59:59Z" });
    const { start, run, plan } = replaying(harness, { kind: "confirmations" });
    const filters = { verdict: "not_paid", source: "default", from: "2026-10-01T00:00:00Z" };

    const before = await wholeDatabase(harness);
    expect(await plan(filters)).toMatchObject({
      matching: 1,
      first: [{ invoiceIds: [wanted], about: "not_paid" }],
    });
    expect(await wholeDatabase(harness)).toEqual(before);

    expect(await run(await start(filters))).toMatchObject({ state: "done", handled: 1, opened: 1 });
    expect(await openIds(harness)).toEqual([wanted]);
  });

  it("takes what was never answered for pending, and a verdict that no confirmation has for an error", async () => {
    const harness = await startHarness();
    const wanted = [
      await addConfirmation(harness, { verdict: null }),
      await addConfirmation(harness, { verdict: "pending" }),
    ];
    await addConfirmation(harness, { verdict: "paid" });
    const { plan } = replaying(harness, { kind: "confirmations" });
    const { matching, first } = await plan({ verdict: "pending" });
    expect(matching).toBe(2);
    expect(first.flatMap(({ invoiceIds }) => invoiceIds).sort()).toEqual(wanted.sort());
    for (const verdict of ["dead", "ping"])
      await expect(plan({ verdict })).rejects.toThrow(`cannot select the verdict ${verdict}: only pending,`);
  });

  it("brings a changed answer to light, and never a second event (G4)", async () => {
    const harness = await startHarness();
    const [late, paid] = [
      await addConfirmation(harness, { verdict: "not_paid" }),
      await addConfirmation(harness),
    ];
    for (const id of [late, paid]) harness.provider.invoice(id, invoiceAnswer(id));
    await startRelay(harness.environment());
    const { start, run } = replaying(harness, { kind: "confirmations" });

    for (const round of [1, 2]) {
      await run(await start());
      await harness.query("select pg_notify('invoice_relay', 'test confirm')");
      await vi.waitFor(async () =>
        expect(
          await harness.query(
            "select 1 from confirmation where state = 'done' and verdict = 'paid' and requests = $1",
            [round + 1],
          ),
        ).toHaveLength(2),
      );
    }
    expect(await harness.query("select invoice_id from event order by 1")).toEqual(
      [late, paid].sort().map((invoice_id) => ({ invoice_id })),
    );
  });

  it("publishes nothing that a back-fill was told only to record", async () => {
    const harness = await startHarness();
    const recorded = await addConfirmation(harness, { record_only: true });
    const normal = await addConfirmation(harness);
    const { start, run } = replaying(harness, { kind: "confirmations" });
    await run(await start());
    expect(
      await harness.query("select invoice_id, record_only from confirmation order by record_only"),
    ).toEqual([
      { invoice_id: normal, record_only: false },
      { invoice_id: recorded, record_only: true },
    ]);
  });

  it("opens no more once so many replayed confirmations are unasked (G8)", async () => {
    const harness = await startHarness();
    for (let count = 0; count < 5; count += 1) await addConfirmation(harness);
    const { db, start } = replaying(harness, { kind: "confirmations" });
    await start();
    const held = await claimReplay(db, { anyOf: "confirmations" }, leaseOf(60_000));
    if (held === null) throw new Error("not to be had");
    const options = { db, onConfirmations: () => undefined, sources: ["default"], openLimit: 2 };
    const steps = confirmationsSteps(options);

    const first = await steps.next(held, 2);
    if (first.kind !== "went") throw new Error(first.kind);
    expect(await steps.next(first.replay, 2)).toMatchObject({
      kind: "waits",
      why: expect.stringContaining("2 replayed"),
    });
    expect(await openIds(harness)).toHaveLength(2);

    await harness.query("update confirmation set state = 'done' where priority = 'replay'");
    expect(await steps.next(first.replay, 2)).toMatchObject({ kind: "went", taken: 2 });
  });

  it("is not held up by what waits for a source that the settings no longer name (G11)", async () => {
    const harness = await startHarness();
    for (let count = 0; count < 2; count += 1)
      await addConfirmation(harness, { source: "gone", state: "due", priority: "replay" });
    await addConfirmation(harness);
    const { db, start } = replaying(harness, { kind: "confirmations" });
    await start({ verdict: "paid" });
    const held = await claimReplay(db, { anyOf: "confirmations" }, leaseOf(60_000));
    if (held === null) throw new Error("not to be had");
    const options = { db, onConfirmations: () => undefined, openLimit: 2 };
    const next = (sources: string[] | null) => confirmationsSteps({ ...options, sources }).next(held, 1);
    expect(await next(null)).toMatchObject({ kind: "waits" });
    expect(await next(["default"])).toMatchObject({ kind: "went", taken: 1 });
  });
});

describe("replay callbacks", () => {
  it("asks about ids that today's reading finds and the earlier one did not, once", async () => {
    const harness = await startHarness();
    const missed = randomUUID();
    const { invoiceId } = await addCallback(harness);
    await addConfirmation(harness, { invoice_id: invoiceId });
    const unreadable = {
      invoice_ids: [],
      found_by: null,
      verdict: "unreadable",
      body: Buffer.from(JSON.stringify({ data: { id: missed } })),
    };
    const [one, two] = [await addCallback(harness, unreadable), await addCallback(harness, unreadable)];
    const named = [one.id, two.id].sort();
    const { start, run, plan } = replaying(harness, { kind: "callbacks" });

    const before = await wholeDatabase(harness);
    expect(await plan({ verdict: "unreadable" })).toMatchObject({
      matching: 2,
      first: named.map((callbackId) => ({ callbackId, invoiceIds: [], about: "unreadable" })),
    });
    expect(await wholeDatabase(harness)).toEqual(before);

    expect(await run(await start())).toMatchObject({ state: "done", handled: 3, opened: 1 });
    expect(await openIds(harness)).toEqual([missed]);
    expect(await run(await start())).toMatchObject({ handled: 3, opened: 0 });
  });

  it("finds confirmations that were lost although their callback is in the log", async () => {
    const harness = await startHarness();
    const lately = { source: "one", received_at: new Date(Date.now() - 6 * DAY).toISOString() };
    const { invoiceId } = await addCallback(harness, lately);
    await addConfirmation(harness, { invoice_id: invoiceId, source: "two" });
    const unread = await addCallback(harness, { ...lately, body: Buffer.from("no longer understood") });
    const { start, run } = replaying(harness, { kind: "callbacks" });

    expect(await run(await start())).toMatchObject({ state: "done", handled: 2, opened: 2 });

    expect(await openIds(harness)).toEqual([invoiceId, unread.invoiceId].sort());
    expect(await run(await start())).toMatchObject({ opened: 0 });
  });

  it("takes none for lost that were forgotten after a week as unknown, unless they are named", async () => {
    const harness = await startHarness();
    const long = { received_at: new Date(Date.now() - 8 * DAY).toISOString() };
    const { invoiceId } = await addCallback(harness, long);
    await addCallback(harness, long);
    const { start, startOrNothing, run } = replaying(harness, { kind: "callbacks" });

    expect(await run(await start())).toMatchObject({ state: "done", handled: 2, opened: 0 });
    expect(await openIds(harness)).toEqual([]);
    expect(await run(await start({ invoiceIds: [invoiceId] }))).toMatchObject({ handled: 1, opened: 1 });
    expect(await openIds(harness)).toEqual([invoiceId]);
    expect(await startOrNothing({ invoiceIds: [randomUUID()] })).toBeNull();
  });

  it("reads refused ones only when asked to, and erased ones never", async () => {
    const harness = await startHarness();
    const refused = await addCallback(harness, { verdict: "refused" });
    const { start, startOrNothing, run } = replaying(harness, { kind: "callbacks" });

    expect(await startOrNothing()).toBeNull();
    expect(await run(await start({ refused: true }))).toMatchObject({ handled: 1, opened: 1 });
    expect(await openIds(harness)).toEqual([refused.invoiceId]);

    await harness.query(
      `update callback set erased_at = now(), erased_digest = encode(sha256(body), 'hex'), body = '',
        headers = '[]', path = '', query = '', reference = null, remote_address = null`,
    );
    expect(await startOrNothing({ refused: true })).toBeNull();
  });

  it("reads the bytes of the wire: compressed ones, by their headers", async () => {
    const harness = await startHarness();
    const { gzipSync } = await import("node:zlib");
    const missed = randomUUID();
    await addCallback(harness, {
      invoice_ids: [],
      verdict: "unreadable",
      headers: JSON.stringify([["CONTENT-ENCODING", "gzip"]]),
      body: gzipSync(JSON.stringify({ id: missed, status: "Paid" })),
    });
    const { start, run } = replaying(harness, { kind: "callbacks" });
    await run(await start());
    expect(await openIds(harness)).toEqual([missed]);
  });
});
