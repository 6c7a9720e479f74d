import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it, vi } from "vitest";
import { emptyMonth, sendAll, untilPublished } from "../reconcile/month.ts";
import { FIXED_AMOUNT, OPEN_AMOUNT } from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { startRelay } from "../support/relay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { rowsOf } from "./report/october.ts";

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

/** The commands of the section, in order, each with the number of its step. */
async function commandsOf(section: string): Promise<{ step: number; words: string[] }[]> {
  const text = (await readFile(PAGE, "utf8")).split(/^## /m).find((part) => part.startsWith(section)) ?? "";
  return text.split(/^(?=\d+\. )/m).flatMap((step) =>
    [...step.matchAll(/^ {3}invoice-relay (.+)$/gm)].map(([, line = ""]) => ({
      step: Number.parseInt(step, 10),
      words: [...line.replace(/ > .*/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? "",
      ),
    })),
  );
}

it("the files of a month in docs/finance.md, followed word by word, end with equal certificates and the files", async () => {
  const { foreign, run } = await october();
  const folder = await temporaryFolder();
  const ran: { step: number; name: string; code: number | null; stdout: string }[] = [];

  for (const { step, words } of await commandsOf("The files of a month")) {
    const given = words
      .map((word) => (word === "<id>" ? foreign.id : word))
      .map((word, at) => (words[at - 1] === "--out" ? join(folder, word) : word));
    const { code, stdout, stderr } = await run(...given);
    expect(stderr, words.join(" ")).not.toContain("error");
    ran.push({ step, name: words[0] ?? "", code, stdout });
  }

  expect(ran.map(({ step, name, code }) => [step, name, code])).toEqual([
    [1, "certify", 1],
    [2, "quarantine", 0],
    [2, "quarantine", 0],
    [2, "dead", 0],
    [3, "reconcile", 0],
    [3, "certify", 0],
    [4, "report", 0],
    [4, "report", 0],
    [4, "report", 0],
    [4, "certify", 0],
  ]);
  expect(ran[1]?.stdout).toContain(foreign.id);
  expect((await readdir(folder)).sort()).toEqual([
    "days-2026-10.xlsx",
    "differences-2026-10.xlsx",
    "payments-2026-10.xlsx",
  ]);
  // The total that finance takes away is the one that is proven.
  const report = await run("report", "payments", "--from", "2026-10-01", "--to", "2026-10-31");
  const totals = rowsOf(report.stdout).filter(({ row }) => row === "total");
  const proven = rowsOf(ran.findLast(({ name }) => name === "certify")?.stdout ?? "").filter(
    ({ row }) => row === "total",
  );
  expect(totals.map(({ amount }) => amount)).toEqual([`sum ${proven[0]?.paid_amount}`]);
  expect(totals).toMatchObject([{ invoice_id: "count 3" }]);
});
