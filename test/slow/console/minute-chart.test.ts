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

  it("goes back a day and a week, in the address too, and opens to its step's payments by mouse and keyboard", async () => {
    const { world } = stand;
    const [ranged, before] = [await world.invoice("ranged"), await world.invoice("of-before")];
    for (const id of [before, ranged]) await world.pay(id);
    await world.until(
      "select count(*)::int as n from invoice where id = any($1)",
      [[ranged, before]],
      [{ n: 2 }],
    );
    await world.query(
      "update invoice set confirmed_at = confirmed_at - interval '20 minutes' where id = $1",
      [before],
    );
    const person = await Operator.arrive(stand.browser, world);
    const { page } = person;
    await person.signIn("read");
    await person.settle();
    await person.press(page.getByRole("button", { name: "7 d" }));
    await page.getByRole("heading", { name: "Every two hours" }).waitFor();
    await page.getByText("in the last 7 days").waitFor();
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
    await person.keep("chart-7d");
    await page.reload();
    await page.getByRole("heading", { name: "Every two hours" }).waitFor();
    await person.press(page.getByRole("button", { name: "24 h" }));
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
    await person.keep("chart-24h");
    await page.getByRole("button", { name: /^In the last 24 hours/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText(/^\d+ \w+, \d\d:\d\d to \d\d:\d\d$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/payments?confirmedFrom=*");
    await page.getByRole("row").filter({ hasText: "ranged" }).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "of-before" }).count()).toBe(0);
    const step = new URL(page.url()).searchParams;
    const ms = Date.parse(step.get("confirmedTo") ?? "") - Date.parse(step.get("confirmedFrom") ?? "");
    expect(ms).toBe(15 * 60_000);
    await page.goBack();
    await page.getByRole("heading", { name: "Each quarter of an hour" }).waitFor();
    await page.locator(".minutes-plot canvas").waitFor();
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
    const box = await page.locator(".minutes-plot .u-over").boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 3, (box?.y ?? 0) + 40);
    await page.waitForURL("**/console/payments?confirmedFrom=*");
    await page.getByRole("row").filter({ hasText: "ranged" }).waitFor();
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
