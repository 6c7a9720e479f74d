import { afterAll, describe, expect, it } from "vitest";
import { expectGolden } from "../../support/golden.ts";
import { call, NOBODY, startReceiver, startTestService } from "./service-fixture.ts";

const [service, receiver] = [await startTestService(), await startReceiver()];
afterAll(() => Promise.all([service.close(), receiver.close()]));

describe("the payer's page", () => {
  const FORM = { "content-type": "application/x-www-form-urlencoded" };
  const open = (id: string) => call(`${service.url}/pay/${id}`, "GET");

  it("shows what is to be paid, is paid without JavaScript, and the callback arrives", async () => {
    // As text, never as markup.
    const title = `</h1><script>document.title='owned'</script>&amp;"'`;
    const id = await service.create({ callBackUrl: `${receiver.url}/order-17`, title });
    const { text } = await open(id);
    expect(text).not.toContain("<script");
    const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
    const posted = await fetch(new URL(action, service.url), {
      method: "POST",
      body: new URLSearchParams({ method: "BankTransfer" }),
    });
    expect(posted.url).toBe(`${service.url}/pay/${id}`);
    await posted.text();
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({ status: "Paid", paymentMethod: "BankTransfer" });
    await expect.poll(() => receiver.received.length).toBe(1);
  });

  it("offers a way to pay only what can be paid, and says of the others why", async () => {
    const [payable, paid, expired, invalid] = await Promise.all(
      Array.from({ length: 4 }, () => service.create()),
    );
    await service.control("POST", `/invoices/${paid}/pay`);
    await service.control("POST", `/invoices/${expired}/expire`);
    await service.api("POST", `/api/v1/invoices/${invalid}/invalidate`);
    const pages: string[] = [];
    for (const id of [payable, paid, expired, invalid, "not-an-id", "%00", NOBODY]) {
      const { status, text } = await open(`${id}`);
      expect(status).toBe(id?.length === 36 && id !== NOBODY ? 200 : 404);
      expect(text.includes("<form")).toBe(id === payable);
      pages.push(text.replaceAll(/\s*<[^>]*>\s*/g, "\n").replaceAll(/\n+/g, "\n"));
    }
    const said = pages.toSpliced(-3, 2).join("");
    await expectGolden("pay-pages", said.replaceAll(/\d+ \w+ \d{4} at \d\d:\d\d UTC/g, "<time>"));
  });

  it("takes no payment without a way to pay that is offered, nor one that another site posts", async () => {
    const id = await service.create();
    const post = (fields: string, headers: Record<string, string> = {}) =>
      call(`${service.url}/pay/${id}`, "POST", fields, { ...FORM, ...headers });
    for (const fields of ["", "method=__proto__"]) expect((await post(fields)).status).toBe(400);
    expect((await post("method=Card", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data.status).toBe("Unpaid");
  });
});
