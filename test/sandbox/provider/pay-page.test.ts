import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  beforeAll(async () => {
    [service, receiver] = await Promise.all([startTestService(), startReceiver()]);
  });
  afterAll(async () => {
    await service?.close();
    await receiver?.close();
  });

  const FORM = { "content-type": "application/x-www-form-urlencoded" };
  const open = (id: string) => call(`${service.url}/pay/${id}`, "GET");

  it("shows what is to be paid, is paid without JavaScript, and the callback arrives", async () => {
    const id = await service.create({ callBackUrl: `${receiver.url}/order-17` });
    const { text } = await open(id);
    for (const part of [id, "Second term", "Adaeze &amp; Sons Ltd", "1,500.50", "22.51", "1.69", "1,524.70"])
      expect(text).toContain(part);
    expect(text).toContain(`/order-17?invoiceId=${id}&amp;status=Unpaid`);
    const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
    const posted = await fetch(new URL(action, service.url), {
      method: "POST",
      body: new URLSearchParams({ method: "BankTransfer" }),
    });
    const paid = await posted.text();
    expect(posted.url).toBe(`${service.url}/pay/${id}`);
    expect(paid).toContain("Paid, thank you");
    expect(paid).not.toContain("<form");
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({ status: "Paid", paymentMethod: "BankTransfer" });
    await expect.poll(() => receiver.received.length).toBe(1);
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
      const { text } = await open(id);
      expect(text).toContain(said);
      expect(text).not.toContain("<form");
    }
  });

  it("shows what the merchant wrote as text, never as markup", async () => {
    const title = `</h1><script>document.title='owned'</script><img src=x onerror="document.title='owned'">&amp;"'`;
    const id = await service.create({ title, payerName: "<b>x</b>" });
    const { text, headers } = await call(`${service.url}/pay/${id}`, "GET");
    expect(text).not.toMatch(/<script|<img|<b>/);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
  });

  it("takes no payment without a way to pay that is offered, nor one that another site posts", async () => {
    const id = await service.create();
    const post = (fields: string, headers: Record<string, string> = {}) =>
      call(`${service.url}/pay/${id}`, "POST", fields, { ...FORM, ...headers });
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

  it.each([NOBODY, "not-an-id", "%00"])("answers 404 for '%s'", async (id) => {
    const { status, text } = await call(`${service.url}/pay/${id}`, "GET");
    expect(status).toBe(404);
    expect(text).toContain("This invoice does not exist");
  });
});
