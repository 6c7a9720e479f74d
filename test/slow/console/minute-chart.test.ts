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

  it("opens to the payments of a minute, by keyboard and by mouse", async () => {
    const { world } = stand;
    await world.pay(await world.invoice("charted"));
    await using person = await stand.person("read");
    const { page } = person;
    await person.settle();
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
    await page.getByRole("button", { name: /^In the last hour/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText(/^at \d\d:\d\d$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/payments?confirmedFrom=*");
    const minute = new URL(page.url()).searchParams;
    const ms = Date.parse(minute.get("confirmedTo") ?? "") - Date.parse(minute.get("confirmedFrom") ?? "");
    expect(ms).toBe(60_000);
    await page.goBack();
    await expect.poll(() => dots(person)).toBeGreaterThan(0);
    const box = await page.locator(".chart circle").last().boundingBox();
    await page.mouse.click(box?.x ?? 0, box?.y ?? 0);
    await page.waitForURL("**/console/payments?confirmedFrom=*");
    await page.getByRole("row").filter({ hasText: "charted" }).waitFor();
  });

  it.each(["en-US@posix", "", "not a language", "sw-TZ"])(
    "is drawn where the browser's language is %j",
    async (language) => {
      await using person = await stand.person("read", { language });
      await person.page.locator(".chart text").first().waitFor();
    },
  );
});
