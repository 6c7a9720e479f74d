import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import {
  LIVE_KEY,
  OPEN_AMOUNT,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { type Surroundings, startRelay, surroundings, type TestRelay, TOKEN } from "../support/relay.ts";

/** How many invoices of each kind a month has. */
export interface MonthShape {
  paid: number;
  /** Of the paid ones. */
  withoutCallback: number;
  withTwoCallbacks: number;
  calledTooEarly: number;
  forged: number;
  expired: number;
}

export interface Month {
  around: Surroundings;
  service: TestService;
  relay: TestRelay;
  environment: Record<string, string | undefined>;
  /** The paid ones that no callback named. */
  missed: string[];
  paid: string[];
  /** First and last day of payment. */
  days: [string, string];
  /** How many of the paid ones were paid on those days: today is not over, and proves nothing. */
  proven: number;
}

const DAY_MS = 86_400_000;
const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);

/**
 * A relay that has been served for 40 days and has just swept its list, over a collection service and a local
 * SNS, all real and empty.
 */
export async function emptyMonth(faults: object = {}) {
  const around = await surroundings();
  const service = await startTestService();
  await service.control("PUT", "/faults", faults);
  const environment = around.environment({
    COLLECTION_API_URL: service.url,
    COLLECTION_API_KEY: LIVE_KEY,
    COLLECTION_IDS: OPEN_AMOUNT,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  await around.query(
    "insert into source (name, first_served_at) values ('default', now() - interval '40 days')",
  );
  await around.query(
    `insert into sweep (id, source, collection_id, kind, state, started_at, window_from, window_to)
     values (gen_random_uuid(), 'default', $1, 'automatic', 'done', now(), now() - interval '40 days',
       now() - interval '40 days')`,
    [OPEN_AMOUNT],
  );
  return { around, service, environment };
}

/** Lives through a month: invoices are paid, callbacks come, come twice, too early, forged, or never. */
export async function liveThrough(shape: MonthShape, faults: object = {}): Promise<Month> {
  const { around, service, environment } = await emptyMonth(faults);
  const now = Date.now();
  const past = Array.from({ length: shape.paid - shape.calledTooEarly }, (_, n) => {
    const paidAt = now - DAY_MS - (n / shape.paid) * 30 * DAY_MS;
    const createdAt = paidAt - (n % 4) * DAY_MS * 0.9;
    return {
      id: randomUUID(),
      createdAt: new Date(createdAt).toISOString(),
      paidAt: new Date(paidAt).toISOString(),
      amount: `${1_000 + (n % 977)}.${String(n % 100).padStart(2, "0")}`,
    };
  });
  const expired = Array.from({ length: shape.expired }, () => ({
    id: randomUUID(),
    createdAt: new Date(now - 5 * DAY_MS).toISOString(),
  }));
  await create(service, [...past, ...expired]);

  const relay = await startRelay(environment);
  const called = past.slice(shape.withoutCallback).map(({ id }) => id);
  const forged = Array.from({ length: shape.forged }, () => randomUUID());
  const callbacks = [
    ...called,
    ...called.slice(0, shape.withTwoCallbacks),
    ...forged,
    ...expired.map(({ id }) => id),
  ];
  await sendAll(relay, callbacks);
  const early = await payTooEarly(service, relay, shape.calledTooEarly, faults);
  await untilCounted(around, "callback", callbacks.length + early.length);
  return {
    around,
    service,
    relay,
    environment,
    missed: past.slice(0, shape.withoutCallback).map(({ id }) => id),
    paid: [...past.map(({ id }) => id), ...early],
    days: [dayOf(now - 32 * DAY_MS), dayOf(now - DAY_MS)],
    proven: past.length,
  };
}

async function create(service: TestService, invoices: object[]): Promise<string[]> {
  const reply = await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
  expect(reply.status).toBe(201);
  return reply.body.ids;
}

/** Callbacks as the provider documents them, 50 at a time. */
export async function sendAll(relay: TestRelay, invoiceIds: readonly string[]): Promise<void> {
  const left = [...invoiceIds];
  const sender = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const answer = await relay.callback({ id: randomUUID(), event: "payment.successful", data: { id } });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 50 }, sender));
}

// Paid now, called at once by the service itself, and shown as Unpaid for another second.
async function payTooEarly(service: TestService, relay: TestRelay, count: number, faults: object) {
  const createdAt = new Date(Date.now() - 3_600_000).toISOString();
  const callBackUrl = `${relay.url}/callbacks/${TOKEN}`;
  if (count === 0) return [];
  const ids = await create(
    service,
    Array.from({ length: count }, () => ({ id: randomUUID(), createdAt, callBackUrl })),
  );
  await service.control("PUT", "/faults", { ...faults, callback: { paymentReadableAfterMs: 1_000 } });
  for (const id of ids) expect((await service.control("POST", `/invoices/${id}/pay`)).status).toBe(200);
  return ids;
}

async function untilCounted({ query }: Surroundings, what: string, count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const [row] = await query<{ n: number }>(`select count(*)::int as n from ${what}`);
      expect(row?.n).toBe(count);
    },
    { interval: 200 },
  );
}

/** Waits until so many events are published and nothing else is under way. */
export const untilPublished = ({ around }: Pick<Month, "around">, count: number): Promise<void> =>
  untilCounted(
    around,
    `event where exists (select from publication where publication.event_id = event.id)
       and not exists (select from outbox where outbox.event_id = event.id)`,
    count,
  );

/** Makes the next automatic sweep due now. */
export async function sweepNow({ around }: Pick<Month, "around">): Promise<void> {
  await vi.waitFor(async () => {
    const due = "update sweep set due_at = now() where kind = 'automatic' and state = 'due' returning id";
    expect(await around.query(due)).toHaveLength(1);
  });
}

/** Everything that the relay knows of these invoices is gone, as after a restore of an older dump. */
export async function forget(
  { around }: Pick<Month, "around">,
  invoiceIds: readonly string[],
): Promise<void> {
  await around.query(
    "delete from publication using event where event.id = event_id and invoice_id = any($1::uuid[])",
    [invoiceIds],
  );
  await deleteEvents({ around }, invoiceIds);
  for (const table of ["confirmation", "invoice_snapshot"])
    await around.query(`delete from ${table} where invoice_id = any($1::uuid[])`, [invoiceIds]);
  await around.query("delete from invoice where id = any($1::uuid[])", [invoiceIds]);
}

/** By a hand that its trigger does not keep off. */
export async function deleteEvents(
  { around: { query } }: Pick<Month, "around">,
  invoiceIds: readonly string[],
): Promise<void> {
  await query("alter table event disable trigger user");
  await query("delete from event where invoice_id = any($1::uuid[])", [invoiceIds]);
  await query("alter table event enable trigger user");
}

/** `invoice-relay certify` over the month, as a process. */
export async function certify({ environment, days: [from, to] }: Pick<Month, "environment" | "days">) {
  const { code, stdout, stderr } = await runCli(
    ["certify", "--from", from, "--to", to, "--json"],
    environment,
  );
  expect(stderr).toBe("");
  return { code, certificate: JSON.parse(stdout)[0] };
}

/** How often each invoice's event is on the topic, by event id. */
export function eventsOnTopic({ around }: Pick<Month, "around">): Map<string, string[]> {
  const byInvoice = new Map<string, string[]>();
  for (const { message } of around.sns.messages(around.topicArn)) {
    const { id, subject } = JSON.parse(message);
    byInvoice.set(subject, [...(byInvoice.get(subject) ?? []), id]);
  }
  return byInvoice;
}
