import { expect, it } from "vitest";
import { standHere } from "./stand.ts";

const stand = standHere();

it("what an open page asks by itself is marked, so that it prolongs no session; what a person asks is not", async () => {
  const { world } = stand;
  const id = await world.invoice("waiting-1");
  await world.callback({ data: { id } });
  await using person = await stand.person("operate");
  await person.open(`payments/${id}`);
  await person.settle();
  // Its story is looked at again and again while the payment is under way.
  const marked: boolean[] = [];
  person.page.on("request", (request) => {
    if (request.url().includes("/admin/v1/invoices/"))
      marked.push(request.headers()["x-unattended"] !== undefined);
  });
  await expect.poll(() => marked.slice(-2)).toEqual([true, true]);
  marked.length = 0;
  await person.page.keyboard.press("Shift");
  // One may have been on its way when the key went down.
  await expect.poll(() => marked.join()).toMatch(/^(true,)?false,true/);
});
