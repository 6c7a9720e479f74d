import { describe, expect, it } from "vitest";
import type { Operator } from "./operator.ts";
import { standHere } from "./stand.ts";

const stand = standHere();

/** How many steps have a dot, which says that payments were confirmed in it. */
const dots = ({ page }: Operator) => page.locator(".chart circle").count();

describe("the live chart", () => {
  it("has no dot for a minute without payments, and one for a payment", async () => {
    const { world } = stand;
    await using person = await stand.person("read");
    await person.settle();
    expect(await dots(person)).toBe(0);
    await world.pay(await world.invoice("dotted"));
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
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
    await using person = await stand.person("read");
    const { page } = person;
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
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
    const box = await page.locator(".chart svg").boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 3, (box?.y ?? 0) + 40);
    await page.waitForURL("**/console/payments?confirmedFrom=*");
    await page.getByRole("row").filter({ hasText: "ranged" }).waitFor();
  });

  it.each(["en-US@posix", "", "not a language", "sw-TZ"])(
    "is drawn where the browser's language is %j",
    async (language) => {
      await using person = await stand.person("read", { language });
      await person.page.locator(".chart text").first().waitFor();
    },
  );
});
