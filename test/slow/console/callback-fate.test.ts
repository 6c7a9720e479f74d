import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { STRANGER } from "./console-world.ts";
import type { Operator } from "./operator.ts";
import { standHere } from "./stand.ts";

const stand = standHere();
let person: Operator;
let asked: string;
const unasked = randomUUID();
beforeAll(async () => {
  const { world } = stand;
  asked = await world.invoice("genuine");
  await world.callback({ data: { id: asked } }, { "x-forwarded-for": STRANGER }, "/refused-1");
  await world.callback({ data: { id: unasked } }, { "x-forwarded-for": STRANGER }, "/refused-2");
  person = await stand.person("operate");
});

describe("a refused callback", () => {
  it("says which check failed, in each list", async () => {
    const { page } = person;
    for (const path of ["attention/refused", "callbacks"]) {
      await person.open(path);
      const row = page.getByRole("row").filter({ hasText: "refused-2" });
      await row.getByText(/its sender's address is not allowed/i).waitFor();
      expect(await row.getByText("being confirmed").count()).toBe(0);
      await person.keep(`refused-in-${path.replace("/", "-")}`);
    }
    expect(person.complaints).toEqual([]);
  });

  it("says when, and that nobody was asked; it is read again where it is looked at", async () => {
    const { page } = person;
    await page.getByRole("row").filter({ hasText: "refused-1" }).getByRole("link").click();
    await page.getByText("its sender's address is not allowed").waitFor();
    await page.getByText(/when it came, at \d+ \w+ \d{4}, \d\d:\d\d:\d\d/).waitFor();
    const ids = page.getByRole("region", { name: "Ids found in it" });
    await ids.getByText("not asked about").waitFor();
    expect(await page.getByText("being confirmed").count()).toBe(0);
    await person.keep("refused-callback");
    await person.press(page.getByRole("button", { name: "Read again" }));
    await person.confirm("Read again", "It was genuine.");
    await stand.world.until(
      "select count(*)::int as n from confirmation where invoice_id = $1",
      [asked],
      [{ n: 1 }],
    );
    expect(person.complaints).toEqual([]);
  });
});

it("a time that is filtered by is the same for whoever opens the address, in whichever zone", async () => {
  const { page } = person;
  await person.open("callbacks");
  await person.writeTime(page.getByLabel("Received from"), "2026-11-01T09:00");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/console/callbacks?from=2026-11-01T08%3A00%3A00.000Z");
  await page.keyboard.press("Escape");
  await using other = await stand.person("read", { timezoneId: "Asia/Kolkata" });
  await other.open(new URL(page.url()).pathname.replace("/console/", "") + new URL(page.url()).search);
  expect(await other.page.getByLabel("Received from").inputValue()).toBe("2026-11-01T13:30");
  await other.leave();
});
