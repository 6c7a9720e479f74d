import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { ClosingResult } from "../../../src/operate/month.ts";
import { booksWorld } from "../../support/books-world.ts";
import { TOKENS } from "../../support/two-sources.ts";

it("a month that no certificate can ever prove is closed with its differences named, but never with a gap", async () => {
  const world = await booksWorld();
  const { payments, run, around } = world;
  for (const { id, collection } of payments)
    if (collection === "Somebody else's") await run("quarantine", "dismiss", id, "--reason", "not ours");
  const certify = () => run("certify", "--from", "2026-10-01", "--to", "2026-10-31");
  const close = async (...words: string[]) => {
    const waived = ["--source", "a", "--waive-statement", "in cash", "--json"];
    const { stdout, stderr } = await run("month", "close", "2026-10", ...waived, ...words);
    expect(stdout, stderr).not.toBe("");
    return (JSON.parse(stdout) as { months: ClosingResult[] }).months[0];
  };
  const codes = async (...words: string[]) => [
    ...new Set((await close(...words))?.obstacles.map(({ code }) => code)),
  ];
  const accept = ["--accept-differences", "corrected by the provider"];

  // The provider corrects an amount whose event went out.
  const corrected = payments.find(({ collection, day }) => collection === "Term 2" && day === "2026-10-12");
  if (corrected === undefined) throw new Error("there is no such payment");
  corrected.amount += 51n;
  await world.relay.callback({ data: { id: corrected.id } }, { path: `/callbacks/${TOKENS.a}` });
  await expect
    .poll(() => around.query("select amount::text from invoice where id = $1", [corrected.id]))
    .toEqual([{ amount: "2000.53" }]);
  await certify();
  expect(await codes()).toEqual(["not_equal"]);
  const text = await run("month", "close", "2026-10", "--source", "a");
  expect(text.stdout).toContain("--accept-differences");
  const closing = (await close(...accept))?.closing;
  expect(closing?.accepted).toEqual({
    reason: "corrected by the provider",
    differences: [
      {
        ...{ day: "2026-10-12", invoiceId: corrected.id, reason: "amount_differs" },
        ...{ atProvider: "2000.53", inEvent: "2000.02" },
        certificateId: expect.any(String),
        detail: expect.stringContaining("2000.02"),
      },
    ],
  });
  expect(closing?.certificateIds).toContain(closing?.accepted?.differences[0]?.certificateId);
  expect((await run("audit", "--action", "month")).stdout).toContain("corrected by the provider");
  const shown = await run("month", "show", "2026-10", "--source", "a");
  for (const words of ["corrected by the provider", corrected.id, "2,000.53", "2,000.02"])
    expect(shown.stdout).toContain(words);

  // A payment that is missing here is no difference to accept.
  await run("month", "reopen", "2026-10", "--source", "a", "--reason", "one more");
  await world.relay.stop();
  payments.push({ ...corrected, id: randomUUID(), amount: 1234n });
  await certify();
  expect(await codes(...accept)).toEqual(["not_equal"]);
  expect(await around.query("select from month where reopened_at is null")).toEqual([]);
});
