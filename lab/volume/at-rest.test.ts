import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { onDatabase, runOn } from "../../test/support/postgres-server.ts";
import { startHarness, startRelay } from "../../test/support/relay.ts";
import { emptyCollection } from "../../test/support/scripted-provider.ts";
import { sourcesFile } from "../../test/support/sources-file.ts";
import { describedIn } from "../../test/support/two-sources.ts";

const SOURCES = 20;
const SECONDS = 65;
/** The load of one process on Postgres while there is nothing to do, in transactions a second. */
const LIMIT = 2;

/** Counted from another database, so that counting does not count; by Postgres' clock. */
async function commitsASecond(databaseUrl: string): Promise<number> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const read = async () => {
    const [row] = await runOn<{ commits: number; at: number }>(
      onDatabase(databaseUrl, "postgres"),
      `select xact_commit::int as commits, extract(epoch from clock_timestamp())::float8 as at
       from pg_stat_database where datname = '${name}'`,
    );
    return row ?? { commits: 0, at: 0 };
  };
  // The commits of the start reach the statistics with the first ones that follow it.
  await sleep(12_000);
  const before = await read();
  await sleep(SECONDS * 1_000);
  const after = await read();
  return (after.commits - before.commits) / (after.at - before.at);
}

it(`a relay at rest asks Postgres at most ${LIMIT} times a second, with ${SOURCES} sources (G8)`, async () => {
  const harness = await startHarness();
  harness.provider.otherwise(emptyCollection("Fees"));
  const sources = Array.from({ length: SOURCES }, (_, index) => ({
    ...{ name: `s${index}`, collectionApiUrl: harness.provider.url, collectionApiKey: "env:KEY" },
    ...{ callbackTokens: [`token-of-source-${index}-0123456789`], snsTopicArn: harness.topicArn },
    collectionIds: [randomUUID()],
  }));
  const settings = { ALARM_WEBHOOK_URL: harness.provider.url, KEY: "key", RECONCILE_INTERVAL: "1h" };
  await startRelay(harness.environment({ ...describedIn(sourcesFile({ sources })), ...settings }));
  const swept = "select from sweep where state = 'due' and due_at > now()";
  await vi.waitFor(async () => expect(await harness.query(swept)).toHaveLength(SOURCES));
  // On a busy machine the work of the start may take longer: a relay comes to rest, and is measured then.
  const rests = async () => expect(await commitsASecond(harness.databaseUrl)).toBeLessThanOrEqual(LIMIT);
  await vi.waitFor(rests, 3 * SECONDS * 1_000);
});
