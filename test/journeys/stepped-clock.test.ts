import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { type Surroundings, startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer, unpaidAnswer } from "../support/scripted-provider.ts";
import { stepClockBack } from "../support/step-clock.ts";

/** What a clock that was set back by so much leaves, and with a minus one that was set forward. */
const STEPS = ["2 min", "10 min", "1 h", "1 day", "-2 min", "-10 min", "-1 h", "-1 day"];

/** G11: nothing waits longer. */
const SOON = { timeout: 30_000 };

const publishedIn = (around: Surroundings, ids: readonly string[]) => async () =>
  (
    await around.query<{ id: string }>(
      `select invoice_id as id from ${EVENTS} where state = 'published' and invoice_id = any($1)`,
      [ids],
    )
  ).map(({ id }) => id);

/** A relay with a rate limit, and one payment that went all the way. */
async function atWork() {
  const around = await surroundings();
  const relay = await startRelay(around.environment({ CONFIRM_RATE_PER_SECOND: "50", LEASE_DURATION: "2s" }));
  const pay = async (...scripts: Parameters<Surroundings["provider"]["invoice"]>[1][]) => {
    const id = randomUUID();
    around.provider.invoice(id, ...(scripts.length === 0 ? [invoiceAnswer(id)] : scripts));
    expect((await relay.callback({ data: { id } })).status).toBe(200);
    return id;
  };
  const first = await pay();
  await eventually(publishedIn(around, [first]), toEqual([first]), SOON);
  return { around, relay, pay, first };
}

describe("rows as a step of Postgres' clock leaves them", () => {
  it.concurrent.each(STEPS)(
    "moved by %s: what waits and what comes is published within 30 s (G11)",
    async (by) => {
      const { around, pay, first } = await atWork();
      const ids = [randomUUID(), randomUUID(), randomUUID()];
      const [unpaid = "", left = "", repeated = ""] = ids;
      for (const id of ids) around.provider.invoice(id, invoiceAnswer(id));
      around.provider.invoice(unpaid, unpaidAnswer(unpaid), invoiceAnswer(unpaid));
      // A first ask and a repeated one that wait, and one that a dead process was at.
      await around.query(
        `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, attempt, state,
         lease_token, claimed_until)
       values ($1, 'default', 'callback', now(), now(), now(), 0, 'due', null, null),
         ($2, 'default', 'callback', now(), now(), now(), 0, 'claimed', $4, now() + interval '2 s'),
         ($3, 'default', 'callback', now(), now(), now() + interval '2 s', 1, 'due', null, null)`,
        [unpaid, left, repeated, randomUUID()],
      );
      // An event that backs off, and upstreams that do: the source by the last of its answers, the topic too.
      await around.query(
        `insert into outbox (source, event_id, invoice_type, attempt, due_at)
       select source, id, invoice_type, 1, now() + interval '400 ms' from event where invoice_id = $1`,
        [first],
      );
      await around.query(
        `update source set faults = 5, opens_at = now() + interval '1 s', version = version + 1`,
      );
      await around.query(
        `update topic set faults = 1, opens_at = now() + interval '1 s', version = version + 1`,
      );
      await stepClockBack(around, by);

      const next = await pay();
      const all = [...ids, next].sort();
      await eventually(async () => (await publishedIn(around, all)()).sort(), toEqual(all), SOON);
      await eventually(() => around.query("select state from outbox"), toEqual([]), SOON);
    },
  );
});
