import { randomBytes, randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { ownRelay, TOKEN } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

it("a status without end is stored to 200 characters, and told with 40", async () => {
  const { harness, relay } = await ownRelay();
  const id = harness.provider.paid({ status: "Waiting ".repeat(10_000) });
  await relay.callback({ data: { id } });
  await vi.waitFor(async () => expect(await harness.query("select from invoice")).toHaveLength(1));
  expect(await harness.query("select status from invoice")).toEqual([{ status: "Waiting ".repeat(25) }]);
  const [asked] = await harness.query<{ error: string }>("select last_error as error from confirmation");
  expect(asked?.error).toContain(`"${"Waiting ".repeat(10).slice(0, 39)}…"`);
});

it("a reference without end, which no index takes, keeps no paid invoice from its event", async () => {
  const { harness, relay } = await ownRelay();
  const id = randomUUID();
  const endless = randomBytes(6_000).toString("base64url");
  const callBackUrl = `https://relay.example.com/callbacks/${TOKEN}/${endless}`;
  harness.provider.invoice(id, invoiceAnswer(id, { callBackUrl }));
  await relay.callback({ data: { id } });
  await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
  const [message] = harness.sns.messages(harness.topicArn);
  expect(JSON.parse(message?.message ?? "").data.reference).toBe(endless);
  expect(await harness.query("select reference from invoice")).toEqual([
    { reference: expect.stringMatching(/… sha256:[0-9a-f]{64}$/) },
  ]);
});
