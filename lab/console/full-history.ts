import { randomUUID } from "node:crypto";
import { FIXED_AMOUNT, OPEN_AMOUNT } from "../../test/sandbox/provider/service-fixture.ts";
import { queryOn } from "../../test/support/database.ts";
import { type ConsoleEnvironment, STRANGER } from "./console-environment.ts";

/** Ids of what a relay in full use holds, by state. */
export type FullHistory = Awaited<ReturnType<typeof fillHistory>>;

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
export async function fillHistory(environment: ConsoleEnvironment) {
  const reference = (n: number | string) => `order-${n}`;
  await sendOddCallbacks(environment);
  const history = await payInThePast(environment);
  const paid = await payNow(environment, reference);
  const unpaid = await environment.invoice(reference("unpaid"));
  await environment.callback({ data: { id: unpaid } });
  const quarantined = await quarantine(environment, reference);
  const deadConfirmation = await killConfirmation(environment, reference("dead"));
  const deadEvent = await killEvent(environment, reference("refused"));
  await changeAfterPayment(environment, paid[0] ?? "");
  await environment.until(PUBLISHED, [], [{ n: paid.length + history.length }]);
  const gap = await missPayments(environment);
  await environment.api("POST", "/certify", { from: dayOf(CERTIFIED_DAYS), to: dayOf(1) });
  await replayAndStop(environment);
  await pausePublishing(environment);
  return { paid, quarantined, deadConfirmation, deadEvent, ...gap };
}

/** Unreadable, a ping, and refused ones. */
async function sendOddCallbacks(environment: ConsoleEnvironment): Promise<void> {
  await environment.callback("<order>17</order>", { "content-type": "text/xml" });
  await environment.callback("");
  for (let count = 0; count < 2; count += 1)
    await environment.callback({ data: { id: randomUUID() } }, { "x-forwarded-for": STRANGER });
  // One that names no invoice brings the next sweep forward, which would close the gap before it is seen.
  await environment.query("update sweep set started_at = clock_timestamp() where state = 'done'");
}

/** A payment or more on most days, each called back: what the calendar shows green. */
async function payInThePast(environment: ConsoleEnvironment): Promise<string[]> {
  const invoices = Array.from({ length: 24 }, (_, n) => {
    const paidAt = Date.parse(`${dayOf(1 + (n % CERTIFIED_DAYS))}T09:30:00Z`) + n * 60_000;
    return pastInvoice(paidAt, `${1_000 + n * 37}.${10 + n}`);
  });
  const ids = await create(environment, invoices);
  await Promise.all(ids.map((id) => environment.callback({ data: { id } }, {}, `/term-${id.slice(0, 4)}`)));
  await environment.until(PUBLISHED, [], [{ n: ids.length }]);
  return ids;
}

const pastInvoice = (paidAt: number, amount: string) => ({
  id: randomUUID(),
  createdAt: new Date(paidAt - 3_600_000).toISOString(),
  paidAt: new Date(paidAt).toISOString(),
  amount,
});

async function create(
  environment: ConsoleEnvironment,
  invoices: object[],
  collectionId = OPEN_AMOUNT,
): Promise<string[]> {
  const reply = await environment.service.control("POST", "/invoices", { collectionId, invoices });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.ids;
}

async function payNow(environment: ConsoleEnvironment, reference: (n: number) => string): Promise<string[]> {
  const paid: string[] = [];
  for (const n of [1, 2, 3, 4, 5]) {
    const id = await environment.invoice(reference(n), { amount: 1_500.5 * n });
    await environment.pay(id);
    paid.push(id);
  }
  for (const id of paid) await environment.until(VERDICT, [id], [{ verdict: "paid", state: "done" }]);
  return paid;
}

async function quarantine(
  environment: ConsoleEnvironment,
  reference: (n: string) => string,
): Promise<string[]> {
  const ids: string[] = [];
  for (const n of ["foreign-1", "foreign-2"]) {
    const id = await environment.invoice(reference(n), { collectionId: FIXED_AMOUNT, amount: undefined });
    await environment.pay(id);
    ids.push(id);
  }
  for (const id of ids) await environment.until(VERDICT, [id], [{ verdict: "quarantined", state: "done" }]);
  return ids;
}

/** Answers with another invoice's id are kept as evidence; a day of repeats is left out. */
async function killConfirmation(environment: ConsoleEnvironment, reference: string): Promise<string> {
  const id = await environment.invoice(reference);
  await environment.service.control("PUT", "/faults", {
    api: [{ operations: ["getInvoice"], ids: [id], answer: "wrong-id" }],
  });
  await environment.pay(id);
  await environment.until(
    "select attempt from confirmation where invoice_id = $1 and attempt > 0",
    [id],
    [{ attempt: 1 }],
  );
  await environment.query("update confirmation set attempt = 8, due_at = now() where invoice_id = $1", [id]);
  await environment.until("select state from confirmation where invoice_id = $1", [id], [{ state: "dead" }]);
  await environment.service.control("PUT", "/faults", {});
  return id;
}

/** SNS refused it, and takes it by now. */
async function killEvent(environment: ConsoleEnvironment, reference: string): Promise<string> {
  const id = await environment.invoice(reference);
  environment.sns.addFault({ kind: "fail-entries", senderFault: true, matching: id, times: 1_000 });
  await environment.pay(id);
  await environment.until(
    `select outbox.state from outbox join event on event.id = event_id
     where invoice_id = $1 and state = 'dead'`,
    [id],
    [{ state: "dead" }],
  );
  environment.sns.clearFaults();
  return id;
}

/** The provider's book changes behind a payment, which the next answer shows. */
async function changeAfterPayment(environment: ConsoleEnvironment, id: string): Promise<void> {
  // The collection service's API would not do it.
  await queryOn(
    environment.service.database.url,
    `update collection_service.invoice
     set amount = amount + 100, total_amount = total_amount + 100, modified_at = now() where id = $1`,
    [id],
  );
  await environment.callback({ data: { id } });
  await environment.until(
    "select count(*)::int as n from alarm where name = 'invoice_anomaly'",
    [],
    [{ n: 1 }],
  );
}

/** Paid on that day, in the past, 5,000.50 in all, and no callback ever came. */
async function missPayments(environment: ConsoleEnvironment) {
  const gapDay = dayOf(GAP_DAYS_AGO);
  const at = Date.parse(`${gapDay}T14:00:00Z`);
  const missed = await create(environment, [pastInvoice(at, "2500.25"), pastInvoice(at + 60_000, "2500.25")]);
  return { missed, gapDay };
}

async function replayAndStop(environment: ConsoleEnvironment): Promise<void> {
  const events = { kind: "events", filters: {}, reason: "A consumer lost its database." };
  const done = await environment.api("POST", "/replays", { ...events, rate: 1_000 });
  await environment.until("select state from replay where id = $1", [done.replay.id], [{ state: "done" }]);
  const stopped = await environment.api("POST", "/replays", { ...events, rate: 1 });
  await environment.api("POST", `/replays/${stopped.replay.id}/cancel`, {});
}

async function pausePublishing(environment: ConsoleEnvironment): Promise<void> {
  await environment.api("POST", "/pause", { work: "publish", reason: "A consumer is being deployed." });
}
