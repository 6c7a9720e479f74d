import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { addCallback, addConfirmation, addEvents } from "../support/log-rows.ts";
import { startRelay, surroundings } from "../support/relay.ts";

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
  it("with nothing to do say so, and exit 0", async () => {
    const around = await surroundings();
    await say(around.environment(), [
      ["replay list", "There are no replays yet."],
      ["invoices", "No invoice has been confirmed yet."],
      ["certificate list", "There are no certificates yet: serve makes one each day"],
      ["replay events --all --here", "No events match: there is nothing to replay."],
      ["replay confirmations --dry-run", "No confirmations match: there is nothing to replay."],
      ["replay callbacks --verdict unreadable", "No callbacks match: there is nothing to replay."],
      ["dead list", "No dead letters: nothing was given up."],
      ["dead retry --all", "No dead letter matches: nothing was changed."],
      ["quarantine list", "The quarantine is empty: no paid invoice is waiting there."],
      ["quarantine dismiss --all", "No quarantined invoice matches: nothing was changed."],
      ["pause confirm", "There is no source yet: invoice-relay serve makes them known at its start."],
      ["resume publish", "There is no topic yet: invoice-relay serve makes them known at its start."],
      ["retention", /^Nothing to drop: there is no callback from before 20\d\d-\d\d-01\.$/m],
    ]);
  });

  // Words that nobody can mean, and settings and servers that are missing: test/cli/{wrong-words,exit-codes}.test.ts.
  it("that cannot do it say why and what to do, and exit non-zero", async () => {
    const around = await surroundings();
    await say(around.environment(), [
      [`replay resume ${FIRST}`, `no replay ${FIRST}. List them with: invoice-relay replay list`, 3],
      ["dead retry", "Which ones? Give ids, a filter such as --source, or --all.", 2],
      [`dead retry ${FIRST} --all`, "Use either ids (with --source) or filters, not both.", 2],
      [`dead show ${FIRST}`, "is not a dead letter. List them with: invoice-relay dead list", 3],
      [
        `quarantine release ${FIRST}`,
        "is not a quarantined invoice. List them with: invoice-relay quarantine",
        3,
      ],
      ["pause confirm --for 2h --until 2126-11-01", "cannot be used with", 2],
      [
        "pause confirm --until 2020-01-01",
        "The pause should end in the future, not at 2020-01-01T00:00:00.000Z",
        2,
      ],
      [`certificate show ${FIRST}`, "List them with: invoice-relay certificate list", 3],
      [`erase ${FIRST}`, `Nothing is known about invoice ${FIRST}: there was nothing to erase.`, 3],
    ]);
  });

  it("replay: a dry run, its run, a list", async () => {
    const around = await surroundings();
    const environment = around.environment();
    await addEvents(around, 2);
    await say(environment, [["replay events --dry-run", "2 events would be replayed, 100 a second at most"]]);
    const replay = async (words: string) =>
      await runCli(["replay", "events", ...words.split(" ")], environment);
    const begins = /^Replay [0-9a-f-]{36} begins\.\n$/;
    expect(await replay("--all --yes --here")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 of 2 handled, 2 sent, 0 refused."),
      stderr: expect.stringMatching(begins),
    });
    await say(environment, [["replay list", /\n\S{36} +events +done +2 +2 +0 +cli:/]]);

    around.sns.addFault({ kind: "fail-entries", senderFault: true });
    const refused = await replay("--all --yes --here");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(begins) });
    expect(refused.stdout).toContain("2 of 2 handled, 1 sent, 1 refused.");
    expect(refused.stdout).toMatch(/default +InvalidParameter: .*refused by an injected fault/);
    around.sns.addFault({ kind: "topic-missing" });
    const failed = await replay("--all --yes --here");
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("0 of 2 handled") });
    expect(failed.stdout).toMatch(
      /Why: SNS refuses the topic .*NotFound.*\nResume it with: .* replay resume /,
    );
  });

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

  it("pause, resume, retention and erase: what was done, and what was so already", async () => {
    const around = await surroundings();
    const environment = around.environment();
    await (await startRelay(environment)).stop();
    await around.query(
      "create table callback_2020_03 partition of callback for values from ('2020-03-01') to ('2020-04-01')",
    );
    await addCallback(around, { received_at: "2020-03-05T00:00:00Z" });
    await addCallback(around, { invoice_ids: [FIRST] });
    const until = "The pause ends automatically at 2126-11-01T08:30:00.000Z. Resume earlier with";
    const erased = "callback +1\nIds, amounts and digests are kept; .*\nCopies that were sent to SNS";
    await say(environment, [
      [
        "pause confirm",
        /^Asking the provider is paused for: default\. .*Resume with: invoice-relay resume confirm$/m,
      ],
      ["pause confirm --source default", "Nothing to do for: default (already paused)."],
      ["pause confirm --source default --until 2126-11-01T08:30 --reason deploy", until],
      ["resume confirm", "Asking the provider is resumed for: default."],
      ["pause publish --source default", `Sending to SNS is paused for: ${around.topicArn}.`],
      ["resume publish", `Sending to SNS is resumed for: ${around.topicArn}.`],
      [
        "retention --dry-run",
        /^Would be dropped: .*\n.*\ncallback_2020_03 +1 +0\nThis was a dry run: nothing/,
      ],
      ["retention", /^Dropped: callbacks from before .*\n.*\ncallback_2020_03 +1 +0\n$/],
      [
        `erase ${FIRST} --dry-run`,
        /^Would be blanked for invoice .*\n +callback +1\nThis was a dry run: nothing/,
      ],
      [`erase ${FIRST} --yes`, new RegExp(`^Erased for invoice ${FIRST}, rows by table:\\n +${erased}`)],
      [`erase ${FIRST} --yes --json`, /"found": true,[\s\S]*"callbacks": 0,[\s\S]*"dryRun": false/],
    ]);
    const actors = await around.query<{ actor: string }>("select distinct actor from audit_entry");
    expect(actors).toEqual([{ actor: expect.stringMatching(/^cli:./) }]);
  });
});
