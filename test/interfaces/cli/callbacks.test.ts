import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { runCli } from "../../support/cli-process.ts";
import { startHarness, startRelay } from "../../support/relay.ts";
import { invoiceAnswer } from "../../support/scripted-provider.ts";

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

  expect(await listed("--verdict", "refused")).toMatchObject([
    { invoiceIds: [forged], verdict: "refused", failedCheck: "header_token" },
  ]);
  expect(await listed("--invoice", genuine)).toMatchObject([{ verdict: "paid", failedCheck: null }]);
  const shown = await run("show", (await listed("--verdict", "refused"))[0]?.id ?? "", "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({ ids: [{ invoiceId: forged, foundBy: "data.id" }] });

  // Asked about a week ago, unknown to the provider and forgotten: that is known of it still.
  await harness.query("delete from confirmation");
  expect(await listed("--invoice", genuine)).toMatchObject([{ verdict: "unknown_invoice" }]);
});
