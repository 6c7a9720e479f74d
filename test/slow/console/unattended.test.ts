import { afterAll, beforeAll, expect, it } from "vitest";
import { Operator } from "./operator.ts";
import { openStand, type Stand } from "./stand.ts";

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand?.close());

it("what an open page asks by itself is marked, so that it prolongs no session; what a person asks is not", async () => {
  const { browser, world } = stand;
  const id = await world.invoice("waiting-1");
  await world.callback({ data: { id } });
  const person = await Operator.arrive(browser, world);
  await person.signIn("operate");
  await person.open(`payments/${id}`);
  await person.settle();
  // Its story is looked at again and again while the payment is under way.
  const marked = async () => {
    const request = await person.page.waitForRequest(/\/admin\/v1\/invoices\//);
    return (await request.allHeaders())["x-unattended"] !== undefined;
  };
  expect([await marked(), await marked()]).toEqual([true, true]);
  await person.page.keyboard.press("Shift");
  expect([await marked(), await marked()]).toEqual([false, true]);
  expect(person.complaints).toEqual([]);
  await person.leave();
});
