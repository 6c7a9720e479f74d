import { expect, it } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { addCallback, addConfirmation } from "../support/log-rows.ts";
import { startHarness } from "../support/relay.ts";

const FIRST = "11111111-1111-4111-8111-111111111111";

it("dead show masks what is known of people, as text and as JSON", async () => {
  const harness = await startHarness();
  await addConfirmation(harness, {
    invoice_id: FIRST,
    state: "dead",
    verdict: "pending",
    attempt: 8,
    last_error: "The answer is outside the contract: amount is missing",
    last_answer: '{"data":{"payerName":"Ada Obi","payerEmail":"ada@example.com"}}',
  });
  await addCallback(harness, { invoice_ids: [FIRST], id: FIRST });
  for (const words of [[], ["--json"]]) {
    const { code, stdout } = await runCli(["dead", "show", FIRST, ...words], harness.environment());
    expect(code).toBe(0);
    expect(stdout).toContain("amount is missing");
    expect(stdout).not.toMatch(/Ada|ada@example/);
  }
});
