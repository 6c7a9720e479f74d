import { expect, it, onTestFinished } from "vitest";
import { eventually, toBeGreaterThan, toEqual } from "../support/eventually.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

it("keeps a MessageId whose answer came while Postgres was away, past the end of its lease (G5)", async () => {
  const harness = await startHarness();
  const proxy = await TcpProxy.start(Number(new URL(harness.databaseUrl).port));
  const environment = harness.environment({ LEASE_DURATION: "3s" });
  const toSns = await TcpProxy.start(Number(new URL(environment.AWS_ENDPOINT_URL_SNS ?? "").port));
  onTestFinished(async () => {
    await proxy.close();
    await toSns.close();
  });
  harness.sns.addFault({ kind: "slow", delayMs: 4_000, times: 1 });
  const relay = await startRelay({
    ...environment,
    DATABASE_URL: proxy.through(harness.databaseUrl),
    AWS_ENDPOINT_URL_SNS: toSns.through(environment.AWS_ENDPOINT_URL_SNS ?? ""),
  });
  expect(toSns.connections).toBe(0);
  const id = harness.provider.paid();
  await relay.callback({ data: { id } });

  const claimed = (how: string) => () =>
    harness.query(`select count(*)::int as n from outbox where state = 'claimed' and ${how}`);
  // Claimed, and known to be: a commit whose answer is cut off sends nothing.
  await eventually(async () => toSns.connections, toBeGreaterThan(0));
  await eventually(claimed("claimed_until > now()"), toEqual([{ n: 1 }]));
  proxy.fault({ kind: "refuse" });
  const accepted = () => harness.sns.messages(harness.topicArn).map(({ messageId }) => messageId);
  await eventually(async () => accepted().length, toEqual(1));
  await eventually(claimed("claimed_until < now()"), toEqual([{ n: 1 }]));
  expect(await harness.query("select from publication")).toEqual([]);

  proxy.heal();
  await eventually(() => harness.query("select from outbox"), toEqual([]));
  // Whoever took the expired lease may have sent it once more: each acceptance is a fact, the first one too.
  const kept = await harness.query<{ message_id: string }>("select message_id from publication");
  expect(kept.map(({ message_id }) => message_id).toSorted()).toEqual(accepted().toSorted());
});
