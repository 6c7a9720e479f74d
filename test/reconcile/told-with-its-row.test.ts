import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { startCli } from "../support/cli-process.ts";
import { surroundings } from "../support/relay.ts";
import { COLLECTION, type ListProvider, PLAIN, startListProvider } from "./list-provider.ts";

const SOURCES = resolve(import.meta.dirname, "../../src");
const AT_STEP = pathToFileURL(resolve(import.meta.dirname, "../faults/crash/at-step.ts")).href;
const DAY_MS = 86_400_000;

const broken = (provider: ListProvider) => {
  provider.faults = [(response) => void response.writeHead(500).end("{}")];
};
const contradictory = (provider: ListProvider) => {
  const [createdAt, paidAt] = [new Date(Date.now() - 3 * DAY_MS), new Date(Date.now() - 2 * DAY_MS)];
  provider.invoices = [{ id: randomUUID(), createdAt, paidAt }];
  provider.reading = { ...PLAIN, hides: 1 };
};

/**
 * A source that has been served for a month, with a sweep and a daily certificate that failed twice. Only
 * `due` is due: what fails in one of them holds up the other.
 */
async function failedTwice(due: "sweep" | "certificate") {
  const later = (work: typeof due) => (work === due ? "now()" : "now() + interval '1 hour'");
  const around = await surroundings();
  const provider = await startListProvider();
  await around.query(
    "insert into source (name, first_served_at) values ('default', now() - interval '30 days')",
  );
  await around.query(
    `insert into sweep (id, source, collection_id, kind, faults, due_at)
     values ($1, 'default', $2, 'automatic', 2, ${later("sweep")})`,
    [randomUUID(), COLLECTION],
  );
  await around.query(
    `insert into certificate (id, source, day, window_from, window_to, collection_ids, faults, due_at)
     select $1, 'default', (midnight at time zone 'UTC')::date, midnight - interval '20 days', midnight, array[$2::uuid], 2,
       ${later("certificate")} from date_trunc('day', now(), 'UTC') as midnight`,
    [randomUUID(), COLLECTION],
  );
  /** Runs `serve` until it is killed at the step. */
  const killedAt = async (step: string) => {
    const relay = startCli(["serve", "--workers-only"], {
      ...around.environment({ COLLECTION_API_URL: provider.url, COLLECTION_IDS: COLLECTION }),
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      NODE_OPTIONS: `--import ${AT_STEP}`,
      FAULTS_STEP: step,
      FAULTS_SOURCES: SOURCES,
    });
    await relay.says(`at step ${step}`);
    expect(await relay.ended).toBeNull();
  };
  const told = () =>
    around.query(
      `select name, subject, times, cleared_at is null as open from alarm
       where name in ('sweep_failing', 'certificate_failing', 'certificate_gap')`,
    );
  return { around, provider, killedAt, told };
}

describe("a process that is killed just after its row was written", () => {
  it.each([
    ["run given back", "sweep_failing", COLLECTION, broken],
    ["sweep finished", "sweep_failing", COLLECTION, contradictory],
    ["run given back", "certificate_failing", "default", broken],
    ["daily certificate kept", "certificate_gap", "default", contradictory],
  ])("has told what it says: %s, with %s (G13)", async (step, name, subject, fails) => {
    const { around, provider, killedAt, told } = await failedTwice(
      name === "sweep_failing" ? "sweep" : "certificate",
    );
    fails(provider);
    await killedAt(step);
    expect(await told()).toContainEqual({ name, subject, times: 1, open: true });

    // So has the one that is killed just after its end was written.
    Object.assign(provider, { faults: [], reading: PLAIN, invoices: [] });
    await around.query("update source set opens_at = '-infinity'");
    await around.query("delete from sweep where kind = 'automatic' and state = 'done'");
    await around.query("update certificate set day = day - 1 where state = 'done'");
    for (const table of ["sweep", "certificate"])
      await around.query(
        `update ${table} set state = 'due', lease_token = null, claimed_until = null, due_at = now() where state <> 'done'`,
      );
    await vi.waitFor(async () => {
      const [row] = await around.query(
        "select count(*)::int as own from pg_stat_activity where datname = current_database() and application_name = 'invoice-relay'",
      );
      expect(row).toEqual({ own: 0 });
    });
    await around.query(
      `insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
       select $1, 'default', (midnight at time zone 'UTC')::date, midnight - interval '20 days', midnight, array[$2::uuid], now()
       from date_trunc('day', now(), 'UTC') as midnight on conflict do nothing`,
      [randomUUID(), COLLECTION],
    );
    await killedAt(name === "sweep_failing" ? "sweep finished" : "daily certificate kept");
    expect(await told()).toContainEqual(expect.objectContaining({ name, subject, open: false }));
    expect((await told()).filter((alarm) => alarm.name === name && alarm.subject === subject)).toHaveLength(
      1,
    );
  });
});
