import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { TcpProxy } from "../faults/network/tcp-proxy.ts";
import { onTestFinished } from "../support/own-test.ts";
import { surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";
import { clears, hasRunbook, isTold, onCall, WAIT } from "./drill.ts";

const AWAY = "invoice_relay_database_up 0";
const ALARM = 'invoice_relay_alarms_open{alarm="database_away"} 1';

it.concurrent.each([
  ["refuse", /^The connection to the database broke/],
  ["black-hole", /^The database does not answer in time/],
] as const)(
  "on call, Postgres is away (%s): status, alarm, metric and runbook say so, and it clears",
  async (kind, words) => {
    const around = await surroundings();
    const proxy = await TcpProxy.start(Number(new URL(around.databaseUrl).port));
    onTestFinished(() => proxy.close());
    const DATABASE_URL = proxy.through(around.databaseUrl);
    const watch = await onCall(around.environment({ COLLECTION_IDS: "none", DATABASE_URL }));

    proxy.fault({ kind });
    await vi.waitFor(async () => {
      const page = await watch.page();
      expect(page).toContain(AWAY);
      expect(page).toContain(ALARM);
      // What was counted before is there still, with its age.
      expect(page).toContain('invoice_relay_dead{kind="event"} 0');
      expect(page).toMatch(/^invoice_relay_database_values_age_seconds [\d.]+$/m);
    }, WAIT);
    expect(watch.relay.lines.filter(({ alarm }) => alarm === "database_away")).toMatchObject([
      { level: "error", msg: expect.stringContaining("Callbacks are answered 503") },
    ]);
    const status = await watch.status();
    expect({ code: status.code, stdout: status.stdout }).toEqual({ code: 4, stdout: "" });
    expect(status.stderr).toMatch(words);
    expect(status.stderr).toContain("DATABASE_URL");
    const admin = await watch.admin();
    expect([admin.status, admin.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await admin.json()).toEqual({
      code: "database_away",
      error: expect.stringMatching(/^The database does not answer\. .* database_away\.$/),
    });
    await isTold(watch, "database_away");
    hasRunbook("InvoiceRelayDatabaseAway");

    const id = randomUUID();
    around.provider.invoice(id, invoiceAnswer(id));
    const refused = await watch.relay.callback({ data: { id } });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

    proxy.heal();
    await clears(watch, "database_away", AWAY);
    await vi.waitFor(async () => expect(await watch.page()).not.toContain(ALARM), WAIT);
    expect(await around.query("select name, cleared_at is not null as over from alarm")).toEqual([
      { name: "database_away", over: true },
    ]);
    // Its sender comes again, as it was told.
    expect((await watch.relay.callback({ data: { id } })).status).toBe(200);
    await vi.waitFor(() => expect(around.sns.messages(around.topicArn)).toHaveLength(1), WAIT);
  },
);
