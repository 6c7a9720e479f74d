import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, it, vi } from "vitest";
import { emptyMonth, sendAll } from "../../reconcile/month.ts";
import {
  FIXED_AMOUNT,
  OPEN_AMOUNT,
  SHARED,
  type TestService,
} from "../../sandbox/provider/service-fixture.ts";
import { onTestFinished } from "../../support/own-test.ts";
import { startRelay } from "../../support/relay.ts";
import { runInProcess } from "../../support/run-command.ts";
import { cents, rowsOf, sumOf } from "./october.ts";

const ZONE = "Europe/London";
const [FROM, TO] = ["2026-10-24", "2026-10-31"];
// In London clocks go back on the 25th: days of 24, 25 and 24 hours, and one more at each end.
const FIRST = Date.parse("2026-10-23T20:00:00Z");
const HOUR_MS = 3_600_000;

/** Invoices paid hour by hour over ten days, beginning outside of the report's. @returns their ids */
async function pay(
  service: TestService,
  collectionId: string,
  type: "Live" | "Test",
  every: number,
): Promise<string[]> {
  const invoices = Array.from({ length: Math.floor(240 / every) }, (_, n) => {
    const paidAt = new Date(FIRST + n * every * HOUR_MS);
    return {
      id: randomUUID(),
      createdAt: new Date(+paidAt - HOUR_MS).toISOString(),
      paidAt: paidAt.toISOString(),
      ...(collectionId === FIXED_AMOUNT
        ? {}
        : { amount: `${1_000 + n * 7}.${String(n % 100).padStart(2, "0")}` }),
      method: n % 3 === 0 ? "BankTransfer" : "Card",
    };
  });
  const made = await service.control("POST", "/invoices", { collectionId, type, invoices });
  expect(made.status).toBe(201);
  return invoices.map(({ id }) => id);
}

/** What the provider itself has, by Postgres' own reckoning of days. */
async function sumsOfProvider(service: TestService): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query(
    `select collection.name as collection, (paid_at at time zone $1)::date::text as day, count(*)::text as payments,
       sum(invoice.amount)::text as amount, sum(service_charge)::text as service_charge, sum(vat)::text as vat,
       sum(total_amount)::text as total, sum(settleable_amount)::text as settleable
     from collection_service.invoice join collection_service.collection on collection.id = collection_id
     where invoice.type = 'Live' and collection_id <> $2 and paid_at is not null
       and (paid_at at time zone $1)::date between $3 and $4
     group by 1, 2 order by 2, 1`,
    [ZONE, SHARED, FROM, TO],
  );
  return rows;
}

it("a report is what the provider has, day by day and to the last digit, without Test and foreign payments", async () => {
  const { around, service, environment } = await emptyMonth();
  onTestFinished(() => service.close());
  const settings = {
    ...environment,
    BOOKS_TIME_ZONE: ZONE,
    COLLECTION_IDS: `${OPEN_AMOUNT},${FIXED_AMOUNT}`,
  };
  const ids = [
    ...(await pay(service, OPEN_AMOUNT, "Live", 1)),
    ...(await pay(service, FIXED_AMOUNT, "Live", 5)),
    ...(await pay(service, SHARED, "Live", 12)),
    ...(await pay(service, OPEN_AMOUNT, "Test", 24)),
  ];
  const relay = await startRelay(settings);
  await sendAll(relay, ids);
  await vi.waitFor(
    async () => {
      const [row] = await around.query<{ n: number }>(
        "select count(*)::int as n from confirmation where state = 'done' and verdict in ('paid', 'quarantined')",
      );
      expect(row?.n).toBe(ids.length);
    },
    { interval: 200 },
  );

  const report = async (name: string) =>
    rowsOf((await runInProcess(["report", name, "--from", FROM, "--to", TO], settings)).stdout);
  const [days, collections, payments] = [
    await report("days"),
    await report("collections"),
    await report("payments"),
  ];

  const truth = await sumsOfProvider(service);
  expect(truth.length).toBeGreaterThan(10);
  expect(days.slice(0, -1)).toMatchObject(truth);
  for (const table of [days, collections, payments])
    for (const column of ["amount", "service_charge", "vat", "total", "settleable"])
      expect(cents(table.at(-1)?.[column]?.replace("sum ", "")), column).toBe(sumOf(truth, column));
  expect(payments.length - 1).toBe(truth.reduce((sum, row) => sum + Number(row.payments), 0));
});
