import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { emptyMonth, eventsOnTopic, untilPublished } from "../reconcile/month.ts";
import { OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { runInProcess } from "../support/run-command.ts";
import { clears, hasRunbook, isTold, onCall, saysSo } from "./drill.ts";

const TWO_DAYS_MS = 2 * 86_400_000;

/** What the rule InvoiceRelayNoSweep asks of the page. */
const noSweepForAnHour = (page: string): boolean => {
  const [, at] = /^invoice_relay_last_sweep_timestamp_seconds\{source="default"\} (\S+)$/m.exec(page) ?? [];
  return Date.now() / 1_000 - Number(at) > 3_600;
};

it("on call, sweeps are missed: status, alarm, metric and runbook say so, and it clears", async () => {
  const month = await emptyMonth();
  const watch = await onCall(month.environment);
  await watch.stop();
  await month.service.control("PUT", "/faults", { api: [{ operations: ["listInvoices"], answer: "500" }] });
  // Two hours later.
  await month.around.query(
    `update sweep set started_at = now() - interval '2 hours', finished_at = now() - interval '2 hours'
     where state = 'done'`,
  );
  await month.around.query("update sweep set due_at = now() - interval '110 minutes' where state = 'due'");
  await watch.start();

  await saysSo(
    watch,
    new RegExp(
      `a list of the provider cannot be read \\(${OPEN_AMOUNT}\\)[^]*list of ${OPEN_AMOUNT} +read 2 h ago`,
    ),
    noSweepForAnHour,
  );
  expect(await watch.page()).toContain('invoice_relay_alarms_open{alarm="sweep_failing"} 1');
  await isTold(watch, "sweep_failing");
  hasRunbook("InvoiceRelayNoSweep");

  await month.service.control("PUT", "/faults", {});
  await clears(watch, "sweep_failing", noSweepForAnHour);
  expect(await watch.page()).toContain('invoice_relay_alarms_open{alarm="sweep_failing"} 0');
});

it("on call, a payment has no event: status, alarm, metric and runbook say so, and it clears", async () => {
  const month = await emptyMonth();
  const watch = await onCall(month.environment);
  // The daily certificate of another day.
  const anotherDay = async () => {
    await watch.stop();
    // In two steps: one certificate of a day is checked row by row.
    for (const days of [-100, 99])
      await month.around.query("update certificate set day = day + $1::int", [days]);
    await month.around.query(
      `insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
       select gen_random_uuid(), source, day + 1, window_from, window_to, collection_ids, now()
       from certificate order by day desc limit 1`,
    );
    await watch.start();
  };
  const paidAt = new Date(Date.now() - TWO_DAYS_MS).toISOString();
  const id = randomUUID();
  const invoices = [{ id, createdAt: paidAt, paidAt }];
  await month.service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });
  await anotherDay();

  const metric = 'invoice_relay_alarms_open{alarm="certificate_gap"} 1';
  await saysSo(
    watch,
    /1 day of source default \(\S+\) is not proven: the newest certificate is not equal: 1 gap/,
    metric,
  );
  expect(await watch.page()).toMatch(
    /^invoice_relay_last_certificate_timestamp_seconds\{source="default",result="not_equal"\} \d/m,
  );
  await isTold(watch, "certificate_gap");

  // As the runbook says: what is it, heal it, and the next certificate ends the alarm.
  const alarms = await runInProcess(["alarms"], watch.environment);
  const [, words = ""] = /invoice-relay (certify --from \S+ --to \S+)/.exec(alarms.stdout) ?? [];
  const named = await runInProcess(words.split(" "), watch.environment);
  expect(named.code).toBe(1);
  expect(named.stdout).toContain(id);
  expect((await runInProcess(["reconcile"], watch.environment)).stdout).toContain("1 payment is healed");
  await untilPublished(month, 1);
  expect(eventsOnTopic(month).get(id)).toHaveLength(1);
  expect((await runInProcess(words.split(" "), watch.environment)).code).toBe(0);
  await anotherDay();
  await clears(watch, "certificate_gap", metric);
});
