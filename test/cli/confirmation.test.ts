import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { addConfirmation, wholeDatabase } from "../support/log-rows.ts";
import { startHarness } from "../support/relay.ts";

/** The command line with a person at a terminal who answers. */
function atTerminal(words: string[], environment: Record<string, string | undefined>, answer: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(answer);
  return runCli(words, environment, { stdin });
}

describe("what cannot be undone", () => {
  it("erase: asks a person, is refused without a terminal and --yes, and tries it out with --dry-run", async () => {
    const harness = await startHarness();
    const environment = harness.environment();
    const id = await addConfirmation(harness, { last_answer: '{"payerName":"Ada Obi"}' });
    const before = await wholeDatabase(harness);

    const alone = await runCli(["erase", id], environment);
    expect(alone).toMatchObject({ code: 2, stdout: "" });
    expect(alone.stderr).toContain(
      "There is no terminal to ask on, so nothing was changed. Add --yes to confirm.",
    );
    const asJson = await runCli(["erase", id, "--json"], environment);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: "usage" } });
    for (const answer of ["n\n", "", "yess\n"]) {
      const no = await atTerminal(["erase", id], environment, answer);
      expect(no).toMatchObject({ code: 1, stdout: "" });
      expect(no.stderr).toContain(`Blank the personal data of invoice ${id} for good?`);
      expect(no.stderr).toContain("Nothing was changed.");
    }
    const dry = await runCli(["erase", id, "--dry-run", "--json"], environment);
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, found: true, confirmations: 1 });
    expect(await wholeDatabase(harness)).toEqual(before);

    const yes = await atTerminal(["erase", id, "--reason", "asked for by letter"], environment, "y\n");
    expect(yes.code).toBe(0);
    expect(await harness.query("select last_answer from confirmation")).toEqual([{ last_answer: null }]);
    expect(await harness.query("select detail->>'reason' as reason from audit_entry")).toEqual([
      { reason: "asked for by letter" },
    ]);
  });

  it("a bulk retry: says how many, and asks; one by one nobody is asked", async () => {
    const harness = await startHarness();
    const environment = harness.environment();
    const dead = () => addConfirmation(harness, { state: "dead", verdict: "pending" });
    const [first] = [await dead(), await dead(), await dead()];
    expect((await runCli(["dead", "retry", first], environment)).code).toBe(0);

    const alone = await runCli(["dead", "retry", "--all"], environment);
    expect(alone.code).toBe(2);
    expect(alone.stderr).toContain("Retry 2 dead letters? There is no terminal to ask on");
    expect((await atTerminal(["dead", "retry", "--all"], environment, "no\n")).code).toBe(1);
    expect(await harness.query("select 1 from confirmation where state = 'dead'")).toHaveLength(2);

    const meant = await runCli(["dead", "retry", "--all", "--yes", "--reason", "fixed"], environment);
    expect(meant.code).toBe(0);
    expect(await harness.query("select 1 from confirmation where state = 'dead'")).toEqual([]);
    expect(await harness.query("select detail->>'reason' as reason from audit_entry order by id")).toEqual([
      { reason: null },
      { reason: "fixed" },
      { reason: "fixed" },
    ]);
  });
});
