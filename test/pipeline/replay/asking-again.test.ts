import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { claimReplay } from "../../../src/pipeline/replay/replay-rows.ts";
import { confirmationsSteps } from "../../../src/pipeline/replay/replay-steps.ts";
import { leaseOf } from "../../../src/platform/worker/leased-rows.ts";
import { addCallback, addConfirmation, wholeDatabase } from "../../support/log-rows.ts";
import { startRelay } from "../../support/relay.ts";
import { invoiceAnswer } from "../../support/scripted-provider.ts";
import { ownReplaying } from "./replaying-fixture.ts";

type Replaying = Awaited<ReturnType<typeof ownReplaying>>;

/** The invoices that replays have opened and nobody has asked about yet. */
const openIds = async ({ query }: Pick<Replaying, "query">) =>
  (
    await query<{ id: string }>(
      "select invoice_id as id from confirmation where state = 'due' and priority = 'replay' order by 1",
    )
  ).map(({ id }) => id);

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** A started replay of confirmations, step by step, which opens so many at most. */
async function stepping({ db, start }: Replaying) {
  await start({ verdict: "paid" });
  const held = await claimReplay(db, "confirmations", leaseOf(60_000));
  if (held === null) throw new Error("not to be had");
  return (most: number, sources: string[], replay = held) =>
    confirmationsSteps({ db, onConfirmations: () => undefined, openLimit: 2, sources }).next(replay, most);
}

describe("replay confirmations", () => {
  it("asks again about exactly what the filters match, with the priority of a replay; a dry run changes nothing", async () => {
    const given = await ownReplaying({ kind: "confirmations" });
    const { harness, start, run, plan } = given;
    const wanted = await addConfirmation(harness, { verdict: "not_paid" });
    await addConfirmation(harness, { verdict: "paid" });
    await addConfirmation(harness, { verdict: "not_paid", source: "other" });
    await addConfirmation(harness, { verdict: "not_paid", requested_at: "2026-09-30T23:59:59Z" });
    const filters = { verdict: "not_paid", source: "default", from: "2026-10-01T00:00:00Z" };
    const before = await wholeDatabase(harness);
    expect(await plan(filters)).toMatchObject({ matching: 1 });
    expect(await wholeDatabase(harness)).toEqual(before);
    expect(await run(await start(filters))).toMatchObject({ state: "done", handled: 1, opened: 1 });
    expect(await openIds(given)).toEqual([wanted]);
  });

  it("takes what was never answered for pending", async () => {
    const { harness, plan } = await ownReplaying({ kind: "confirmations" });
    for (const verdict of [null, "pending", "paid"]) await addConfirmation(harness, { verdict });
    expect(await plan({ verdict: "pending" })).toMatchObject({ matching: 2 });
  });

  it("brings a changed answer to light, and never a second event (G4)", async () => {
    const { harness, query, provider, start, run } = await ownReplaying({ kind: "confirmations" });
    const late = await addConfirmation(harness, { verdict: "not_paid" });
    const ids = [late, await addConfirmation(harness)].sort();
    for (const id of ids) provider.invoice(id, invoiceAnswer(id));
    await startRelay(harness.environment());
    for (const requests of [2, 3]) {
      await run(await start());
      const paid = "select from confirmation where state = 'done' and verdict = 'paid' and requests = $1";
      await vi.waitFor(async () => expect(await query(paid, [requests])).toHaveLength(2));
    }
    expect(await query("select invoice_id as id from event order by 1")).toEqual(ids.map((id) => ({ id })));
  });

  it("publishes nothing that a back-fill was told only to record", async () => {
    const { harness, query, start, run } = await ownReplaying({ kind: "confirmations" });
    const recorded = await addConfirmation(harness, { record_only: true });
    await addConfirmation(harness);
    expect(await run(await start())).toMatchObject({ opened: 2 });
    const records = "select invoice_id as id from confirmation where state = 'due' and record_only";
    expect(await query(records)).toEqual([{ id: recorded }]);
  });

  it("opens no more once so many replayed confirmations are unasked (G8)", async () => {
    const given = await ownReplaying({ kind: "confirmations" });
    for (let count = 0; count < 5; count += 1) await addConfirmation(given.harness);
    const next = await stepping(given);
    const first = await next(2, ["default"]);
    if (first.kind !== "went") throw new Error(first.kind);
    expect(await next(2, ["default"], first.replay)).toMatchObject({
      kind: "waits",
      why: expect.any(String),
    });
    expect(await openIds(given)).toHaveLength(2);
    await given.query("update confirmation set state = 'done' where priority = 'replay'");
    expect(await next(2, ["default"], first.replay)).toMatchObject({ kind: "went", taken: 2 });
  });

  it("is not held up by what waits for a source that the settings no longer name (G11)", async () => {
    const given = await ownReplaying({ kind: "confirmations" });
    const waiting = { source: "gone", state: "due", priority: "replay" };
    for (const columns of [waiting, waiting, {}]) await addConfirmation(given.harness, columns);
    const next = await stepping(given);
    expect(await next(1, ["default", "gone"])).toMatchObject({ kind: "waits" });
    expect(await next(1, ["default"])).toMatchObject({ kind: "went", taken: 1 });
  });
});

