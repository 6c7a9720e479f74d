import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../support/events.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { type Surroundings, surroundings, TOKEN } from "../support/relay.ts";
import { type RelayProcess, startRelayProcess } from "../support/relay-process.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const INVOICES = 200;
const CALLBACKS_EACH = 4;
/** So many callbacks under way keep both processes busy, and are never refused for being too many. */
const SENDERS = 64;

/**
 * Four callbacks for each invoice, spread over the processes; gives how many were answered 2xx.
 */
async function sendAll(
  ids: string[],
  processes: RelayProcess[],
  onAnswer: (answered: number) => void = () => undefined,
) {
  let answered = 0;
  const left = ids.flatMap((id, index) =>
    Array.from({ length: CALLBACKS_EACH }, (_, copy) => ({
      process: processes[(index + copy) % processes.length] as RelayProcess,
      body: JSON.stringify({ id: randomUUID(), event: "payment.successful", data: { id } }),
    })),
  );
  const send = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { process, body } = next;
      const response = await fetch(`${process.url}/callbacks/${TOKEN}`, { method: "POST", body }).catch(
        () => null,
      );
      if (!response?.ok) continue;
      answered += 1;
      onAnswer(answered);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return answered;
}

async function paidInvoices(around: Surroundings): Promise<string[]> {
  const ids = Array.from({ length: INVOICES }, () => randomUUID());
  for (const id of ids) around.provider.invoice(id, invoiceAnswer(id));
  return ids;
}

const eventsOf = (around: Surroundings) =>
  around.query(
    `select count(*)::int as events, count(distinct id)::int as ids,
      count(distinct invoice_id)::int as invoices,
      count(*) filter (where state = 'published')::int as published from ${EVENTS}`,
  );

const ALL = [{ events: INVOICES, ids: INVOICES, invoices: INVOICES, published: INVOICES }];
describe("two serve processes on one database", () => {
  it("share the work: exactly one event an invoice, each published (G4)", async () => {
    const around = await surroundings();
    const ids = await paidInvoices(around);
    const processes = await Promise.all([
      startRelayProcess(around.environment()),
      startRelayProcess(around.environment()),
    ]);
    expect(await sendAll(ids, processes)).toBe(INVOICES * CALLBACKS_EACH);
    await eventually(() => eventsOf(around), toEqual(ALL));
    expect(await around.query("select count(*)::int as callbacks from callback")).toEqual([
      { callbacks: INVOICES * CALLBACKS_EACH },
    ]);
    expect(
      new Set(around.sns.messages(around.topicArn).map((message) => JSON.parse(message.message).id)).size,
    ).toBe(INVOICES);
    expect(await Promise.all(processes.map((process) => process.end("SIGTERM")))).toEqual([0, 0]);
  });

  it("kill -9 of one in the middle loses nothing that was answered, and publishes nothing as new twice (G1, G2, G4, G7)", async () => {
    const around = await surroundings();
    const ids = await paidInvoices(around);
    const environment = around.environment({ LEASE_DURATION: "2s" });
    const [survivor, victim] = await Promise.all([
      startRelayProcess(environment),
      startRelayProcess(environment),
    ]);
    const answered = await sendAll(ids, [survivor, victim], (count) => {
      if (count === 20) victim.process.child.kill("SIGKILL");
    });
    expect(await victim.end("SIGKILL")).toBeNull();
    await eventually(() => eventsOf(around), toEqual(ALL));
    const [recorded] = await around.query<{ callbacks: number }>(
      "select count(*)::int as callbacks from callback",
    );
    expect(recorded?.callbacks).toBeGreaterThanOrEqual(answered);
    expect(await around.query("select count(distinct event_id)::int as events from publication")).toEqual([
      { events: INVOICES },
    ]);
    // A callback that came after the event opened its confirmation again; the dead process may hold its
    // lease.
    await eventually(
      () => around.query("select state, verdict from confirmation group by state, verdict"),
      toEqual([{ state: "done", verdict: "paid" }]),
    );
    expect(await eventsOf(around)).toEqual(ALL);
  });
});
