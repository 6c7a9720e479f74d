import { expect, it } from "vitest";
import { emptyMonth } from "../reconcile/month.ts";
import { OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { clears, hasRunbook, isTold, onCall, saysSo } from "./drill.ts";

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
  await month.harness.query(
    `update sweep set started_at = now() - interval '2 hours', finished_at = now() - interval '2 hours'
     where state = 'done'`,
  );
  await month.harness.query("update sweep set due_at = now() - interval '110 minutes' where state = 'due'");
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
