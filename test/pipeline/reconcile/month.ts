import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { LIVE_KEY, OPEN_AMOUNT, startTestService } from "../../sandbox/provider/service-fixture.ts";
import { eventually, toHaveLength } from "../../support/eventually.ts";
import { startHarness, type TestRelay } from "../../support/relay.ts";

/**
 * A relay that has been served for 40 days and has just swept its list, over a collection service and a local
 * SNS, all real and empty.
 */
export async function emptyMonth() {
  const harness = await startHarness();
  const service = await startTestService();
  const environment = harness.environment({
    COLLECTION_API_URL: service.url,
    COLLECTION_API_KEY: LIVE_KEY,
    COLLECTION_IDS: OPEN_AMOUNT,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
  await harness.query(
    "insert into source (name, first_served_at) values ('default', now() - interval '40 days')",
  );
  await harness.query(
    `insert into sweep (id, source, collection_id, state, started_at, window_from, window_to)
     values (gen_random_uuid(), 'default', $1, 'done', now(), now() - interval '40 days',
       now() - interval '40 days')`,
    [OPEN_AMOUNT],
  );
  return { harness, service, environment };
}

/** Callbacks as the provider documents them. */
export async function sendAll(relay: TestRelay, invoiceIds: readonly string[]): Promise<void> {
  for (const id of invoiceIds) {
    const answer = await relay.callback({ id: randomUUID(), event: "payment.successful", data: { id } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  }
}

/** Waits until so many events are published and nothing else is under way. */
export const untilPublished = (
  { harness }: Pick<Awaited<ReturnType<typeof emptyMonth>>, "harness">,
  count: number,
) =>
  eventually(
    () =>
      harness.query(
        `select from event where exists (select from publication where publication.event_id = event.id)
           and not exists (select from outbox where outbox.event_id = event.id)`,
      ),
    toHaveLength(count),
  );
