import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { COLLECTION, startListProvider } from "../../test/pipeline/reconcile/list-provider.ts";
import { eventually, toEqual } from "../../test/support/eventually.ts";
import { ownRelay } from "../../test/support/relay.ts";

const MADE_UP = 3_000;
const ADDRESSES = 12;
const KNOWN = 20;

it("known payments overtake a flood of made-up ids; a genuine unknown one is found by the next sweep (G11, G12)", async () => {
  const provider = await startListProvider();
  const { harness, relay } = await ownRelay({
    COLLECTION_API_URL: provider.url,
    COLLECTION_IDS: COLLECTION,
    RECONCILE_INTERVAL: "10s",
    TRUSTED_PROXIES: "loopback",
  });
  const call = async (id: string, address = "198.51.100.1") => {
    const headers = { "content-type": "application/json", "x-forwarded-for": address };
    const answer = await relay.callback({ data: { id } }, { headers });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
  };
  const invoice = (paidAt: Date | null) => {
    const one = { id: randomUUID(), createdAt: new Date(), paidAt };
    provider.invoices.push(one);
    return one;
  };
  const until = (text: string, values: unknown[], row: object) =>
    eventually(() => harness.query(text, values), toEqual([row]));
  const isPaid = (id: string) =>
    until("select verdict from confirmation where invoice_id = $1", [id], { verdict: "paid" });

  const known = Array.from({ length: KNOWN }, () => invoice(null));
  for (const { id } of known) await call(id);
  await until("select count(*)::int as seen from invoice", [], { seen: KNOWN });
  for (let begun = 0; begun < MADE_UP; begun += 60)
    await Promise.all(Array.from({ length: 60 }, (_, n) => call(randomUUID(), `203.0.113.${n % ADDRESSES}`)));
  const flooding = "select 1 as open from alarm where name = 'unknown_ids_flooding' and cleared_at is null";
  await until(flooding, [], { open: 1 });

  for (const one of known) {
    one.paidAt = new Date();
    await call(one.id);
  }
  for (const { id } of known) await isPaid(id);
  const genuine = invoice(new Date());
  await call(genuine.id);
  await isPaid(genuine.id);
  const [waiting] = await harness.query(
    "select count(*)::int as count from confirmation where priority = 'unknown' and state = 'due'",
  );
  expect(waiting?.count).toBeGreaterThan(MADE_UP / 2);
});
