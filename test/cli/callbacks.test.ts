import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const CHECK = { CALLBACK_HEADER_NAME: "x-token", CALLBACK_HEADER_TOKENS: "a-token-of-the-header-0123" };

it("a refused callback says which check failed, and callbacks are found by what a person has", async () => {
  const harness = await startHarness();
  const environment = harness.environment(CHECK);
  const relay = await startRelay(environment);
  const [forged, genuine] = [randomUUID(), randomUUID()];
  harness.provider.invoice(genuine, invoiceAnswer(genuine));
  await relay.callback({ data: { id: forged } }, { headers: { "x-token": "wrong" } });
  await relay.callback(
    { data: { id: genuine } },
    { headers: { "x-token": CHECK.CALLBACK_HEADER_TOKENS, "content-type": "application/json" } },
  );
  await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
  const run = (...words: string[]) => runCli(["callbacks", ...words], environment);
  const listed = async (...words: string[]) =>
    JSON.parse((await run("list", ...words, "--json")).stdout).callbacks as {
      id: string;
      invoiceIds: string[];
      verdict: string;
      failedCheck: string | null;
    }[];

  expect((await run("list", "--refused")).stdout).toContain("refused: its header token is wrong");
  expect(await listed("--refused")).toMatchObject([
    { invoiceIds: [forged], verdict: "refused", failedCheck: "header_token" },
  ]);
  expect(await listed("--invoice", genuine)).toMatchObject([{ verdict: "paid", failedCheck: null }]);
  for (const sender of ["127.0.0.1", "::ffff:127.0.0.1", "::FFFF:7f00:1"])
    expect(await listed("--sender", sender), sender).toHaveLength(2);
  expect((await run("list", "--sender", "somebody")).code).toBe(2);
  const shown = await run("show", (await listed("--refused"))[0]?.id ?? "");
  expect(shown.stdout).toContain(`names ${forged}, found in data.id: not asked about`);
  expect(shown.stdout).toContain('\n  "data": {');
  expect((await run("show", randomUUID())).code).toBe(3);

  // Asked about a week ago, unknown to the provider and forgotten: that is known of it still.
  await harness.query("delete from confirmation");
  expect(await listed("--invoice", genuine)).toMatchObject([{ verdict: "unknown_invoice" }]);
});

it("payments are found by what a person has of them", async () => {
  const harness = await startHarness();
  const environment = harness.environment();
  const relay = await startRelay(environment);
  const id = randomUUID();
  harness.provider.invoice(
    id,
    invoiceAnswer(id, {
      totalAmount: 40645,
      callBackUrl: "https://relay.example.com/callbacks/0123456789012345678901/INV-2041",
    }),
  );
  await relay.callback({ data: { id } });
  await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
  for (const have of [
    id,
    id.slice(0, 8),
    "INV-2041",
    "ada@example.com",
    "obi",
    "NGN 40,645.00",
    "1 November 2026",
  ]) {
    const { stdout, code } = await runCli(["invoices", have, "--json"], environment);
    expect({
      have,
      code,
      found: JSON.parse(stdout).invoices.map((one: { invoiceId: string }) => one.invoiceId),
    }).toEqual({ have, code: 0, found: [id] });
  }
});
