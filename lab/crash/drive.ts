import { randomUUID } from "node:crypto";
import { makeDatabase, onDatabase, runOn } from "../../test/support/postgres-server.ts";
import { sendCallback } from "../chaos/traffic.ts";
import { type Environment, type EnvironmentSource, rest } from "../environment/environment.ts";
import type { KeptInvoice } from "../environment/provider.ts";
import type { Relay } from "../environment/relay.ts";
import { until } from "../environment/run-lab.ts";

/** The command that passes the failpoint, if it is not `serve`. */
export interface Command {
  words: readonly string[];
  environment?: Record<string, string>;
  /** It has to succeed when it is run again afterwards. */
  again: boolean;
}

/** What makes a process pass a failpoint. */
export interface Drive {
  /** Runs before the process that is to pass it starts. */
  prepare?(environment: Environment): Promise<void>;
  command?(environment: Environment): Promise<Command>;
  /** Settings of that process. */
  environment?: Record<string, string>;
  /** Runs while `serve` runs; may be interrupted. */
  act?(environment: Environment): Promise<void>;
}

const yesterday = () => new Date(Date.now() - 86_400_000);

const theRelay = ({ relays }: Environment) => relays[0] as Relay;
const theSource = ({ sources }: Environment) => sources[0] as EnvironmentSource;

/** Most are a callback for a paid invoice; comments name the difference. */
async function callback(environment: Environment, invoice: Partial<KeptInvoice> = {}): Promise<void> {
  await sendCallback(environment, theSource(environment), [keepInvoice(environment, invoice)], "documented");
}

/** The same callback, once something is wrong. */
const amid = (fault: (environment: Environment) => void): Drive => ({
  async act(environment) {
    fault(environment);
    await callback(environment);
  },
});

/** It is the relay that passes the failpoint, and not who asked for it. */
const replay = (kind: string): Drive => ({
  prepare: somethingPublished,
  act: (environment) => askForReplay(environment, kind),
});

export const DRIVES = {
  /** A callback for a paid invoice. */
  callback: { act: (environment) => callback(environment) },
  /** The same, but SNS accepts the event only at the second attempt. */
  "refused entry": amid(({ sns }) => sns.addFault({ kind: "fail-entries", times: 1 })),
  /** The same with a rate limit, so that confirmations are claimed and there is no handoff. */
  "callback under a rate": {
    environment: { CONFIRM_RATE_PER_SECOND: "100" },
    act: (environment) => callback(environment),
  },
  /** Only the start. */
  start: {},
  /** The same, while the provider refuses every key. */
  "refusing provider": amid(({ provider }) => provider.behave({ kind: "refuse" })),
  /** SIGTERM while the provider does not answer about one invoice and others wait for their turn. */
  "stop with work in hand": {
    environment: { CONFIRM_CONCURRENCY: "1" },
    async act(environment) {
      environment.provider.behave({ kind: "hang" });
      await Promise.all([1, 2, 3, 4].map(() => callback(environment)));
      await theRelay(environment).process.stop();
    },
  },
  /** A process was killed while the provider, or SNS, was about to answer: its leases expire. */
  "killed while asking": {
    async prepare(environment) {
      environment.provider.behave({ kind: "hang" });
      await killedWhileHolding(environment, "confirmation");
      environment.provider.behave({ kind: "well" });
    },
  },
  "killed while sending": {
    async prepare(environment) {
      environment.sns.addFault({ kind: "hang", times: 100 });
      await killedWhileHolding(environment, "outbox");
      environment.sns.clearFaults();
    },
  },
  /** A callback, while the provider is down. */
  "failing provider": amid(({ provider }) => provider.behave({ kind: "down" })),
  /** An invoice that was invalid is paid after all: an anomaly that raises an alarm. */
  revived: {
    async prepare(environment) {
      await serveMeanwhile(environment, async () => {
        await callback(environment, { status: "Invalidated", paidAt: null });
        await rest(environment);
      });
    },
    act: async (environment) => await callback(environment, { id: await found(environment, LAST_INVALID) }),
  },
  /** A paid invoice without a callback. */
  untold: { act: async (environment) => void keepInvoice(environment) },
  /** Yesterday's payments are certified on request, and the result is equal. */
  certificate: {
    async prepare(environment) {
      await somethingPublished(environment);
      await runOn(environment.databaseUrl, SERVED_FOR_DAYS);
    },
    async command() {
      const day = yesterday().toISOString().slice(0, 10);
      return { words: ["certify", "--from", day, "--to", day], again: true };
    },
  },
  /** The provider is down when its list is to be read. */
  "failing list": { act: async (environment) => environment.provider.behave({ kind: "down" }) },
  /** The daily certificate of yesterday's payments. */
  "daily certificate": { prepare: dailyDue },
  /** Of what was published before. The relay that is to send it runs. */
  "replay asked for": {
    async prepare(environment) {
      await somethingPublished(environment);
      await theRelay(environment).startUntilItRuns();
    },
    command: async (environment) => ({
      words: ["replay", "events", "--invoice", await found(environment, PUBLISHED)],
      again: false,
    }),
  },
  "replay of events": replay("events"),
  "replay of callbacks": replay("callbacks"),
  "replay of confirmations": replay("confirmations"),
  /** The month after next has no partition. */
  "missing partition": {
    async prepare({ databaseUrl }) {
      const now = new Date();
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 3, 1));
      const name = `callback_${month.toISOString().slice(0, 7).replace("-", "_")}`;
      await runOn(databaseUrl, `drop table if exists ${name}`);
    },
  },
  /**
   * One month of the log is past its retention, so is a callback that was kept, and one invoice stayed
   * unknown.
   */
  retention: {
    async prepare({ databaseUrl }) {
      await runOn(databaseUrl, ...LONG_AGO);
    },
    command: async () => ({ words: ["retention"], again: true }),
  },
  /** An invoice was confirmed so long ago that its personal data is to be erased. */
  "retention of personal data": {
    async prepare(environment) {
      // Without a callback, which would be blanked as well: then the log could not be compared.
      const id = keepInvoice(environment);
      await serveMeanwhile(environment, async () => {
        if (!(await rest(environment))) throw new Error("The invoice to be blanked was not published.");
      });
      const longAgo = "clock_timestamp() - interval '400 days'";
      await runOn(
        environment.databaseUrl,
        `update confirmation set settled_at = ${longAgo} where invoice_id = '${id}'`,
      );
    },
    async command() {
      return { words: ["retention"], environment: { PERSONAL_DATA_RETENTION: "365d" }, again: true };
    },
  },
  /** On an empty database. */
  migrate: {
    async command({ databaseUrl }) {
      const empty = onDatabase(databaseUrl, await makeDatabase(databaseUrl));
      return { words: ["migrate"], environment: { DATABASE_URL: empty }, again: true };
    },
  },
} as const satisfies Record<string, Drive>;

