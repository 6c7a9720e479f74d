import { expect, it, onTestFinished } from "vitest";
import { startLocalSns } from "../../../src/sandbox/sns/start-local-sns.ts";
import { runCli } from "../../support/cli-process.ts";
import { addEvents } from "../../support/log-rows.ts";
import { startHarness, startRelay } from "../../support/relay.ts";
import { idsOf } from "./replaying-fixture.ts";

it("replay events: the relay sends, whose right to publish this shell need not have, what it has a topic for", async () => {
  const harness = await startHarness();
  const events = await addEvents(harness, 23);
  // What the command could reach by itself has no topic.
  const elsewhere = await startLocalSns({ port: 0 });
  onTestFinished(() => elsewhere.close());
  const replay = async (settings: Record<string, string> = {}) => {
    const shell = harness.environment({ AWS_ENDPOINT_URL_SNS: elsewhere.url, ...settings });
    const { code, stdout } = await runCli(["replay", "events", "--all", "--yes", "--json"], shell);
    return { code, ...JSON.parse(stdout) };
  };
  expect(await replay()).toMatchObject({ code: 1, error: { code: "failed" } });
  expect(await harness.query("select from replay")).toEqual([]);

  await startRelay(harness.environment());
  const done = { state: "done", sent: 23, refused: 0, requestedBy: expect.anything() };
  expect(await replay()).toMatchObject({ code: 0, replay: { ...done, matching: 23, handled: 23 } });
  const sent = idsOf(harness.sns.messages(harness.topicArn));
  expect(sent.sort()).toEqual(events.map(({ id }) => id).sort());

  await addEvents(harness, 2, { invoiceType: "Test" });
  const topicOfThisShellAlone = { SNS_TEST_TOPIC_ARN: `${harness.topicArn}-of-tests` };
  expect(await replay(topicOfThisShellAlone)).toMatchObject({
    ...{ code: 1, replay: { ...done, matching: 25, handled: 23 } },
  });
});
