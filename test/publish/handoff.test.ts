import { describe, expect, it } from "vitest";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { type Surroundings, startRelay, surroundings, TOKEN } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";

/** As many invoices as one callback may name. */
const MOST_TOLD = 100;

/**
 * Paid invoices at the provider, told at once in few callbacks; resolves when `inAll` of them are confirmed
 * and stored.
 */
async function confirmed(around: Surroundings, relay: { url: string }, count: number, inAll = count) {
  const ids = Array.from({ length: count }, () => around.provider.paid());
  const tell = async (from: number) => {
    const body = JSON.stringify(ids.slice(from, from + MOST_TOLD).map((id) => ({ data: { id } })));
    await fetch(`${relay.url}/callbacks/${TOKEN}`, { method: "POST", body });
  };
  await Promise.all(Array.from({ length: Math.ceil(count / MOST_TOLD) }, (_, n) => tell(n * MOST_TOLD)));
  await eventually(
    () => around.query("select count(*)::int as paid from confirmation where verdict = 'paid'"),
    toEqual([{ paid: inAll }]),
  );
}

async function states(around: Surroundings): Promise<Record<string, number>> {
  const rows = await around.query<{ state: string; events: number }>(
    `select state, count(*)::int as events from ${EVENTS} group by state`,
  );
  return Object.fromEntries(rows.map(({ state, events }) => [state, events]));
}

describe("a new event in the process that found it", () => {
  it("is left due when enough of them wait here already (G8)", async () => {
    const around = await surroundings();
    around.sns.addFault({ kind: "hang", times: 1_000 });
    const relay = await startRelayProcess(around.environment());
    await confirmed(around, relay, 900);
    const { due = 0, claimed = 0 } = await states(around);
    expect(due + claimed).toBe(900);
    // 160 in hand, 160 waiting, and those of the two commits that were decided before that was seen.
    expect(claimed).toBeLessThanOrEqual(160 + 160 + 2 * 128);
    await relay.end("SIGKILL");
  });

  it("belongs to everybody again as soon as this process stops", async () => {
    const around = await surroundings();
    around.sns.addFault({ kind: "slow", times: 1_000, delayMs: 3_000 });
    const relay = await startRelay(around.environment());
    await confirmed(around, relay, 400);
    await relay.stop();
    const { due = 0, published: sent = 0, claimed = 0 } = await states(around);
    expect(claimed).toBe(0);
    expect(due).toBeGreaterThan(0);
    expect(due + sent).toBe(400);
    expect(around.sns.messages(around.topicArn)).toHaveLength(sent);
  });
});
