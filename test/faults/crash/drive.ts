import { randomUUID } from "node:crypto";
import { startUntilItRuns } from "../torture/strike.ts";
import { rest } from "../torture/torture.ts";
import { sendCallback } from "../torture/traffic.ts";
import { makeDatabase, onDatabase, runOn } from "../world/postgres-server.ts";
import type { KeptInvoice } from "../world/provider-books.ts";
import type { Relay } from "../world/relay.ts";
import type { World, WorldSource } from "../world/world.ts";

/** A command of its own that passes the step, instead of `serve`. */
export interface Command {
  words: readonly string[];
  environment?: Record<string, string>;
  /** It has to end well when it is given again afterwards. */
  again: boolean;
}

/** How a step comes to be passed. */
export interface Drive {
  /** Before the process starts that is to pass it. */
  prepare?(world: World): Promise<void>;
  command?(world: World): Promise<Command>;
  /** While `serve` runs; may be cut off in the middle. */
  act?(world: World): Promise<void>;
}

const REVIVED = "5e71ed00-0000-4000-8000-000000000001";

const yesterday = () => new Date(Date.now() - 86_400_000);

/** A callback for an invoice that is paid, but for what is said of it. */
async function callback(world: World, invoice: Partial<KeptInvoice> = {}): Promise<void> {
  const [source] = world.sources as [WorldSource];
  await sendCallback(world, source, [await keepInvoice(world, invoice)], "documented");
}

const replay = (kind: string): Drive => ({
  prepare: somethingPublished,
  command: async (world) => ({
    words: ["replay", kind, "--invoice", await publishedInvoice(world)],
    again: false,
  }),
});

export const DRIVES = {
  /** A callback for a paid invoice. */
  callback: { act: (world) => callback(world) },
  /** The same, and SNS takes the event with the second try only. */
  "refused entry": {
    async act(world) {
      await world.sns.fault({ kind: "fail-entries", times: 1 });
      await callback(world);
    },
  },
  /** The same, while the provider is down. */
  "failing provider": {
    async act(world) {
      await world.provider.feel({ kind: "down", share: 1 });
      await callback(world);
    },
  },
  /** An invoice that was invalid is paid after all, which is an anomaly to tell of. */
  revived: {
    async prepare(world) {
      const [relay] = world.relays as [Relay];
      await startUntilItRuns(relay);
      await callback(world, { id: REVIVED, status: "Invalidated", paidAt: null });
      await rest(world);
      await relay.process.stop();
    },
    act: (world) => callback(world, { id: REVIVED }),
  },
  /** A paid invoice that nobody tells of. */
  untold: { act: async (world) => void (await keepInvoice(world)) },
  /** Yesterday's payments are certified, and in the end they are equal. */
  certificate: {
    async prepare(world) {
      await somethingPublished(world);
      await runOn(
        world.databaseUrl,
        "update source set first_served_at = clock_timestamp() - interval '3 days'",
      );
    },
    async command() {
      const day = yesterday().toISOString().slice(0, 10);
      return { words: ["certify", "--from", day, "--to", day], again: true };
    },
  },
  /** The provider is down when its list is to be read. */
  "failing list": { act: (world) => world.provider.feel({ kind: "down", share: 1 }) },
  /** Yesterday's payments are certified by itself. */
  "daily certificate": { prepare: dailyDue },
  /** The same, while the provider is down. */
  "failing daily certificate": {
    async prepare(world) {
      await dailyDue(world);
      await world.provider.feel({ kind: "down", share: 1 });
    },
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
  /** A month of the log is past its time. */
  retention: {
    async prepare({ databaseUrl }) {
      const month = "for values from ('2020-03-01') to ('2020-04-01')";
      await runOn(databaseUrl, `create table if not exists callback_2020_03 partition of callback ${month}`);
    },
    command: async () => ({ words: ["retention"], again: true }),
  },
  /** On an empty database. */
  migrate: {
    async command({ databaseUrl }) {
      const empty = onDatabase(databaseUrl, await makeDatabase(databaseUrl));
      return { words: ["migrate"], environment: { DATABASE_URL: empty }, again: true };
    },
  },
} as const satisfies Record<string, Drive>;

export type DriveName = keyof typeof DRIVES;

async function keepInvoice(
  { provider, sources }: World,
  invoice: Partial<KeptInvoice> = {},
): Promise<string> {
  const [{ collectionId, name }] = sources as [WorldSource];
  const id = randomUUID();
  const kept = { id, collectionId, sources: [name], status: "Paid", amount: 12.5, ...invoice };
  await provider.keep(kept);
  return kept.id;
}

const findPublished = ({ databaseUrl }: World) =>
  runOn<{ id: string }>(
    databaseUrl,
    "select invoice_id::text as id from event join callback on invoice_id = invoice_ids[1] limit 1",
  );

async function publishedInvoice(world: World): Promise<string> {
  const [found] = await findPublished(world);
  if (found === undefined) throw new Error("Nothing is published yet.");
  return found.id;
}

async function dailyDue(world: World): Promise<void> {
  await somethingPublished(world);
  const [{ name, collectionId }] = world.sources as [WorldSource];
  await runOn(world.databaseUrl, "update source set first_served_at = clock_timestamp() - interval '3 days'");
  await runOn(world.databaseUrl, "delete from certificate where day is not null");
  await runOn(
    world.databaseUrl,
    `insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
     select '${randomUUID()}', '${name}', midnight::date, midnight - interval '1 day', midnight,
       array['${collectionId}'::uuid], clock_timestamp() from date_trunc('day', clock_timestamp()) as midnight`,
  );
}

async function somethingPublished(world: World): Promise<void> {
  if ((await findPublished(world)).length > 0) return;
  const [relay] = world.relays as [Relay];
  await startUntilItRuns(relay);
  await callback(world, { paidAt: yesterday().toISOString() });
  if (!(await rest(world))) throw new Error("What the commands need could not be published.");
  await relay.process.stop();
}
