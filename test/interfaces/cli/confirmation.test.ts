import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { addConfirmation, wholeDatabase } from "../../support/log-rows.ts";
import { startHarness } from "../../support/relay.ts";

/** The command line with a person at a terminal who answers. */
function atTerminal(words: string[], environment: Record<string, string | undefined>, answer: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(answer);
  return runCli(words, environment, { stdin });
}

it("what cannot be undone is asked about, refused without a terminal and --yes, and tried out with --dry-run", async () => {
  const harness = await startHarness();
  const environment = harness.environment();
  const id = await addConfirmation(harness, { last_answer: '{"payerName":"Ada Obi"}' });
  const before = await wholeDatabase(harness);

  const alone = await runCli(["erase", id], environment);
  expect(alone).toMatchObject({ code: 2, stdout: "" });
  const asJson = await runCli(["erase", id, "--json"], environment);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: "usage" } });
  for (const answer of ["n\n", "", "yess\n"])
    expect(await atTerminal(["erase", id], environment, answer)).toMatchObject({ code: 1, stdout: "" });
  const dry = await runCli(["erase", id, "--dry-run", "--json"], environment);
  expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, found: true, confirmations: 1 });
  expect(await wholeDatabase(harness)).toEqual(before);

  const yes = await atTerminal(["erase", id, "--reason", "asked for by letter"], environment, "y\n");
  expect(yes.code).toBe(0);
  expect(await harness.query("select last_answer from confirmation")).toEqual([{ last_answer: null }]);
  expect(await harness.query("select detail->>'reason' as reason from audit_entry")).toEqual([
    { reason: "asked for by letter" },
  ]);
  await expectGolden("erase-asks", `${alone.stderr}\n${yes.stderr}\n${yes.stdout}`);
});

it("a bulk retry says how many, and asks; one by one nobody is asked", async () => {
  const harness = await startHarness();
  const environment = harness.environment();
  const dead = () => addConfirmation(harness, { state: "dead", verdict: "pending" });
  const [first] = [await dead(), await dead(), await dead()];
  const retry = ["dead", "retry", "--all"];
  expect((await runCli(["dead", "retry", first], environment)).code).toBe(0);
  const alone = await runCli(retry, environment);
  expect(alone.code).toBe(2);
  expect((await atTerminal(retry, environment, "no\n")).code).toBe(1);
  expect(await harness.query("select 1 from confirmation where state = 'dead'")).toHaveLength(2);
  expect((await runCli([...retry, "--yes", "--reason", "fixed"], environment)).code).toBe(0);
  expect(await harness.query("select detail->>'reason' as reason from audit_entry order by id")).toEqual([
    { reason: null },
    { reason: "fixed" },
    { reason: "fixed" },
  ]);
  await expectGolden("dead-retry-asks", alone.stderr);
});
