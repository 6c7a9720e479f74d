import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

it.each([0, -1511.25])("Paid with a total of %d is published, and an anomaly", async (totalAmount) => {
  const around = await surroundings();
  const relay = await startRelay(around.environment());
  const id = randomUUID();
  const amounts = { amount: totalAmount, serviceCharge: 0, vat: 0, totalAmount };
  around.provider.invoice(id, invoiceAnswer(id, amounts));
  await relay.callback({ data: { id } });
  await vi.waitFor(() => expect(around.sns.messages()).toHaveLength(1));
  expect(await around.query("select name, subject from alarm")).toEqual([
    { name: "invoice_anomaly", subject: id },
  ]);
});

it("a status without end is stored to 200 characters, and told with 40", async () => {
  const around = await surroundings();
  const relay = await startRelay(around.environment());
  const id = randomUUID();
  around.provider.invoice(id, invoiceAnswer(id, { status: "Waiting ".repeat(10_000) }));
  await relay.callback({ data: { id } });
  await vi.waitFor(async () => expect(await around.query("select from invoice")).toHaveLength(1));
  expect(await around.query("select status from invoice")).toEqual([{ status: "Waiting ".repeat(25) }]);
  const [asked] = await around.query<{ error: string }>("select last_error as error from confirmation");
  expect(asked?.error).toContain(`"${"Waiting ".repeat(10).slice(0, 39)}…"`);
});
