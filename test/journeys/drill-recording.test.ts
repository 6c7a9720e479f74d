import { expect, it, vi } from "vitest";
import { type Harness, startHarness } from "../support/relay.ts";
import { clears, hasRunbook, isTold, onCall, saysSo, WAIT } from "./drill.ts";

const ALARM = 'invoice_relay_alarms_open{alarm="recording_failing"} 1';

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
it.concurrent.each([
  ["read-only", makeReadOnly, /read-only/, true],
  ["read-only, and no callback comes", makeReadOnly, /read-only/, false],
] as const)(
  "on call, Postgres is %s: alarm, readiness, status, metric and webhook say so and why, and it clears (G2, G13)",
  async (_what, breakIt, says, comes) => {
    const harness = await startHarness();
    const watch = await onCall(harness.environment({ COLLECTION_IDS: "none" }));
    const id = harness.provider.paid();
    const send = () => watch.relay.callback({ data: { id } });
    const readyz = async () => (await fetch(`${watch.relay.opsUrl}/readyz`)).status;

    const heal = await breakIt(harness);
    if (comes) {
      const refused = await send();
      expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
    }
    await vi.waitFor(async () => expect(await readyz()).toBe(503), WAIT);
    await saysSo(watch, /^A person is needed: .*callbacks cannot be recorded/, ALARM);
    expect((await watch.status()).stdout).toMatch(says);
    await isTold(watch, "recording_failing");
    expect(watch.receiver.messages.map(({ text }) => text).join()).toMatch(says);
    expect(watch.relay.lines.filter(({ alarm }) => alarm !== undefined)).toMatchObject([
      { level: "error", alarm: "recording_failing", msg: expect.stringMatching(says) },
    ]);
    hasRunbook("InvoiceRelayCallbacksNotRecorded");

    // No callback need come for that: a balancer sends none to a relay that is not ready.
    await heal();
    await vi.waitFor(async () => expect(await readyz()).toBe(200), WAIT);
    await clears(watch, "recording_failing", ALARM);
    expect(await harness.query("select name, cleared_at > raised_at as over from alarm")).toEqual([
      { name: "recording_failing", over: true },
    ]);
    expect((await send()).status).toBe(200);
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1), WAIT);
  },
);
