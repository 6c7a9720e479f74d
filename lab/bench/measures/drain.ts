import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { invoicePaidId } from "../../../src/events/invoice-paid.ts";
import { type BytesPerPayment, startBytesClock } from "../harness/bytes.ts";
import { nowMs } from "../harness/child.ts";
import { type CpuCosts, warmUp } from "../harness/cpu.ts";
import { callbackBody } from "../harness/payment.ts";
import { bytesTables, profileTable, type Report, rateTables, spreadTable } from "../harness/report.ts";
import { interleave } from "../harness/rounds.ts";
import type { BenchDatabase, Stage } from "../harness/stage.ts";
import type { BenchOptions } from "../main.ts";
import type { QueueCalls } from "../processes/graphile-worker.ts";

interface Drain {
  perSecond: number;
  cpu: CpuCosts;
  bytes: BytesPerPayment;
}

/** A process that turns callbacks into published events. */
interface Drainer {
  pid: number;
  /** How recorded callbacks become its work; `$1` are the invoices' ids. */
  enqueue: string;
  /** The work is there. */
  notify?(): Promise<unknown>;
  end(): Promise<void>;
}

const RELAYS_QUEUE = `, opened as (
    insert into confirmation (invoice_id, source, priority, opened_by, opened_at, requested_at, due_at)
    select id, 'default', 'unknown', 'callback', clock_timestamp(), clock_timestamp(), clock_timestamp()
    from given)
  select 1`;
const GRAPHILE_WORKERS = `
  select count(*) from graphile_worker.add_jobs((
    select array_agg(json_populate_record(null::graphile_worker.job_spec,
      json_build_object('identifier', 'confirm', 'payload', json_build_object('invoiceId', id))))
    from given))`;
const PG_BOSSES = `
  insert into pgboss.job (name, data, retry_limit, retry_delay)
  select 'confirm', jsonb_build_object('invoiceId', id), 5, 1 from given`;

/** The relay's workers, without HTTP. */
export async function startWorkers(stage: Stage, database: BenchDatabase) {
  return { ...(await stage.relay(database, { http: false, workers: true })), enqueue: RELAYS_QUEUE };
}

const startQueue =
  (name: "graphile-worker" | "pg-boss", levers: boolean) =>
  async (stage: Stage, database: BenchDatabase): Promise<Drainer> => {
    const child = stage.child<QueueCalls>(name);
    await child.call("start", { ...stage.addresses(database), levers });
    const enqueue = name === "pg-boss" ? PG_BOSSES : GRAPHILE_WORKERS;
    return { ...child, enqueue, ...(levers && { notify: () => child.call("notify") }) };
  };

/** A queue's plain name is with our levers. */
const PEERS: Record<string, (stage: Stage, database: BenchDatabase) => Promise<Drainer>> = {
  graphileWorkerAsDocumented: startQueue("graphile-worker", false),
  graphileWorker: startQueue("graphile-worker", true),
  pgBossAsDocumented: startQueue("pg-boss", false),
  pgBoss: startQueue("pg-boss", true),
};

const PLACE = "00000000-0000-4000-8000-000000000000";
const RECORD = `
  with given as (select unnest($1::uuid[]) as id), recorded as (
    insert into callback
      (id, received_at, source, method, path, query, reference, remote_address, found_by, invoice_ids,
       headers, body)
    select gen_random_uuid(), clock_timestamp(), 'default', 'POST', '/callbacks/***/order-10023', '',
      'order-10023', '127.0.0.1', 'data.id', array[id], '[["Content-Type","application/json"]]',
      convert_to(replace('${callbackBody(PLACE, PLACE)}', '${PLACE}', id::text), 'UTF8')
    from given)`;

const PUBLISHED = `
  select count(*)::int as count from publication where source = 'default' and event_id = any ($1::uuid[])`;

const TIMEOUT_MS = 60_000;
const WARM_UP = 1_000;

/**
 * Recorded callbacks to published events: from the first GET to the last acceptance by SNS. A process that is not
 * told of new work polls for it each second, which is no part of its speed.
 */
