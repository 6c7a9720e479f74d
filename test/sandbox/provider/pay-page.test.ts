import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "./chromium.ts";
import {
  call,
  NOBODY,
  type Receiver,
  startReceiver,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

describe("the payer's page", () => {
  let service: TestService;
  let receiver: Receiver;
  let browser: Browser;
  beforeAll(async () => {
    [service, receiver, browser] = await Promise.all([startTestService(), startReceiver(), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await receiver?.close();
  });

  /** A browser as a payer has it, but without JavaScript. */
  const open = async (id: string): Promise<Page> => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${service.url}/pay/${id}`);
    return page;
  };
  it("is paid by card in a real browser, and the callback arrives", async () => {
    const id = await service.create({ callBackUrl: receiver.url });
    const before = receiver.received.length;
    const page = await open(id);
    const text = await page.locator("main").textContent();
    for (const part of [
      "Second term",
      "Adaeze & Sons Ltd",
      "NGN\u00A01,500.50",
      "NGN\u00A022.51",
      "NGN\u00A01.69",
      "NGN\u00A01,524.70",
    ])
      expect(text).toContain(part);

    await page.getByRole("radio", { name: "Card" }).check();
    await page.getByRole("button", { name: "Pay NGN\u00A01,524.70" }).click();
    await page.getByRole("status").waitFor();
    expect(await page.getByRole("status").textContent()).toContain("Paid, thank you");
    expect(await page.getByRole("button").count()).toBe(0);

    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({ status: "Paid", paymentMethod: "Card" });
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    await page.context().close();
  });

  it("names its reference, and leads back to the merchant, paid or cancelled", async () => {
    const id = await service.create({ callBackUrl: `${receiver.url}/order-17` });
    for (const [status, words] of [
      ["Unpaid", "Cancel and go back to Adaeze & Sons Ltd"],
      ["Paid", "Go back to Adaeze & Sons Ltd"],
    ] as const) {
      const page = await open(id);
      expect(await page.locator("main").textContent()).toContain(id);
      if (status === "Paid") await page.getByRole("button").click();
      await page.getByRole("link", { name: words, exact: true }).click();
      const opened = receiver.received.filter(({ method }) => method === "GET").at(-1);
      expect(opened?.url).toBe(
        `${new URL(receiver.url).pathname.replace(/\/$/, "")}/order-17?invoiceId=${id}&status=${status}`,
      );
      await page.context().close();
    }
    const nowhere = await open(await service.create());
    expect(await nowhere.getByRole("link").count()).toBe(0);
    await nowhere.context().close();
  });

  it("is paid with the keyboard alone", async () => {
    const id = await service.create();
    const page = await open(id);
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("status").waitFor();
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({ status: "Paid", paymentMethod: "BankTransfer" });
    await page.context().close();
  });

  it("fits a phone: nothing is wider than the screen, even with words that never end", async () => {
    const id = await service.create({
      title: "W".repeat(200),
      payerName: "م".repeat(200),
      amount: "9999999999999999.99",
    });
    const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
    const page = await context.newPage();
    await page.goto(`${service.url}/pay/${id}`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await context.close();
  });

  it("says that it has expired, and that it is no longer valid, and offers no way to pay", async () => {
    const expired = await service.create();
    await service.control("POST", `/invoices/${expired}/expire`);
    const invalid = await service.create();
    await service.api("POST", `/api/v1/invoices/${invalid}/invalidate`);
    for (const [id, said] of [
      [expired, "This invoice has expired"],
      [invalid, "This invoice is no longer valid"],
    ] as const) {
      const page = await open(id);
      expect(await page.getByRole("status").textContent()).toContain(said);
      expect(await page.locator("form").count()).toBe(0);
      await page.context().close();
    }
  });

  it("shows what the merchant wrote as text, never as markup", async () => {
    const title = `</h1><script>document.title='owned'</script><img src=x onerror="document.title='owned'">&amp;"'`;
    const id = await service.create({ title, payerName: "<b>x</b>" });
    const { text, headers } = await call(`${service.url}/pay/${id}`, "GET");
    expect(text).not.toMatch(/<script|<img|<b>/);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    const page = await open(id);
    expect(await page.getByRole("heading").textContent()).toBe(title);
    await page.context().close();
  });

  it("takes no payment without a way to pay that is offered, nor one that another site posts", async () => {
    const id = await service.create();
    const post = (fields: string, headers: Record<string, string> = {}) =>
      call(`${service.url}/pay/${id}`, "POST", fields, {
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      });
    for (const fields of [
      "",
      "method=",
      "method=USSD",
      "method=__proto__",
      "method[]=Card",
      "method=Card&method=Card",
    ]) {
      const { status, text } = await post(fields);
      expect([fields, status]).toEqual([fields, 400]);
      expect(text).toContain("Please choose how you would like to pay");
    }
    expect((await post("method=Card", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data.status).toBe("Unpaid");
  });

  it("answers a form that cannot be read with a page, not with the API's JSON", async () => {
    const { status, text } = await call(
      `${service.url}/pay/${await service.create()}`,
      "POST",
      `method=${"x".repeat(5_000)}`,
      { "content-type": "application/x-www-form-urlencoded" },
    );
    expect(status).toBe(413);
    expect(text).toContain("<h1>That did not work</h1>");
  });

  it.each([NOBODY, "not-an-id", "%00", "%ff", "", "a/b", "..%2F..%2Fetc%2Fpasswd"])(
    "answers 404 for '%s'",
    async (id) => {
      const { status, text } = await call(`${service.url}/pay/${id}`, "GET");
      expect(status).toBe(404);
      expect(text).toContain("This invoice does not exist");
    },
  );
});
