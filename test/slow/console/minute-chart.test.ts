import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Operator } from "./operator.ts";
import { openStand, type Stand } from "./stand.ts";

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand?.close());

/** How many points of the canvas have the colour of "payments confirmed"; their edges are mixed and not counted. */
const DOTS = `(() => {
  const canvas = document.querySelector(".minutes-plot canvas");
  const paint = document.createElement("canvas").getContext("2d");
  paint.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--move").trim();
  paint.fillRect(0, 0, 1, 1);
  const [r, g, b] = paint.getImageData(0, 0, 1, 1).data;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) count += 1;
  return count;
})()`;

const dots = async ({ page }: Operator) => (await page.evaluate(DOTS)) as number;

describe("the live chart", () => {
  it("has no dot for a minute without payments, and one for a payment", async () => {
    const { world } = stand;
    const person = await Operator.arrive(stand.browser, world);
    await person.signIn("read");
    await person.settle();
    expect(await dots(person)).toBe(0);
    await world.pay(await world.invoice("dotted"));
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
    expect(person.complaints).toEqual([]);
    await person.leave();
  });

  it.each(["en-US@posix", "", "not a language", "sw-TZ"])(
    "is drawn where the browser's language is %j",
    async (language) => {
      const person = await Operator.arrive(stand.browser, stand.world, { language });
      await person.signIn("read");
      await person.page.locator(".minutes-plot canvas").waitFor();
      expect(person.complaints).toEqual([]);
      await person.leave();
    },
  );
});
