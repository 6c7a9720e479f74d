import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { emptyMonth } from "./month.ts";

const paidAt = "2026-10-02T10:00:00Z";
const DAYS = ["--from", "2026-10-01", "--to", "2026-10-31"];

describe("the command lines", () => {
  it("certify exits 1 with the days, the scope and each gap by name; reconcile says what it opened", async () => {
    const { service, environment, harness } = await emptyMonth();
    await harness.query("update source set first_served_at = '2026-09-01'");
    const id = randomUUID();
    const invoices = [{ id, createdAt: paidAt, paidAt, amount: "1234567.50" }];
    await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices });

    const gap = await runCli(["certify", ...DAYS], environment);
    expect([gap.code, gap.stderr]).toEqual([1, ""]);
    expect(gap.stdout).toContain("NOT EQUAL: 1 GAP");
    expect(gap.stdout).toMatch(
      /Based on: .*RECONCILE_LOOKBACK 35 days, PROVIDER_TIME_ZONE UTC.* pages, 1 paid/,
    );
    expect(gap.stdout).toMatch(/^2026-10-02 +1 +1,234,567\.50 +0 +0\.00 +0 +0\.00 +1 +1,234,567\.50 +0$/m);
    expect(gap.stdout).toMatch(/^total +1 +1,234,567\.50 /m);
    expect(gap.stdout).toContain(`(${OPEN_AMOUNT})`);
    expect(gap.stdout).toMatch(new RegExp(`^2026-10-02 +${id} +(NGN )?1,234,567\\.50 +missing `, "m"));

    const opened = await runCli(["reconcile", ...DAYS, "--reason", "their outage"], environment);
    expect([opened.code, opened.stderr]).toEqual([0, ""]);
    expect(opened.stdout).toContain("Payments of 2026-10-01 to 2026-10-31 (UTC)");
    expect(opened.stdout).toContain("1 payment is healed");
    expect(opened.stdout).toMatch(new RegExp(`${id} +not_served +`));
    expect(opened.stdout).not.toContain("Nothing is missing");
    expect(await harness.query("select action, detail->>'reason' as reason from audit_entry")).toEqual([
      { action: "reconcile", reason: "their outage" },
    ]);
    expect(await harness.query("select invoice_id, opened_by from confirmation")).toEqual([
      { invoice_id: id, opened_by: "reconcile" },
    ]);
  });

  it("reconcile without days reads the last seven, as the runbook has it", async () => {
    const { environment } = await emptyMonth();
    const [from, to] = [7, 0].map((days) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
    );
    const { code, stdout } = await runCli(["reconcile"], environment);
    expect(code).toBe(0);
    expect(stdout).toContain(`Payments of ${from} to ${to} (UTC)`);
  });

  it("certify and reconcile without COLLECTION_IDS say what to set, and exit 2", async () => {
    const { environment } = await emptyMonth();
    for (const command of ["certify", "reconcile"]) {
      const result = await runCli([command, ...DAYS], { ...environment, COLLECTION_IDS: "" });
      expect([result.code, result.stdout]).toEqual([2, ""]);
      expect(result.stderr).toContain("Set COLLECTION_IDS");
    }
  });

  it.each(["certify", "reconcile"])("%s reads no lists of thousands of years", async (command) => {
    const { environment } = await emptyMonth();
    const result = await runCli([command, "--from", "1999-12-31", "--to", "2026-10-31"], environment);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("--from should be 2000-01-01 or later: no payment is older.");
  });
});
