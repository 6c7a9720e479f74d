import { expect, it, onTestFinished } from "vitest";
import { startLocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import { runCli } from "../support/cli-process.ts";
import { addEvents } from "../support/log-rows.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { idsOf } from "./replaying-fixture.ts";

it("replay events says so if the relay has no topic for some", async () => {
  const harness = await startHarness();
  await addEvents(harness, 1);
  await addEvents(harness, 2, { invoiceType: "Test" });
  await startRelay(harness.environment());
  const shell = harness.environment({ SNS_TEST_TOPIC_ARN: `${harness.topicArn}-of-tests` });
  const { code, stdout } = await runCli(["replay", "events", "--all", "--yes", "--json"], shell);
  expect(JSON.parse(stdout).replay).toMatchObject({ matching: 3, handled: 1, sent: 1, refused: 0 });
  expect(code).toBe(1);
});

it("replay events: the relay sends, whose right to publish this shell need not have", async () => {
  const harness = await startHarness();
  const events = await addEvents(harness, 23);
  // What the command could reach by itself has no topic.
  const elsewhere = await startLocalSns({ port: 0 });
  onTestFinished(() => elsewhere.close());
  const shell = harness.environment({ AWS_ENDPOINT_URL_SNS: elsewhere.url });
  const replay = () => runCli(["replay", "events", "--all", "--yes", "--json"], shell);

  const nobody = await replay();
  expect(nobody.code).toBe(1);
  expect(nobody.stdout).toContain("No relay runs that could send these events.");
  expect(await harness.query("select from replay")).toEqual([]);

  await startRelay(harness.environment());
  const { code, stdout, stderr } = await replay();
  expect(stderr).toMatch(/^Replay [0-9a-f-]{36} is queued; the relay sends it/);
  expect(JSON.parse(stdout).replay).toMatchObject({
    state: "done",
    sent: 23,
    requestedBy: expect.anything(),
  });
  expect(code).toBe(0);
  expect(idsOf(harness.sns.messages(harness.topicArn)).sort()).toEqual(events.map(({ id }) => id).sort());
});
