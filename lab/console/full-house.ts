import { randomUUID } from "node:crypto";
import { FIXED_AMOUNT, OPEN_AMOUNT } from "../../test/sandbox/provider/service-fixture.ts";
import { queryOn } from "../../test/support/database.ts";
import { type ConsoleWorld, STRANGER } from "./console-environment.ts";

/** Ids of what a house in full use holds, by state. */
export type FullHouse = Awaited<ReturnType<typeof fillHouse>>;

const DAY_MS = 86_400_000;
const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const GAP_DAYS_AGO = 3;
const CERTIFIED_DAYS = 20;

const VERDICT = "select verdict, state from confirmation where invoice_id = $1";
const PUBLISHED = "select count(*)::int as n from publication";

/**
 * Fills every list, by what really happens: payments, callbacks, faults, an operator's acts. The
 * references of what is paid are `order-1`, `order-2`, …
 */
export async function fillHouse(world: ConsoleWorld) {
  const reference = (n: number | string) => `order-${n}`;
  await sendOddCallbacks(world);
  const history = await payInThePast(world);
  const paid = await payNow(world, reference);
  const unpaid = await world.invoice(reference("unpaid"));
  await world.callback({ data: { id: unpaid } });
  const quarantined = await quarantine(world, reference);
  const deadConfirmation = await killConfirmation(world, reference("dead"));
  const deadEvent = await killEvent(world, reference("refused"));
  await changeAfterPayment(world, paid[0] ?? "");
  await world.until(PUBLISHED, [], [{ n: paid.length + history.length }]);
  const gap = await missPayments(world);
  await world.api("POST", "/certify", { from: dayOf(CERTIFIED_DAYS), to: dayOf(1) });
  await replayAndStop(world);
  await pausePublishing(world);
  return { paid, quarantined, deadConfirmation, deadEvent, ...gap };
}

/** Unreadable, a ping, and refused ones. */
async function sendOddCallbacks(world: ConsoleWorld): Promise<void> {
  await world.callback("<order>17</order>", { "content-type": "text/xml" });
  await world.callback("");
  for (let count = 0; count < 2; count += 1)
    await world.callback({ data: { id: randomUUID() } }, { "x-forwarded-for": STRANGER });
  // One that names no invoice brings the next sweep forward, which would close the gap before it is seen.
  await world.query(
    "update sweep set started_at = clock_timestamp() where kind = 'automatic' and state = 'done'",
  );
}

/** A payment or more on most days, each called back: what the calendar shows green. */
async function payInThePast(world: ConsoleWorld): Promise<string[]> {
  const invoices = Array.from({ length: 24 }, (_, n) => {
    const paidAt = Date.parse(`${dayOf(1 + (n % CERTIFIED_DAYS))}T09:30:00Z`) + n * 60_000;
    return pastInvoice(paidAt, `${1_000 + n * 37}.${10 + n}`);
  });
  const ids = await create(world, invoices);
  await Promise.all(ids.map((id) => world.callback({ data: { id } }, {}, `/term-${id.slice(0, 4)}`)));
  await world.until(PUBLISHED, [], [{ n: ids.length }]);
  return ids;
}

const pastInvoice = (paidAt: number, amount: string) => ({
  id: randomUUID(),
  createdAt: new Date(paidAt - 3_600_000).toISOString(),
  paidAt: new Date(paidAt).toISOString(),
  amount,
});

async function create(
  world: ConsoleWorld,
  invoices: object[],
  collectionId = OPEN_AMOUNT,
): Promise<string[]> {
  const reply = await world.service.control("POST", "/invoices", { collectionId, invoices });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.ids;
}

async function payNow(world: ConsoleWorld, reference: (n: number) => string): Promise<string[]> {
  const paid: string[] = [];
  for (const n of [1, 2, 3, 4, 5]) {
    const id = await world.invoice(reference(n), { amount: 1_500.5 * n });
    await world.pay(id);
    paid.push(id);
  }
  for (const id of paid) await world.until(VERDICT, [id], [{ verdict: "paid", state: "done" }]);
  return paid;
}

async function quarantine(world: ConsoleWorld, reference: (n: string) => string): Promise<string[]> {
  const ids: string[] = [];
  for (const n of ["foreign-1", "foreign-2"]) {
    const id = await world.invoice(reference(n), { collectionId: FIXED_AMOUNT, amount: undefined });
    await world.pay(id);
    ids.push(id);
  }
  for (const id of ids) await world.until(VERDICT, [id], [{ verdict: "quarantined", state: "done" }]);
  return ids;
}

/** Answers with another invoice's id are kept as evidence; a day of repeats is left out. */
async function killConfirmation(world: ConsoleWorld, reference: string): Promise<string> {
  const id = await world.invoice(reference);
  await world.service.control("PUT", "/faults", {
    api: [{ operations: ["getInvoice"], ids: [id], answer: "wrong-id" }],
  });
  await world.pay(id);
  await world.until(
    "select attempt from confirmation where invoice_id = $1 and attempt > 0",
    [id],
    [{ attempt: 1 }],
  );
  await world.query("update confirmation set attempt = 8, due_at = now() where invoice_id = $1", [id]);
  await world.until("select state from confirmation where invoice_id = $1", [id], [{ state: "dead" }]);
  await world.service.control("DELETE", "/faults");
  return id;
}

/** SNS refused it, and takes it by now. */
async function killEvent(world: ConsoleWorld, reference: string): Promise<string> {
  const id = await world.invoice(reference);
  world.sns.addFault({ kind: "fail-entries", senderFault: true, matching: id, times: 1_000 });
  await world.pay(id);
  await world.until(
    `select outbox.state from outbox join event on event.id = event_id
     where invoice_id = $1 and state = 'dead'`,
    [id],
    [{ state: "dead" }],
  );
  world.sns.clearFaults();
  return id;
}

/** The provider's book changes behind a payment, which the next answer shows. */
async function changeAfterPayment(world: ConsoleWorld, id: string): Promise<void> {
  await inProvidersBook(
    world,
    `update collection_service.invoice
     set amount = amount + 100, total_amount = total_amount + 100, modified_at = now() where id = $1`,
    [id],
  );
  await world.callback({ data: { id } });
  await world.until("select count(*)::int as n from alarm where name = 'invoice_anomaly'", [], [{ n: 1 }]);
}

/** Changes the collection service's own tables, which its API would not do. */
const inProvidersBook = (world: ConsoleWorld, text: string, values: unknown[]) =>
  queryOn(world.service.database.url, text, values);

/** Paid on that day, in the past, 5,000.50 in all, and no callback ever came. */
async function missPayments(world: ConsoleWorld) {
  const gapDay = dayOf(GAP_DAYS_AGO);
  const at = Date.parse(`${gapDay}T14:00:00Z`);
  const missed = await create(world, [pastInvoice(at, "2500.25"), pastInvoice(at + 60_000, "2500.25")]);
  return { missed, gapDay };
}

async function replayAndStop(world: ConsoleWorld): Promise<void> {
  const events = { kind: "events", filters: {}, reason: "A consumer lost its database." };
  const done = await world.api("POST", "/replays", { ...events, rate: 1_000 });
  await world.until("select state from replay where id = $1", [done.replay.id], [{ state: "done" }]);
  const stopped = await world.api("POST", "/replays", { ...events, rate: 1 });
  await world.api("POST", `/replays/${stopped.replay.id}/cancel`, {});
}

async function pausePublishing(world: ConsoleWorld): Promise<void> {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await world.api("POST", "/pause", { work: "publish", reason: "A consumer is being deployed.", until });
}