export async function measureDrain(
  stage: Stage,
  database: BenchDatabase,
  drainer: Drainer,
  callbacks: number,
): Promise<Drain> {
  /** All the work appears at once; @returns how long it took, from the first GET to the last acceptance. */
  const work = async (count: number): Promise<number> => {
    const ids = Array.from({ length: count }, () => randomUUID());
    await Promise.all([stage.sns.call("reset"), stage.provider.call("reset")]);
    const asked = stage.provider.call("whenAsked");
    const accepted = stage.sns.call("whenAccepted", count);
    await database.query(RECORD + drainer.enqueue, [ids]);
    await drainer.notify?.();
    const ms = (await accepted) - (await asked);
    // SNS had the last ones a moment before their acceptances are written down.
    for (const until = nowMs() + TIMEOUT_MS; ; await delay(20)) {
      const [row] = await database.query<{ count: number }>(PUBLISHED, [ids.map(invoicePaidId)]);
      if (row?.count === count) return ms;
      if (nowMs() > until) throw new Error(`Only ${row?.count} of ${count} publications were written`);
    }
  };
  await stage.settleDisk();
  await warmUp(drainer.pid, () => work(WARM_UP));
  const bytesSince = await startBytesClock(database, { walByRelation: true });
  const clock = stage.startCpuClock(drainer.pid);
  const perSecond = (callbacks * 1_000) / (await work(callbacks));
  return { perSecond, cpu: clock(callbacks), bytes: await bytesSince(callbacks) };
}

const drainOnce = (stage: Stage, start: (typeof PEERS)[string], callbacks: number) =>
  stage.withDatabase(async (database) => {
    const drainer = await start(stage, database);
    return await measureDrain(stage, database, drainer, callbacks).finally(drainer.end);
  });

/** How many GETs are under way at a time, as CONFIRM_CONCURRENCY has it. */
const CONCURRENCY = 64;
const SLOW_PROVIDER_MS = 50;

/** Recorded callbacks to published events a second, with a provider that answers at once and with a slow one. */
export async function drain(stage: Stage, { rounds, callbacks, profile }: BenchOptions): Promise<Report> {
  const relay = (count: number) => ({ relay: () => drainOnce(stage, startWorkers, count) });
  const fast = await interleave(relay(callbacks), rounds);
  const hot = await stage.withDatabase(async (database) => {
    if (!profile) return undefined;
    const workers = await startWorkers(stage, database);
    await workers.call("startProfile");
    await measureDrain(stage, database, workers, callbacks);
    return await workers.call("stopProfile").finally(workers.end);
  });
  await stage.provider.call("delay", SLOW_PROVIDER_MS);
  const slow = await interleave(relay(Math.ceil(callbacks / 2)), rounds);
  const possible = CONCURRENCY / (SLOW_PROVIDER_MS / 1_000);
  const share = (slow.relay ?? []).map(({ perSecond }) => perSecond / possible);
  return {
    tables: [
      ...rateTables(`Drain of ${callbacks} callbacks: events`, fast),
      ...bytesTables({ relay: (fast.relay ?? []).map(({ bytes }) => bytes) }),
      ...(hot === undefined ? [] : [profileTable(hot)]),
      ...rateTables(
        `With a provider that takes ${SLOW_PROVIDER_MS} ms, ${CONCURRENCY} at a time: events`,
        slow,
      ),
      ...spreadTable("Share of what is possible then", { [`of ${possible}/s`]: share }),
    ],
    figures: { rounds: { ...fast, "relay, slow provider": slow.relay }, profile: hot },
  };
}

/** The drain beside those of two job queues: as their documentation shows them, and with our levers. */
export async function peers(stage: Stage, { rounds, callbacks, alone }: BenchOptions): Promise<Report> {
  const all = Object.entries({ ...(alone ? {} : PEERS), relay: startWorkers });
  const variants = all.map(([name, start]) => [name, () => drainOnce(stage, start, callbacks)]);
  const figures = await interleave<Drain>(Object.fromEntries(variants), rounds);
  return {
    tables: rateTables(`Drain of ${callbacks} callbacks: events`, figures),
    figures: { rounds: figures },
  };
}
