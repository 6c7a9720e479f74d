import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { launchChromium } from "../sandbox/provider/chromium.ts";
import { PATIENCE_MS } from "../support/patience-ms.ts";
import { ownRelay, TOKEN } from "../support/relay.ts";
import { invoiceAnswer, unpaidAnswer } from "../support/scripted-provider.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** A page in a context of its own, that complains of whatever the browser reports. */
async function open(options: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}

async function payable() {
  const { around, relay } = await ownRelay();
  const id = randomUUID();
  around.provider.invoice(id, unpaidAnswer(id));
  const pay = async () => {
    around.provider.invoice(id, invoiceAnswer(id));
    await relay.callback({ data: { id } });
  };
  const url = `${relay.url}/callbacks/${TOKEN}/order-17?invoiceId=${id}&status=Paid`;
  return { around, relay, url, pay };
}

/** Kept for a person to look at when the variable names a folder. */
async function keep(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

describe("the payer's page in a browser", () => {
  it.each([
    ["390", { viewport: { width: 390, height: 844 }, colorScheme: "light" as const }],
    ["1280", { viewport: { width: 1280, height: 800 }, colorScheme: "light" as const }],
    ["390-dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" as const }],
  ])("follows the payment without a reload, within its own policy (%s)", async (name, options) => {
    const { around, url, pay } = await payable();
    const { page, complaints } = await open(options);
    await page.goto(url);
    await page.getByRole("heading", { name: "Confirming your payment" }).waitFor();
    await keep(page, `${name}-confirming`);
    await page.evaluate("window.notReloaded = true");
    await pay();
    await page.getByRole("heading", { name: "Payment confirmed" }).waitFor();
    await keep(page, `${name}-confirmed`);
    expect(await page.evaluate("window.notReloaded")).toBe(true);
    expect(await page.title()).toBe("Payment confirmed");
    expect(complaints).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
    // The token has left the address bar, and a reload sends no second callback.
    expect(page.url()).toMatch(/\/payment-pages\/[0-9a-f-]{36}\.[\w-]{22}$/);
    await page.reload();
    await page.getByRole("heading", { name: "Payment confirmed" }).waitFor();
    expect(await around.query("select from callback where method = 'GET'")).toHaveLength(1);
    await page.context().close();
  });

  it("comes to rest for someone who cancelled, and still tells a payment that is confirmed later", async () => {
    const { url, pay } = await payable();
    const { page, complaints } = await open({ viewport: { width: 390, height: 844 } });
    await page.clock.install();
    await page.goto(url);
    await page.getByRole("heading", { name: "Confirming your payment" }).waitFor();
    const rest = page.getByRole("heading", { name: "No payment has been confirmed yet" });
    for (let waited = 0; waited < 80 && !(await rest.isVisible()); waited += 1)
      await page.clock.runFor(1_000);
    await rest.waitFor();
    await keep(page, "390-unsettled");
    expect(await page.locator(".busy").isVisible()).toBe(false);
    expect(await page.title()).toBe("No payment has been confirmed yet");
    await pay();
    const confirmed = page.getByRole("heading", { name: "Payment confirmed" });
    await vi.waitFor(async () => {
      await page.clock.runFor(10_000);
      expect(await confirmed.isVisible()).toBe(true);
    });
    expect(await rest.isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("works without JavaScript: it looks again by itself, and by a link", async () => {
    const { url, pay } = await payable();
    const { page } = await open({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await page.goto(url);
    await page.getByRole("heading", { name: "Confirming your payment" }).waitFor();
    await keep(page, "no-script");
    await pay();
    await page.getByRole("heading", { name: "Payment confirmed" }).waitFor();
    expect(page.url()).toMatch(/\/payment-pages\//);
    await page.context().close();
  });

  it("says what to do when nothing can be followed", async () => {
    const { relay } = await payable();
    const { page, complaints } = await open({ viewport: { width: 390, height: 844 } });
    await page.goto(`${relay.url}/callbacks/${TOKEN}`);
    await page.getByRole("heading", { name: "Your payment is being confirmed" }).waitFor();
    await keep(page, "390-received");
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
