import { randomUUID } from "node:crypto";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, vi } from "vitest";
import { HELD_LIMIT } from "../../src/work/pump.ts";
import { OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { onTestFinished } from "../support/own-test.ts";
import { type Surroundings, startRelay } from "../support/relay.ts";
import { emptyMonth, sendAll, untilPublished } from "./month.ts";

interface FloodShape {
  forged: number;
  genuine: number;
  /** How many forged ones have to wait still when the last genuine one is published. */
  stillWaiting: number;
}

/** Each "not found" moves the source's share by a twentieth of the way: so many in a row pass one half. */
const ANSWERS_THAT_SHOW_A_FLOOD = 14;
const CONCURRENCY = 16;
const UNKNOWN_RATE = 5;
/** The bucket of unknown ids holds a fifth of a second, and at least one call. */
const BUCKET = 1;

/**
 * Forged callbacks with random UUIDs, and among them genuine ones for invoices that the relay has never seen:
 * the genuine ones are published while the forged ones wait, and the provider is not asked for them faster
 * than the policy allows. Calls are counted where the provider sees them.
 */
export async function survivesFlood({ forged, genuine, stillWaiting }: FloodShape): Promise<void> {
  const month = await emptyMonth();
  const { around, service } = month;
  const provider = await startCallLog(service.url);
  const relay = await startRelay({
    ...month.environment,
    COLLECTION_API_URL: provider.url,
    CONFIRM_CONCURRENCY: String(CONCURRENCY),
    UNKNOWN_RATE_PER_SECOND: String(UNKNOWN_RATE),
  });
  const random = (count: number) => Array.from({ length: count }, () => randomUUID());
  const [first, rest] = [random(Math.floor(forged / 2)), random(Math.ceil(forged / 2))];
  await sendAll(relay, first);
  const throttled = await untilThrottled(around);

  const paidAt = new Date().toISOString();
  const invoices = Array.from({ length: genuine }, () => ({ id: randomUUID(), createdAt: paidAt, paidAt }));
  const reply = await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
  expect(reply.status).toBe(201);
  await sendAll(relay, mixed(invoices, rest));
  await untilPublished(month, genuine);

  const endedAt = performance.now();
  const [left] = await around.query<{ n: number }>(
    "select count(*)::int as n from confirmation where priority = 'unknown' and state = 'due'",
  );
  expect(left?.n).toBeGreaterThanOrEqual(stillWaiting);
  const published = around.sns.messages(around.topicArn).map(({ message }) => JSON.parse(message).subject);
  expect(published.sort()).toEqual(invoices.map(({ id }) => id).sort());

  const real = new Set<string>(invoices.map(({ id }) => id));
  const calls = provider.calls.filter(({ invoiceId, at }) => !real.has(invoiceId) && at <= endedAt);
  const since = calls.filter(({ at }) => at > throttled.seenAt).length;
  expect(since).toBeLessThanOrEqual(BUCKET + (UNKNOWN_RATE * (endedAt - throttled.askedAt)) / 1_000);
  // Until so many answers have been written down, which is when they show the flood, the relay may hold all
  // that its pump takes: on a slow disk, most of it was asked for and is not written yet.
  const beganAt = calls[0]?.at ?? endedAt;
  expect(calls.length).toBeLessThanOrEqual(
    ANSWERS_THAT_SHOW_A_FLOOD +
      CONCURRENCY * HELD_LIMIT +
      BUCKET +
      (UNKNOWN_RATE * (endedAt - beganAt)) / 1_000,
  );
}

/**
 * Waits until unknown ids are throttled and no confirmation claimed before that is under way: the policy
 * holds from here.
 */
async function untilThrottled({ query }: Surroundings): Promise<{ askedAt: number; seenAt: number }> {
  return await vi.waitFor(
    async () => {
      const askedAt = performance.now();
      const [row] = await query<{ flooded: boolean; claimed: number }>(
        `select unknown_share > 0.5 as flooded,
          (select count(*)::int from confirmation where priority = 'unknown' and state = 'claimed') as claimed
          from source`,
      );
      expect(row).toEqual({ flooded: true, claimed: 0 });
      return { askedAt, seenAt: performance.now() };
    },
    { interval: 10 },
  );
}

/** The genuine ones spread evenly among the forged. */
function mixed(genuine: readonly { id: string }[], forged: readonly string[]): string[] {
  const every = Math.max(1, Math.floor(forged.length / genuine.length));
  return forged.flatMap((id, n) => {
    const real = n % every === 0 ? genuine[n / every] : undefined;
    return real === undefined ? [id] : [real.id, id];
  });
}

interface CallLog {
  /** Stands in front of the provider: what arrives here is what the provider sees. */
  url: string;
  /** Get Invoice calls in order: which id, and when, in ms of performance.now(). */
  calls: { invoiceId: string; at: number }[];
}

/** A pass-through in front of a provider that notes each Get Invoice as it arrives; gone with the test. */
async function startCallLog(providerUrl: string): Promise<CallLog> {
  const log: CallLog = { url: "", calls: [] };
  const server = createServer((incoming, outgoing) => {
    const [, invoiceId] = /^\/api\/v1\/invoices\/([0-9a-f-]{36})$/.exec(incoming.url ?? "") ?? [];
    if (invoiceId !== undefined) log.calls.push({ invoiceId, at: performance.now() });
    const { host: _host, ...headers } = incoming.headers;
    const onward = request(
      `${providerUrl}${incoming.url}`,
      { method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  log.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return log;
}
