import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { certify, emptyMonth, eventsOnTopic, sendAll, untilPublished } from "../reconcile/month.ts";
import { OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { startRelay } from "../support/relay.ts";

/** A copy of the database as it stands, as a dump would keep it. @returns the copy's URL. */
async function dumpOf(databaseUrl: string): Promise<string> {
  const { serverUrl, prefix } = inject("databaseRun");
  const [url, copy] = [new URL(databaseUrl), `${prefix}_dump_${randomUUID().slice(0, 8)}`];
  const name = url.pathname.slice(1);
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  await client.query(`create database ${copy} template ${name}`);
  await client.end();
  url.pathname = `/${copy}`;
  return url.href;
}

describe("yesterday's dump restored", () => {
  it("is named by certify, and published again by reconcile with the same ids (G4, G10)", async () => {
    const month = await emptyMonth();
    const pay = async (count: number) => {
      const paidAt = new Date(Date.now() - 86_400_000).toISOString();
      const invoices = Array.from({ length: count }, () => ({ id: randomUUID(), createdAt: paidAt, paidAt }));
      await month.service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
      return invoices.map(({ id }): string => id);
    };
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const days: [string, string] = [yesterday, yesterday];

    const kept = await pay(5);
    const before = await startRelay(month.environment);
    await sendAll(before, kept);
    await untilPublished(month, 5);
    await before.stop();
    const dump = await dumpOf(month.around.databaseUrl);

    const lost = await pay(4);
    const after = await startRelay(month.environment);
    await sendAll(after, lost);
    await untilPublished(month, 9);
    await after.stop();

    const environment = { ...month.environment, DATABASE_URL: dump };
    const gap = await certify({ environment, days });
    expect(gap.code).toBe(1);
    const named = gap.certificate.differences.map(({ invoiceId, reason }: Record<string, string>) => [
      invoiceId,
      reason,
    ]);
    expect(named.sort()).toEqual(lost.map((id) => [id, "missing"]).sort());

    const client = new pg.Pool({ connectionString: dump, max: 1 });
    client.on("error", () => undefined);
    // The day that has passed since.
    await client.query(
      "update sweep set started_at = started_at - interval '1 day', due_at = due_at - interval '1 day'",
    );
    await startRelay(environment);
    const restored = {
      ...month.around,
      query: async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows,
    };
    await untilPublished({ around: restored }, 9);
    await client.end();
    expect(await certify({ environment, days })).toMatchObject({
      code: 0,
      certificate: { gaps: 0, differences: [], total: { paid: { count: 9 }, published: { count: 9 } } },
    });
    const events = eventsOnTopic(month);
    for (const id of kept) expect(events.get(id)).toHaveLength(1);
    for (const id of lost) {
      const [first, again, ...more] = events.get(id) ?? [];
      expect(again).toBe(first);
      expect(more).toEqual([]);
    }
  });
});
