import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, toEqual, toMatchObject } from "../support/eventually.ts";
import { type Harness, ownRelay, startHarness, TOKEN } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";
import { invoiceAnswer, type Script, unpaidAnswer } from "../support/scripted-provider.ts";
import { confirmation, timesAsked, WAIT } from "./asking-fixture.ts";

const HANGS: Script = () => undefined;

const newIds = (count: number) => Array.from({ length: count }, () => randomUUID());

const tell = (relay: { url: string }, ids: readonly string[]) =>
  fetch(`${relay.url}/callbacks/${TOKEN}`, {
    method: "POST",
    body: JSON.stringify(ids.map((id) => ({ data: { id } }))),
  });

async function states(harness: Harness): Promise<Record<string, number>> {
  const rows = await harness.query<{ state: string; confirmations: number }>(
    "select state, count(*)::int as confirmations from confirmation group by state",
  );
  return Object.fromEntries(rows.map(({ state, confirmations }) => [state, confirmations]));
}

const asked = (harness: Harness, requests: number) =>
  vi.waitFor(() => expect(harness.provider.requests.length).toBeGreaterThanOrEqual(requests), WAIT);

const paid = (harness: Harness, ids: readonly string[]) =>
  vi.waitFor(async () => {
    const rows = await harness.query("select count(*)::int as paid from confirmation where verdict = 'paid'");
    expect(rows).toEqual([{ paid: ids.length }]);
  }, WAIT);

/** A first confirmation of its own, answered: from then on the confirmer takes what is handed over. */
async function confirmerIsReady(harness: Harness, relay: { url: string }): Promise<void> {
  const id = harness.provider.paid();
  await tell(relay, [id]);
  await paid(harness, [id]);
  await harness.query("delete from confirmation");
  harness.provider.requests.length = 0;
}

describe("a new confirmation in the process that recorded it", () => {
  it("is claimed by the very commit that records its callback (G1, G7)", async () => {
    const harness = await startHarness();
    harness.provider.otherwise(HANGS);
    const relay = await startRelayProcess(harness.environment());
    await confirmerIsReady(harness, relay);
    await tell(relay, newIds(3));
    await asked(harness, 3);
    const commits = await harness.query(
      `select distinct confirmation.state, confirmation.claimed_until > now() as leased,
        confirmation.xmin = callback.xmin as together
       from confirmation as confirmation
       join callback on confirmation.invoice_id = any(callback.invoice_ids)`,
    );
    expect(commits).toEqual([{ state: "claimed", leased: true, together: true }]);
    await relay.end("SIGKILL");
  });

  it("about an invoice that is known is judged by what is known: paid stays paid (G6)", async () => {
    const { harness, relay } = await ownRelay();
    await confirmerIsReady(harness, relay);
    const id = randomUUID();
    harness.provider.invoice(
      id,
      invoiceAnswer(id),
      unpaidAnswer(id, { dateModified: "2026-11-02T08:00:00Z" }),
    );
    await tell(relay, [id]);
    await paid(harness, [id]);
    await harness.query("delete from confirmation");
    await tell(relay, [id]);
    await vi.waitFor(() => expect(timesAsked(harness, id)).toBe(2), WAIT);
    await eventually(() => confirmation(harness, id), toMatchObject({ state: "done", verdict: "paid" }));
    await eventually(() => harness.query("select name from alarm"), toEqual([{ name: "invoice_anomaly" }]));
  });

  it("waits for its claim where a rate is set, since claims are what is counted", async () => {
    const harness = await startHarness();
    harness.provider.otherwise(HANGS);
    const relay = await startRelayProcess(harness.environment({ CONFIRM_RATE_PER_SECOND: "1" }));
    const ids = newIds(20);
    await tell(relay, ids);
    await asked(harness, 1);
    const { due = 0 } = await states(harness);
    expect(due).toBeGreaterThan(10);
    await relay.end("SIGKILL");
  });
});