describe("replay callbacks", () => {
  it("asks about ids that today's reading of the wire's bytes finds and the earlier one did not, once", async () => {
    const given = await ownReplaying({ kind: "callbacks" });
    const { harness, start, run, plan } = given;
    const missed = randomUUID();
    const { invoiceId } = await addCallback(harness);
    await addConfirmation(harness, { invoice_id: invoiceId });
    const json = JSON.stringify({ data: { id: missed } });
    const unreadable = { invoice_ids: [], found_by: null, verdict: "unreadable", body: Buffer.from(json) };
    const named = [(await addCallback(harness, unreadable)).id, (await addCallback(harness, unreadable)).id];

    const before = await wholeDatabase(harness);
    expect(await plan({ verdict: "unreadable" })).toMatchObject({ matching: 2 });
    expect(await wholeDatabase(harness)).toEqual(before);

    expect(await run(await start({ callbackIds: named.slice(0, 1) }))).toMatchObject({ opened: 1 });
    expect(await openIds(given)).toEqual([missed]);
    await harness.query("delete from confirmation where invoice_id = $1", [missed]);
    expect(await run(await start({ callbackIds: named.slice(1) }))).toMatchObject({ opened: 1 });
    expect(await openIds(given)).toEqual([missed]);
    expect(await run(await start())).toMatchObject({ state: "done", handled: 3, opened: 0 });
  });

  it("finds confirmations that were lost although their callback is in the log", async () => {
    const given = await ownReplaying({ kind: "callbacks" });
    const { harness, start, run } = given;
    const lately = { source: "one", received_at: daysAgo(6) };
    const { invoiceId } = await addCallback(harness, lately);
    await addConfirmation(harness, { invoice_id: invoiceId, source: "two" });
    const unread = await addCallback(harness, { ...lately, body: Buffer.from("no longer understood") });
    expect(await run(await start())).toMatchObject({ state: "done", handled: 2, opened: 2 });
    expect(await openIds(given)).toEqual([invoiceId, unread.invoiceId].sort());
    expect(await run(await start())).toMatchObject({ opened: 0 });
  });

  it("takes none for lost that were forgotten after a week as unknown, unless they are named", async () => {
    const given = await ownReplaying({ kind: "callbacks" });
    const { harness, start, startOrNothing, run } = given;
    const long = { received_at: daysAgo(8) };
    const { invoiceId } = await addCallback(harness, long);
    await addCallback(harness, long);
    expect(await run(await start())).toMatchObject({ state: "done", handled: 2, opened: 0 });
    expect(await openIds(given)).toEqual([]);
    expect(await run(await start({ invoiceIds: [invoiceId] }))).toMatchObject({ handled: 1, opened: 1 });
    expect(await openIds(given)).toEqual([invoiceId]);
    expect(await startOrNothing({ invoiceIds: [randomUUID()] })).toBeNull();
  });

  it("reads refused ones only when asked to, and erased ones never", async () => {
    const given = await ownReplaying({ kind: "callbacks" });
    const { harness, start, startOrNothing, run } = given;
    const refused = await addCallback(harness, { verdict: "refused" });
    expect(await startOrNothing()).toBeNull();
    expect(await run(await start({ refused: true }))).toMatchObject({ handled: 1, opened: 1 });
    expect(await openIds(given)).toEqual([refused.invoiceId]);
    await harness.query(
      `update callback set erased_at = now(), erased_digest = encode(sha256(body), 'hex'), body = '',
        headers = '[]', path = '', query = '', reference = null, remote_address = null`,
    );
    expect(await startOrNothing({ refused: true })).toBeNull();
  });
});
