import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { addConfirmation } from "../support/log-rows.ts";
import { type Harness, startHarness, startRelay, TOKEN } from "../support/relay.ts";
import { invoiceAnswer, unpaidAnswer } from "../support/scripted-provider.ts";

const invoice = (harness: Harness, ...words: string[]) =>
  runCli(["invoice", ...words], { DATABASE_URL: harness.databaseUrl });

/** Times, ids and durations by name, so that what is left is what a person reads. */
const settled = (text: string, id: string) =>
  text
    .replaceAll(id, "<invoice>")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
    .replaceAll(/ +\+[\d.]+ (ms|s|min|h|days)/g, " +<span>");

describe("invoice-relay invoice <id>", () => {
  it("shows a paid invoice from callback to SNS, in any case of its id", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.invoice(id, unpaidAnswer(id), invoiceAnswer(id));
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => expect(await harness.query("select 1 from invoice")).toHaveLength(1));
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => expect(await harness.query("select 1 from publication")).toHaveLength(1));

    const { code, stdout, stderr } = await invoice(harness, id.toUpperCase());

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(settled(stdout, id)).toBe(`Invoice <invoice>
  Paid, Live, NGN 1,511.25 in total, collection "Term 1", paid at <time>, source default

  <time>             paid, according to the provider
  <time> +<span>  callback recorded: POST from 127.0.0.1, 54 bytes, id found in data.id
  <time> +<span>  confirmation opened by a callback
  <time> +<span>  provider asked; it said Unpaid
  <time> +<span>  callback recorded: POST from 127.0.0.1, 54 bytes, id found in data.id
  <time> +<span>  provider asked; it said Paid
  <time> +<span>  verdict: paid
  <time> +<span>  invoice.paid written to the outbox, event id <id>
  <time> +<span>  SNS accepted it: message <id> on ${harness.topicArn}

The provider confirmed that it is paid.
The event is published: SNS accepted it. Nothing is left to do here; what consumers do with it, only they know.
`);
  });

  it("shows no callback token, as text or JSON", async () => {
    const harness = await startHarness();
    const id = await addConfirmation(harness);
    const reference = `see https://relay.example.com/callbacks/${TOKEN}/order`;
    await harness.query(
      `insert into invoice (id, source, status, reference, asked_at, confirmed_at, digest, document)
        values ($1, 'default', 'Paid', $2, now(), now(), 'x', '{}')`,
      [id, reference],
    );
    for (const words of [[], ["--json"]]) {
      const { code, stdout } = await invoice(harness, id, ...words);
      expect(code).toBe(0);
      expect(stdout).toContain(reference.replace(TOKEN, "***"));
      expect(stdout).not.toContain(TOKEN);
    }
  });
});
