import { expect, it } from "vitest";
import { eventually, toHaveLength } from "../support/eventually.ts";
import { onCall } from "../support/on-call.ts";
import { type Harness, startHarness } from "../support/relay.ts";

/** As on a standby, or on a server that was switched to read-only. */
async function makeReadOnly(harness: Harness): Promise<() => Promise<unknown>> {
  const name = new URL(harness.databaseUrl).pathname.slice(1);
  await harness.query(`alter database ${name} set default_transaction_read_only = on`);
  await harness.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
    [name],
  );
  // Sessions that began meanwhile stay read-only, as those with a demoted primary do.
  return () =>
    harness.query(`begin read write; alter database ${name} reset default_transaction_read_only; commit`);
}

// A disk that is full: lab/recovery/full-disk.test.ts.
it.concurrent.each([true, false])(
  "on call, Postgres is read-only: all that people look at says so and why, and it clears (a callback comes: %s) (G2, G13)",
  async (comes) => {
    const harness = await startHarness();
    const watch = await onCall(harness.environment({ COLLECTION_IDS: "none" }));
    const id = harness.provider.paid();
    const send = () => watch.relay.callback({ data: { id } });

    const heal = await makeReadOnly(harness);
    if (comes) {
      const refused = await send();
      expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
    }
    await watch.saysSo("recording_failing", "25006");

    // No callback need come for that: a balancer sends none to a relay that is not ready.
    await heal();
    await watch.clears("recording_failing");
    expect(await harness.query("select name, cleared_at > raised_at as over from alarm")).toEqual([
      { name: "recording_failing", over: true },
    ]);
    expect((await send()).status).toBe(200);
    await eventually(() => harness.sns.messages(harness.topicArn), toHaveLength(1));
  },
);
