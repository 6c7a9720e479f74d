import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { COLLECTION, startListProvider } from "../../test/reconcile/list-provider.ts";
import { eventually, toEqual } from "../../test/support/eventually.ts";
import { ownRelay } from "../../test/support/relay.ts";

const MADE_UP = 3_000;
const ADDRESSES = 12;
const KNOWN = 20;
const RECONCILE_INTERVAL_MS = 10_000;

describe("a flood of made-up ids", () => {
  it("delays no known payment by a second; a genuine unknown one is found by the next sweep (G11, G12)", async () => {
    const provider = await startListProvider();
    const { harness, relay } = await ownRelay({
      COLLECTION_API_URL: provider.url,
      COLLECTION_IDS: COLLECTION,
      RECONCILE_INTERVAL: `${RECONCILE_INTERVAL_MS}ms`,
      TRUSTED_PROXIES: "loopback",
    });
    const call = async (id: string, address = "198.51.100.1") => {
      const headers = { "content-type": "application/json", "x-forwarded-for": address };
      const answer = await relay.callback({ data: { id } }, { headers });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
      return performance.now();
    };
    const invoice = (paidAt: Date | null) => {
      const one = { id: randomUUID(), createdAt: new Date(), paidAt };
      provider.invoices.push(one);
      return one;
    };
    const verdict = async (id: string) =>
      (await harness.query("select verdict from confirmation where invoice_id = $1", [id]))[0]?.verdict;
    /** How long it takes to be confirmed from now, in ms. */
    const confirmed = async (id: string, began: number) => {
      await eventually(() => verdict(id), toEqual("paid"));
      return performance.now() - began;
    };

    const known = Array.from({ length: KNOWN }, () => invoice(null));
    for (const { id } of known) await call(id);
    await eventually(
      () => harness.query("select count(*)::int as seen from invoice"),
      toEqual([{ seen: KNOWN }]),
    );
    for (let begun = 0; begun < MADE_UP; begun += 60)
      await Promise.all(
        Array.from({ length: 60 }, (_, n) => call(randomUUID(), `203.0.113.${n % ADDRESSES}`)),
      );
    const flooding = "select 1 as open from alarm where name = 'unknown_ids_flooding' and cleared_at is null";
    await eventually(() => harness.query(flooding), toEqual([{ open: 1 }]));

    const taken: number[] = [];
    for (const one of known) {
      // A callback within two seconds of a request waits for the end of these seconds, flood or not.
      await eventually(
        () =>
          harness.query(
            "select asked_at < now() - interval '2 s' as is_over from confirmation where invoice_id = $1",
            [one.id],
          ),
        toEqual([{ is_over: true }]),
      );
      one.paidAt = new Date();
      taken.push(await confirmed(one.id, await call(one.id)));
    }
    const genuine = invoice(new Date());
    const found = await confirmed(genuine.id, await call(genuine.id));
    const [waiting] = await harness.query(
      "select count(*)::int as count from confirmation where priority = 'unknown' and state = 'due'",
    );
    process.stdout.write(
      `\nIn a flood of ${MADE_UP} made-up ids: known payments were confirmed within ` +
        `${Math.max(...taken).toFixed(0)} ms, a genuine unknown one after ${found.toFixed(0)} ms, when ` +
        `${waiting?.count} unknown ids waited.\n`,
    );
    expect(Math.max(...taken)).toBeLessThan(1_000);
    expect(found).toBeLessThan(RECONCILE_INTERVAL_MS + 5_000);
    expect(waiting?.count).toBeGreaterThan(MADE_UP / 2);
  });
});
