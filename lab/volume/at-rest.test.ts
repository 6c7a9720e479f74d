import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { openSession } from "../../test/support/database.ts";
import { startHarness, startRelay } from "../../test/support/relay.ts";
import { emptyCollection } from "../../test/support/scripted-provider.ts";
import { sourcesFile } from "../../test/support/sources-file.ts";
import { describedIn } from "../../test/support/two-sources.ts";

const SOURCES = 20;
const SECONDS = 65;
/** What one process may have Postgres do while there is nothing to do, in transactions a second. */
const LIMIT = 2;

describe("a relay at rest", () => {
  it(`asks Postgres at most ${LIMIT} times a second, with ${SOURCES} sources (G8)`, async () => {
    const harness = await startHarness();
    harness.provider.otherwise(emptyCollection("Fees"));
    const sources = Array.from({ length: SOURCES }, (_, index) => ({
      name: `s${index}`,
      collectionApiUrl: harness.provider.url,
      collectionApiKey: "env:KEY",
      callbackTokens: [`token-of-source-${index}-0123456789`],
      snsTopicArn: harness.topicArn,
      collectionIds: [randomUUID()],
    }));
    const webhook = { ALARM_WEBHOOK_URL: harness.provider.url };
    await startRelay(
      harness.environment({
        ...describedIn(sourcesFile({ sources })),
        ...webhook,
        KEY: "key",
        RECONCILE_INTERVAL: "1h",
      }),
    );
    await vi.waitFor(async () =>
      expect(await harness.query("select from sweep where state = 'due' and due_at > now()")).toHaveLength(
        SOURCES,
      ),
    );
    // On a busy machine what the start has done may take longer: a relay comes to rest, and is measured then.
    await vi.waitFor(
      async () => expect(await commitsASecond(harness.databaseUrl)).toBeLessThanOrEqual(LIMIT),
      3 * SECONDS * 1_000,
    );
  });
});

/** Counted from another database, so that counting does not count; by Postgres' clock. */
async function commitsASecond(databaseUrl: string): Promise<number> {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const client = await openSession(url.href);
  const read = async () => {
    const { rows } = await client.query(
      "select xact_commit::int as commits, extract(epoch from clock_timestamp())::float8 as at from pg_stat_database where datname = $1",
      [name],
    );
    return rows[0] as { commits: number; at: number };
  };
  // What the start has done reaches the statistics with the first commits that follow it.
  await sleep(12_000);
  const before = await read();
  await sleep(SECONDS * 1_000);
  const after = await read();
  return (after.commits - before.commits) / (after.at - before.at);
}