const SERVED_FOR_DAYS = "update source set first_served_at = clock_timestamp() - interval '3 days'";

const LONG_AGO = [
  `create table if not exists callback_2020_03 partition of callback
    for values from ('2020-03-01') to ('2020-04-01')`,
  `insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
    values (gen_random_uuid(), '2020-01-15', 'alpha', 'POST', '/', '', '{}', '[]', '')`,
  `insert into confirmation
      (invoice_id, source, opened_at, requested_at, due_at, settled_at, opened_by, state, verdict)
    select gen_random_uuid(), 'alpha', long_ago, long_ago, long_ago, long_ago, 'callback', 'done',
      'unknown_invoice'
    from (select clock_timestamp() - interval '8 days' as long_ago) as moment`,
];

async function askForReplay(environment: Environment, kind: string): Promise<void> {
  const relay = theRelay(environment);
  const countReplays = async () => (await runOn(environment.databaseUrl, "select from replay")).length;
  const before = await countReplays();
  const asking = relay.launch(["replay", kind, "--invoice", await found(environment, PUBLISHED)]);
  await becomes("a replay is started", async () => (await countReplays()) > before);
  // It would follow the replay to its end.
  await asking.kill();
}

export type DriveName = keyof typeof DRIVES;

function keepInvoice(environment: Environment, invoice: Partial<KeptInvoice> = {}): string {
  const { collectionId, name } = theSource(environment);
  const kept = { id: randomUUID(), collectionId, sources: [name], status: "Paid", amount: 12.5, ...invoice };
  environment.provider.keep(kept);
  return kept.id;
}

/** The first id that the query finds. @throws Error when there is none. */
async function found({ databaseUrl }: Environment, query: string): Promise<string> {
  const [row] = await runOn<{ id: string }>(databaseUrl, query);
  if (row === undefined) throw new Error(`Nothing is found by: ${query}`);
  return row.id;
}

/** @throws Error when it takes longer than a minute. */
async function becomes(what: string, holds: () => Promise<boolean>): Promise<void> {
  if (!(await until(holds, { withinMs: 60_000, everyMs: 20 })))
    throw new Error(`It took longer than a minute that ${what}.`);
}

const PUBLISHED =
  "select invoice_id::text as id from event join callback on invoice_id = invoice_ids[1] limit 1";

const LAST_INVALID = `select invoice_id::text as id from confirmation where verdict = 'invalidated'
  order by settled_at desc limit 1`;

/** Runs `serve` for as long as the work takes. @returns the relay, which has stopped. */
async function serveMeanwhile(environment: Environment, work = async () => {}): Promise<Relay> {
  const relay = theRelay(environment);
  await relay.startUntilItRuns();
  await work();
  await relay.process.stop();
  return relay;
}

/** A process gets a callback and is killed while it has claimed a row of this table. */
async function killedWhileHolding(environment: Environment, table: "confirmation" | "outbox"): Promise<void> {
  const relay = theRelay(environment);
  await relay.startUntilItRuns();
  await callback(environment);
  const held = `select from ${table} where state = 'claimed'`;
  await becomes(`a ${table} is claimed`, async () => (await runOn(environment.databaseUrl, held)).length > 0);
  await relay.process.kill();
}

async function dailyDue(environment: Environment): Promise<void> {
  await somethingPublished(environment);
  const { name, collectionId } = theSource(environment);
  await runOn(
    environment.databaseUrl,
    SERVED_FOR_DAYS,
    "delete from certificate where day is not null",
    `insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
     select '${randomUUID()}', '${name}', (midnight at time zone 'UTC')::date, midnight - interval '1 day', midnight,
       array['${collectionId}'::uuid], clock_timestamp()
       from date_trunc('day', clock_timestamp(), 'UTC') as midnight`,
  );
}

async function somethingPublished(environment: Environment): Promise<void> {
  if ((await runOn(environment.databaseUrl, PUBLISHED)).length > 0) return;
  await serveMeanwhile(environment, async () => {
    await callback(environment, { paidAt: yesterday().toISOString() });
    if (!(await rest(environment))) throw new Error("The event that the command needs was not published.");
  });
}
