import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { addCallback, addConfirmation } from "../support/log-rows.ts";
import { surroundings } from "../support/relay.ts";

const FIRST = "11111111-1111-4111-8111-111111111111";
const SECOND = "22222222-2222-4222-8222-222222222222";

/** A command line, and what it says: on standard output when it exits 0, else on the other, and nowhere else. */
type Row = readonly [command: string, says: string | RegExp, code?: number];

async function say(environment: Record<string, string | undefined>, rows: readonly Row[]): Promise<void> {
  for (const [command, says, code = 0] of rows) {
    const result = await runCli(command.split(" "), environment);
    expect(result.code, command).toBe(code);
    const [said, other] = code === 0 ? [result.stdout, result.stderr] : [result.stderr, result.stdout];
    expect(said, command).toMatch(says);
    expect(other, command).toBe("");
    expect(said, command).not.toMatch(/Ada|ada@example/);
  }
}

describe("the operators' commands, as a person sees them", () => {
  it("dead and quarantine: lists, evidence, what was done; personal data masked", async () => {
    const around = await surroundings();
    const environment = around.environment();
    await addConfirmation(around, {
      invoice_id: FIRST,
      state: "dead",
      verdict: "pending",
      attempt: 8,
      last_error: "The answer is outside the contract: amount is missing",
      last_answer: '{"data":{"payerName":"Ada Obi","payerEmail":"ada@example.com"}}',
    });
    await addConfirmation(around, {
      invoice_id: SECOND,
      verdict: "quarantined",
      last_error: "foreign collection",
    });
    await addCallback(around, { invoice_ids: [FIRST], id: FIRST });
    const row = `confirmation +${FIRST} .* default .* 8 +The answer is outside the contract: amount is missing`;
    await say(environment, [
      [
        "dead list",
        new RegExp(`^1 dead letter:\\n.*\\n${row}\\n\\nSee one with: .* dead show <id>\\nThen: .*`),
      ],
      [
        `dead show ${FIRST}`,
        /^Confirmation, not completed\n[\s\S]*last answer +\{.*"payerName":"\*\*\*",[\s\S]*callbacks/,
      ],
      [
        "dead retry --all --dry-run",
        /^1 dead letter would be selected\. This was a dry run: nothing was changed/,
      ],
      ["dead retry --kind event --yes", "No dead letter matches: nothing was changed."],
      [`dead dismiss ${FIRST}`, /^1 dead letter: dismissed: kept, but no longer listed\./],
      [
        "quarantine list",
        /^1 quarantined invoice:\n[\s\S]*foreign collection\n\nSee one with: .*\nThen: .*release/,
      ],
      [
        `quarantine release ${SECOND}`,
        /^1 quarantined invoice: released; a running invoice-relay serve asks/,
      ],
    ]);
    const json = await runCli(["dead", "show", FIRST, "--json"], environment);
    expect(JSON.parse(json.stdout).items).toMatchObject([{ invoiceId: FIRST, eventId: null }]);
    expect(json.stdout).not.toMatch(/Ada|ada@example/);
  });
});
