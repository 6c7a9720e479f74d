import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { dayOf } from "../../../src/platform/values/time.ts";
import { OPEN_AMOUNT } from "../../sandbox/provider/service-fixture.ts";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { emptyMonth } from "./month.ts";
import { midnight } from "./prove-period.ts";

const DAY = "2026-10-31";
const DAYS = ["--from", "2026-10-01", "--to", DAY];

it("certify exits 1 with each gap by name; reconcile says what it opened, and why; without days the last seven", async () => {
  const { service, environment, harness } = await emptyMonth();
  await harness.query("update source set first_served_at = '2026-09-01'");
  const [id, paidAt] = [randomUUID(), "2026-10-02T10:00:00Z"];
  const invoices = [{ id, createdAt: paidAt, paidAt, amount: "1234567.50" }];
  await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });

  const gap = await runCli(["certify", ...DAYS], environment);
  expect([gap.code, gap.stderr]).toEqual([1, ""]);
  await expectGolden("certify", gap.stdout);
  const opened = await runCli(["reconcile", ...DAYS, "--reason", "their outage"], environment);
  expect([opened.code, opened.stderr]).toEqual([0, ""]);
  await expectGolden("reconcile", opened.stdout);
  expect(await harness.query("select action, detail->>'reason' as reason from audit_entry")).toEqual([
    { action: "reconcile", reason: "their outage" },
  ]);
  expect(await harness.query("select invoice_id, opened_by from confirmation")).toEqual([
    { invoice_id: id, opened_by: "reconcile" },
  ]);

  const { stdout } = await runCli(["reconcile", "--json"], environment);
  expect(JSON.parse(stdout)).toMatchObject([{ from: dayOf(midnight(7)), to: dayOf(midnight(0)) }]);
});

it.each(["certify", "reconcile"])("%s over thousands of years is refused", async (command) => {
  const { environment } = await emptyMonth();
  const { code, stdout } = await runCli(
    [command, "--from", "1999-12-31", "--to", DAY, "--json"],
    environment,
  );
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 2, error: { code: "usage" } });
});
