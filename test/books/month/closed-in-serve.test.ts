import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ClosingResult } from "../../../src/operate/month.ts";
import { newSigningKey } from "../../signing/signing-key.ts";
import { booksWorld, type WorldPayment } from "../../support/books-world.ts";
import { runCli } from "../../support/cli-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { TOKENS } from "../../support/two-sources.ts";

it("a month is closed by its statement as the books are now, verified offline, and watched by serve", async () => {
  const { payments, around, relay, environment } = await booksWorld();
  const folder = await temporaryFolder();
  const signed = { ...environment, LEDGER_SIGNING_KEY: newSigningKey() };
  const run = (...words: string[]) => runCli(words, signed);
  const october = ["--from", "2026-10-01", "--to", "2026-10-31"];
  const [first] = payments.filter(({ source, day }) => source === "b" && day === "2026-10-01");
  if (first === undefined) throw new Error("there is no such payment");
  const match = async (...paid: [WorldPayment, string][]) => {
    const lines = paid.map(([{ id, day }, amount]) => `${day},NIP ${id},${amount}`);
    const file = join(folder, "october.csv");
    await writeFile(file, `${["Date,Narration,Credit", ...lines].join("\n")}\n`);
    return (await run("match", file, "--source", "b", ...october)).code;
  };
  const close = async (...words: string[]) => {
    const { stdout, stderr } = await run("month", "close", "2026-10", "--source", "b", "--json", ...words);
    expect(stdout, stderr).not.toBe("");
    const [month] = (JSON.parse(stdout) as { months: ClosingResult[] }).months;
    return { stdout, obstacles: month?.obstacles.map(({ code, detail }) => `${code}: ${detail}`) };
  };
  const pay = async (amount: bigint) => {
    const late = { ...first, id: randomUUID(), amount, day: "2026-10-20", paidAt: "2026-10-20T10:00:00Z" };
    payments.push(late);
    await relay.callback({ data: { id: late.id } }, { path: `/callbacks/${TOKENS.b}` });
    const sent = "select from publication join event on event.id = event_id where invoice_id = $1";
    await expect.poll(() => around.query(sent, [late.id])).toHaveLength(1);
    return late;
  };

  await run("certify", ...october);
  expect(await match([first, "799.75"])).toBe(1);
  expect((await close()).obstacles).toEqual([
    "statement_not_matched: The bank statement october.csv leaves something to be explained.",
  ]);
  expect(await match([first, "800.75"])).toBe(0);
  expect((await close("--dry-run")).obstacles).toEqual([]);

  // A payment that came after the statement was matched.
  const late = await pay(1234n);
  await run("certify", ...october);
  expect((await close()).obstacles).toEqual([
    expect.stringContaining("statement_not_matched: Payments came or changed since"),
  ]);
  expect(await match([first, "800.75"], [late, "12.29"])).toBe(0);
  const { stdout, obstacles } = await close();
  expect(obstacles).toEqual([]);

  const file = join(folder, "closing.json");
  for (const closing of [stdout, (await run("month", "show", "2026-10", "--source", "b", "--json")).stdout]) {
    await writeFile(file, closing);
    const verified = await run("certificate", "verify", file);
    expect(verified.stdout).toContain("UNCHANGED, BY SOMEBODY");
    expect(verified.stdout).toContain("It says that 2026-10 of source b was closed ");
    await writeFile(file, closing.replaceAll("12.34", "12.35").replaceAll("813.14", "813.15"));
    expect((await run("certificate", "verify", file)).stdout).toContain("BROKEN: It was edited");
  }

  const another = await pay(500n);
  await expect
    .poll(() => around.query("select invoice_id as id from month_change"))
    .toEqual([{ id: another.id }]);
});
