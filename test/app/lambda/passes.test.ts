import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { COLLECTION, startListProvider } from "../../reconcile/list-provider.ts";
import { eventually, toBeGreaterThan, toHaveLength } from "../../support/eventually.ts";
import { addEvents } from "../../support/log-rows.ts";
import { invoiceAnswer } from "../../support/scripted-provider.ts";
import { useBundles } from "./bundles.ts";
import { type LambdaStack, lambdaStack as stackOf } from "./lambda-stack.ts";
import { callbackEvent, scheduleEvent, topicEvent } from "./payloads.ts";

const bundles = useBundles();
const lambdaStack = () => stackOf(bundles);

const published = ({ sns, topicArn }: LambdaStack) =>
  sns.messages(topicArn).map(({ message }) => JSON.parse(message).subject);

/** A stack that has recorded a callback about a paid invoice; Lambda may end a container after its answer. */
async function withRecorded() {
  const stack = await lambdaStack();
  const id = stack.provider.paid();
  const receive = stack.container("receive");
  expect(await receive.invoke(callbackEvent(id))).toMatchObject({ statusCode: 200 });
  await receive.kill();
  return { stack, id };
}

describe("the functions together", () => {
  it("need no wake-up: the schedule takes up what was recorded before a container died", async () => {
    const { stack, id } = await withRecorded();
    stack.publishQueue.failSends(100);
    const [confirm, publish] = [stack.container("confirm"), stack.container("publish")];
    await confirm.invoke(scheduleEvent);
    await publish.invoke(scheduleEvent);
    await confirm.invoke(scheduleEvent);
    await publish.invoke(topicEvent("wake up"));
    expect(stack.publishQueue.bodies()).toEqual([]);
    expect(published(stack)).toEqual([id]);
  });

  it("confirm, killed while the provider is asked: the next one asks again once the lease ran out", async () => {
    const { stack, id } = await withRecorded();
    stack.provider.invoice(id, () => undefined);
    const dying = stack.container("confirm", { LEASE_DURATION: "1s" });
    const invocation = dying.invoke(scheduleEvent);
    await vi.waitFor(() => expect(stack.provider.requests).toContain(`/api/v1/invoices/${id}`));
    await Promise.all([dying.kill(), expect(invocation).rejects.toThrow("SIGKILL")]);
    stack.provider.invoice(id, invoiceAnswer(id));
    const confirm = stack.container("confirm", { LEASE_DURATION: "1s" });
    await vi.waitFor(async () => {
      await confirm.invoke(scheduleEvent);
      expect(await stack.query("select verdict from confirmation")).toEqual([{ verdict: "paid" }]);
    });
    await stack.container("publish").invoke(scheduleEvent);
    expect(published(stack)).toEqual([id]);
  });

  it("confirm ends before Lambda ends it, and gives back what it has not begun", async () => {
    const { stack, id } = await withRecorded();
    stack.provider.invoice(id, () => undefined);
    // 10 s before its end the function stops: at once, here. What is under way gets a few seconds more.
    await stack.container("confirm").invoke(scheduleEvent, 10_000);
    expect(await stack.query("select state from confirmation")).toEqual([{ state: "due" }]);
  });

  it("each refuse a schema that is behind, saying what to run, and work once it was migrated", async () => {
    const stack = await lambdaStack();
    await stack.query("delete from kysely_migration where name = '0005_replays'");
    const confirm = stack.container("confirm");
    await expect(confirm.invoke(scheduleEvent)).rejects.toThrow("invoice-relay migrate");
    await stack.query("insert into kysely_migration values ('0005_replays', '2026-11-01')");
    await confirm.invoke(scheduleEvent);
  });

  it("confirm and publish say how long the oldest work waits, whatever LOG_LEVEL says", async () => {
    const { stack } = await withRecorded();
    await stack.query(
      "update confirmation set due_at = now() - interval '1 hour', open_since = now() - interval '1 hour'",
    );
    for (const name of ["publish", "confirm"]) {
      const container = stack.container(name, { LOG_LEVEL: "error" });
      await container.invoke(scheduleEvent);
      const told = container.lines.flatMap(({ backlog }) => backlog ?? []);
      expect(told, name).toEqual([{ confirmSeconds: expect.any(Number), publishSeconds: 0 }]);
      expect(told, name).toMatchObject([{ confirmSeconds: expect.toSatisfy((age: number) => age > 3_599) }]);
    }
  });

  it("reconcile reads the provider's list, and wakes confirm for what no callback told", async () => {
    const stack = await lambdaStack();
    const provider = await startListProvider();
    const hour = 3_600_000;
    await stack.container("publish").invoke(scheduleEvent);
    await stack.query("update source set first_served_at = now() - interval '10 days'");
    const id = randomUUID();
    provider.invoices.push({
      id,
      createdAt: new Date(Date.now() - 30 * hour),
      paidAt: new Date(Date.now() - 20 * hour),
    });
    const settings = { COLLECTION_API_URL: provider.url, COLLECTION_IDS: COLLECTION };
    await stack.container("reconcile", settings).invoke(scheduleEvent);
    expect(await stack.query("select invoice_id, opened_by from confirmation")).toEqual([
      { invoice_id: id, opened_by: "reconcile" },
    ]);
    expect(stack.confirmQueue.bodies()).not.toEqual([]);
  });

  it("replay queues events and wakes publish, which sends them", async () => {
    const stack = await lambdaStack();
    const events = await addEvents(stack, 3);
    await stack.query(
      `insert into replay (id, kind, filters, target, rate, matching, requested_by)
       values (gen_random_uuid(), 'events', '{}', '{"kind":"topics"}', 100, 3, 'cli:test')`,
    );
    const replaying = stack.container("replay").invoke(scheduleEvent);
    await eventually(async () => stack.publishQueue.bodies().length, toBeGreaterThan(0));
    // One more of it for each wake-up: a batch that was queued after the first is left to the next.
    const publish = stack.container("publish");
    await eventually(async () => {
      await publish.invoke(scheduleEvent);
      return published(stack);
    }, toHaveLength(3));
    await replaying;
    expect(published(stack).sort()).toEqual(events.map(({ invoiceId }) => invoiceId).sort());
    expect(await stack.query("select state, sent from replay")).toEqual([{ state: "done", sent: 3 }]);
  });

  it("retention makes the partitions that are due", async () => {
    const stack = await lambdaStack();
    const partitions = () =>
      stack.query(
        "select relname from pg_class where relispartition and relkind = 'r' and relname ~ '\\d{4}_\\d{2}$'",
      );
    for (const { relname } of await partitions()) await stack.query(`drop table ${relname}`);
    await stack.container("retention").invoke(scheduleEvent);
    expect(await partitions()).toHaveLength(4);
  });
});
