import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it, vi } from "vitest";
import { emptyMonth, sendAll, untilPublished } from "../pipeline/reconcile/month.ts";
import { FIXED_AMOUNT, OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { rowsOf } from "../support/csv-rows.ts";
import { startRelay } from "../support/relay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PAGE = resolve(import.meta.dirname, "../../docs/finance.md");

/** Payments of October, called back and published, and one of somebody else's collection. */
async function october() {
  const month = await emptyMonth();
  const { harness, service, environment } = month;
  const payments = ["01T10:00:00Z", "12T12:00:00Z", "31T22:30:00Z"].map((at, n) => ({
    ...{ id: randomUUID(), createdAt: `2026-10-${at}`, paidAt: `2026-10-${at}`, amount: `${n}200.02` },
  }));
  const paidAt = "2026-10-15T10:00:00Z";
  const foreign = { id: randomUUID(), createdAt: paidAt, paidAt };
  await service.control("POST", "/invoices", { collectionId: OPEN_AMOUNT, invoices: payments });
  await service.control("POST", "/invoices", { collectionId: FIXED_AMOUNT, invoices: [foreign] });
  await sendAll(
    await startRelay(environment),
    [foreign, ...payments].map(({ id }) => id),
  );
  await untilPublished(month, payments.length);
  await vi.waitFor(async () =>
    expect(await harness.query("select from confirmation where verdict = 'quarantined'")).toHaveLength(1),
  );
  // Not before: a daily certificate made meanwhile would lack the payments that come after it.
  await harness.query("update source set first_served_at = '2026-09-01'");
  return { foreign, run: (...words: string[]) => runCli(words, environment) };
}

/** The words of each command of the section, in order. */
async function commandsOf(section: string): Promise<string[][]> {
  const text = (await readFile(PAGE, "utf8")).split(/^## /m).find((part) => part.startsWith(section)) ?? "";
  return [...text.matchAll(/^ {3}invoice-relay (.+)$/gm)].map(([, line = ""]) =>
    [...line.replace(/ > .*/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? "",
    ),
  );
}

it("the files of a month in docs/finance.md, followed word by word, end with equal certificates and the files", async () => {
  const { foreign, run } = await october();
  const folder = await temporaryFolder();
  const ran: { name: string; code: number | null; stdout: string }[] = [];
  for (const words of await commandsOf("The files of a month")) {
    const given = words
      .map((word) => (word === "<id>" ? foreign.id : word))
      .map((word, at) => (words[at - 1] === "--out" ? join(folder, word) : word));
    ran.push({ name: words[0] ?? "", ...(await run(...given)) });
  }
  // A foreign payment stands in the way until it is dismissed.
  expect(ran.map(({ code }) => code)).toEqual([1, ...Array(9).fill(0)]);
  expect(ran[1]?.stdout).toContain(foreign.id);
  const files = ["days", "differences", "payments"].map((report) => `${report}-2026-10.xlsx`);
  expect((await readdir(folder)).sort()).toEqual(files);
  // What finance takes away is what is proven.
  const report = await run("report", "payments", "--from", "2026-10-01", "--to", "2026-10-31");
  const [whole] = JSON.parse(ran.findLast(({ name }) => name === "certify")?.stdout ?? "[]");
  const cents = rowsOf(report.stdout).map(({ amount }) => Math.round(Number(amount) * 100));
  expect(cents).toHaveLength(3);
  const sum = cents.reduce((all, one) => all + one, 0) / 100;
  expect(whole?.total.paid.amount).toBe(sum.toFixed(2));
});
