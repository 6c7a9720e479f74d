import { randomUUID } from "node:crypto";
import { expect, it, vi } from "vitest";
import { startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

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
