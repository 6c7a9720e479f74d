import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { booksWorld, LISTS } from "./books-world.ts";
import { rowsOf } from "./report/october.ts";

const PAGE = resolve(import.meta.dirname, "../../docs/finance.md");

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
  const world = await booksWorld();
  const folder = await temporaryFolder();
  const foreign = world.payments.filter(({ collection }) => !(collection in LISTS)).map(({ id }) => id);
  const ran: { step: number; name: string; code: number | null; stdout: string }[] = [];

  for (const { step, words } of await commandsOf("The files of a month")) {
    const given = words
      .flatMap((word) => (word === "<id>" ? foreign : [word]))
      .map((word, at) => (words[at - 1] === "--out" ? join(folder, word) : word));
    const { code, stdout, stderr } = await world.run(...given);
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
  expect(ran[1]?.stdout).toContain(foreign[0]);
  expect((await readdir(folder)).sort()).toEqual([
    "days-2026-10.xlsx",
    "differences-2026-10.xlsx",
    "payments-2026-10.xlsx",
  ]);
  // The total that finance takes away is the one that is proven.
  const report = await world.run("report", "payments", "--from", "2026-10-01", "--to", "2026-10-31");
  const totals = rowsOf(report.stdout).filter(({ row }) => row === "total");
  const proven = rowsOf(ran.findLast(({ name }) => name === "certify")?.stdout ?? "").filter(
    ({ row }) => row === "total",
  );
  for (const { amount = "", currency } of totals)
    expect(
      proven.map(({ paid_amount }) => `sum ${paid_amount}`),
      currency,
    ).toContain(amount);
});
