import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { emptyMonth, sendAll } from "../../test/pipeline/reconcile/month.ts";
import { OPEN_AMOUNT } from "../../test/sandbox/provider/service-fixture.ts";
import { runCli } from "../../test/support/cli-process.ts";
import { onDatabase, runOn } from "../../test/support/postgres-server.ts";
import { startRelay } from "../../test/support/relay.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import {
  asPostgres,
  type DebianCluster,
  newCluster,
  newCopy,
  newStandby,
  promote,
} from "../environment/debian-cluster.ts";

// On Debian's PostgreSQL 15, with its pg_dump, pg_restore and pg_basebackup; the lab installs them.
const WAIT = { interval: 500 };
const PASSWORD = randomUUID();

/** @returns the URL of its database `postgres`; it ends with the test. */
async function running(cluster: DebianCluster): Promise<string> {
  await cluster.start();
  onTestFinished(async () => {
    if (await cluster.isRunning()) await cluster.stop("immediate");
  });
  return `postgres://postgres:${PASSWORD}@127.0.0.1:${cluster.port}/postgres`;
}

/** Takes a backup of the relay's database, and restores it on another server; the primary is there until then. */
type Backup = (url: string, primary: DebianCluster) => Promise<{ restore(): Promise<string> }>;

const BACKUPS: Record<string, Backup> = {
  async pg_dump(url) {
    const target = await running(await newCluster(await temporaryFolder(), PASSWORD));
    const place = await temporaryFolder();
    await chmod(place, 0o777);
    const file = join(place, "relay.dump");
    await asPostgres("pg_dump", "--format=custom", "--file", file, "--dbname", url);
    return {
      async restore() {
        await runOn(target, "create database relay template template0 encoding 'UTF8'");
        const restored = onDatabase(target, "relay");
        const plain = ["--no-owner", "--no-privileges", "--exit-on-error"];
        await asPostgres("pg_restore", ...plain, "--dbname", restored, file);
        return restored;
      },
    };
  },
  async pg_basebackup(url) {
    const copy = await newCopy(join(await temporaryFolder(), "copy"), url);
    return { restore: async () => onDatabase(await running(copy), "relay") };
  },
  async "a standby that was cut off, and promoted,"(url, primary) {
    const place = join(await temporaryFolder(), "standby");
    const standby = await newStandby(place, url);
    const standbyUrl = onDatabase(await running(standby), "relay");
    const [now] = await runOn<{ lsn: string }>(url, "select pg_current_wal_flush_lsn()::text as lsn");
    const replayed = `select pg_last_wal_replay_lsn() >= '${now?.lsn}' as done`;
    await vi.waitFor(async () => expect(await runOn(standbyUrl, replayed)).toEqual([{ done: true }]), WAIT);
    await standby.stop("fast");
    return {
      async restore() {
        await primary.kill();
        await standby.start();
        await promote(place);
        return standbyUrl;
      },
    };
  },
};

/** The certificate of these days, by the command. */
async function certify(environment: Record<string, string | undefined>, [from, to]: [string, string]) {
  const { code, stdout, stderr } = await runCli(
    ["certify", "--from", from, "--to", to, "--json"],
    environment,
  );
  expect(stderr).toBe("");
  return { code, certificate: JSON.parse(stdout)[0] };
}

/** How often each invoice's event is on the topic, by event id. */
function eventsOnTopic({
  harness,
}: Pick<Awaited<ReturnType<typeof emptyMonth>>, "harness">): Map<string, string[]> {
  const byInvoice = new Map<string, string[]>();
  for (const { message } of harness.sns.messages(harness.topicArn)) {
    const { id, subject } = JSON.parse(message);
    byInvoice.set(subject, [...(byInvoice.get(subject) ?? []), id]);
  }
  return byInvoice;
}

it.each(Object.entries(BACKUPS))(
  "a backup by %s restored as the runbook says: what it lacks is found, in the end it lacks nothing (G4, G10)",
  async (_, backUp) => {
    const month = await emptyMonth();
    const primary = await newCluster(await temporaryFolder(), PASSWORD);
    const server = await running(primary);
    await runOn(server, "create database relay template template0 encoding 'UTF8'");
    const url = onDatabase(server, "relay");
    const before = { ...month.environment, DATABASE_URL: url };
    expect((await runCli(["migrate"], before)).code).toBe(0);
    await runOn(
      url,
      "insert into source (name, first_served_at) values ('default', now() - interval '9 days')",
    );
    const day = new Date(Date.now() - 86_400_000).toISOString();
    const pay = async (count: number): Promise<string[]> => {
      const invoices = Array.from({ length: count }, () => ({
        id: randomUUID(),
        createdAt: day,
        paidAt: day,
      }));
      await month.service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
      return invoices.map(({ id }) => id);
    };
    const published = (count: number) =>
      vi.waitFor(() => expect(eventsOnTopic(month).size).toBe(count), WAIT);

    const first = await startRelay(before);
    const kept = await pay(5);
    await sendAll(first, kept);
    await published(5);
    await vi.waitFor(async () => expect(await runOn(url, "select from outbox")).toEqual([]), WAIT);
    const { restore } = await backUp(url, primary);
    const lost = await pay(4);
    await sendAll(first, lost);
    await published(9);

    // 1. Stop every relay, restore, migrate.
    await first.stop();
    const restored = { ...before, DATABASE_URL: await restore() };
    const command = async (...words: string[]) => {
      const { code, stdout, stderr } = await runCli(words, restored);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    await command("migrate");
    // 2. Nothing is published before somebody has looked.
    await command("pause", "publish", "--reason", "restore");
    // 3. What the backup lacks is asked for.
    await startRelay(restored);
    expect(JSON.parse(await command("reconcile", "--json"))).toMatchObject([{ missing: 4, opened: 4 }]);
    // 4. Only what is not published is left, then nothing.
    const days: [string, string] = [day.slice(0, 10), day.slice(0, 10)];
    const look = () => certify(restored, days);
    await vi.waitFor(async () => {
      const { certificate } = await look();
      const left = certificate.differences.map((one: Record<string, string>) => [one.invoiceId, one.reason]);
      expect(left.sort()).toEqual(lost.map((id) => [id, "unpublished"]).sort());
    }, WAIT);
    await command("resume", "publish");
    await vi.waitFor(async () => expect(await look()).toMatchObject({ code: 0 }), WAIT);
    expect((await look()).certificate.total).toMatchObject({ paid: { count: 9 }, published: { count: 9 } });

    const events = eventsOnTopic(month);
    for (const id of kept) expect(events.get(id)).toHaveLength(1);
    for (const id of lost) {
      const [once, again, ...more] = events.get(id) ?? [];
      expect(again).toBe(once);
      expect(more).toEqual([]);
    }
  },
);
