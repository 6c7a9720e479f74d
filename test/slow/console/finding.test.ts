import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { Operator } from "./operator.ts";
import { standHere } from "./stand.ts";

const stand = standHere();
beforeAll(async () => {
  const { world } = stand;
  for (const reference of ["order-1", "order-2"]) await world.pay(await world.invoice(reference));
  await world.until("select count(*)::int as n from publication", [], [{ n: 2 }]);
});

const rowOf = ({ page }: Operator, text: string) => page.getByRole("row").filter({ hasText: text });

describe("a search", () => {
  it("stands in the address, which the relay never sees of it, and is there again after Back and a reload", async () => {
    await using person = await stand.person("read");
    const { page } = person;
    await person.visit("Payments");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.getByRole("searchbox").fill("order-2");
    await page.keyboard.press("Enter");
    await rowOf(person, "order-1").waitFor({ state: "detached" });
    await page.waitForURL("**/console/payments#search=order-2");
    await page.getByLabel("Verdict").selectOption("paid");
    await page.waitForURL("**/console/payments?verdict=paid#search=order-2");
    await page.reload();
    await rowOf(person, "order-2").getByRole("link").click();
    await page.getByRole("heading", { name: "Payment", exact: true }).waitFor();
    await page.goBack();
    await page.waitForURL("**/console/payments?verdict=paid#search=order-2");
    await page.locator("tr:has(:focus)").filter({ hasText: "order-2" }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("order-2");
    expect(await rowOf(person, "order-1").count()).toBe(0);
    expect(asked.filter((url) => new URL(url).search.includes("order-2"))).toEqual([]);
    // The way up is the way back.
    await rowOf(person, "order-2").getByRole("link").click();
    await page.getByRole("main").getByRole("link", { name: "Payments" }).click();
    await page.waitForURL("**/console/payments?verdict=paid#search=order-2");
  });
});

describe("back at a long list", () => {
  it("one stands at the row that one left by, on whichever of its pages", async () => {
    const { world } = stand;
    for (let n = 0; n < 70; n += 1) await world.callback("", { "x-forwarded-for": "127.0.0.1" });
    await using person = await stand.person("read");
    const { page } = person;
    await person.visit("Callbacks");
    await page.getByRole("button", { name: "Show more" }).click();
    const link = page.locator("tbody tr").nth(64).getByRole("link");
    const to = await link.getAttribute("href");
    await link.click();
    await page.getByRole("heading", { name: "Callback", exact: true }).waitFor();
    await page.goBack();
    await page.locator(`a[href="${to}"]:focus`).waitFor();
    expect(await page.locator(`a[href="${to}"]`).isVisible()).toBe(true);
  });
});

describe("what is taken away", () => {
  const fileOf = async (person: Operator, press: () => Promise<void>) => {
    const coming = person.page.waitForEvent("download");
    await press();
    const download = await coming;
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };

  it("is a payment's evidence, and a report of a period", async () => {
    await using person = await stand.person("operate");
    const { page } = person;
    await person.open("payments");
    await rowOf(person, "order-2")
      .getByText(/^NGN \d/)
      .waitFor();
    await rowOf(person, "order-2").getByRole("link").click();
    await page
      .locator(".amount")
      .getByText(/^NGN \d/)
      .waitFor();
    const zip = await fileOf(person, () => person.press(page.getByRole("link", { name: "Evidence" })));
    expect(zip.name).toMatch(/^evidence-.*\.zip$/);
    expect(zip.bytes.subarray(0, 2).toString()).toBe("PK");
    await person.visit("Completeness");
    // It was paid a while ago: the day may have changed.
    const [first, last] = [1, 0].map((days) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
    );
    const form = page.getByRole("region", { name: "Reports for finance" });
    await person.writeTime(form.getByLabel("Last day"), last ?? "");
    await person.writeTime(form.getByLabel("First day"), first ?? "");
    const report = await fileOf(person, () => person.press(page.getByRole("link", { name: "CSV" })));
    expect(report.name).toBe(`payments-${first}-${last}.csv`);
    expect(report.bytes.toString()).toContain("order-2");
  });
});

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
