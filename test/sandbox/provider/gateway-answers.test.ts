import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { OPEN_AMOUNT, startTestService, type TestService } from "./service-fixture.ts";

describe("what stands in front of a provider, on request while the service runs", () => {
  let service: TestService;
  let id: string;
  beforeAll(async () => {
    service = await startTestService();
    id = await service.create();
  });
  afterEach(() => service.control("DELETE", "/faults"));
  afterAll(() => service.close());

  const force = async (faults: Record<string, unknown>) => {
    const reply = await service.control("PUT", "/faults", faults);
    expect(reply.status, reply.text).toBe(200);
  };
  const read = (invoiceId = id) => service.api("GET", `/api/v1/invoices/${invoiceId}`);

  it.each([
    ["bare-404", 404, null, ""],
    ["html-404", 404, "text/html; charset=utf-8", "<h1>404 Not Found</h1>"],
    ["json-404", 404, "application/json", "no Route matched"],
    ["html-403", 403, "text/html; charset=utf-8", "Request blocked"],
    ["html-200", 200, "text/html; charset=utf-8", "We will be back soon"],
    ["html-502", 502, "text/html; charset=utf-8", "502 Bad Gateway"],
    ["html-503", 503, "text/html; charset=utf-8", "503 Service Unavailable"],
    ["empty-200", 200, null, ""],
    ["no-content", 204, null, ""],
  ])("%s: none of the provider's envelope", async (answer, status, type, text) => {
    await force({ api: [{ answer }] });
    const reply = await read();
    expect([reply.status, reply.headers.get("content-type")]).toEqual([status, type]);
    expect(reply.text).toContain(text);
    expect(reply.body?.status).toBeUndefined();
  });

  it("redirect: to a page where a person signs in", async () => {
    await force({ api: [{ answer: "redirect" }] });
    const reply = await fetch(`${service.url}/api/v1/invoices/${id}`, { redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/login"]);
  });

  it("no-content after the work: the invoice is invalid all the same", async () => {
    const other = await service.create();
    await force({ api: [{ operations: ["invalidateInvoice"], answer: "no-content", afterWork: true }] });
    expect((await service.api("POST", `/api/v1/invoices/${other}/invalidate`)).status).toBe(204);
    expect((await read(other)).body.data.status).toBe("Invalidated");
  });

  it("403 for one invoice only, whatever the letters' case", async () => {
    const other = await service.create();
    await force({ api: [{ answer: "403", ids: [id.toUpperCase()] }] });
    expect((await read(id.toUpperCase())).status).toBe(403);
    expect((await read(other)).status).toBe(200);
    expect((await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}`)).status).toBe(200);
  });

  it("wrong-id: the answer is about another invoice", async () => {
    await force({ api: [{ answer: "wrong-id" }] });
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(body.data.id).not.toBe(id);
  });

  it.each([
    ["envelope", "There is nothing at this address"],
    ["bare-404", ""],
    ["html-404", "<html>"],
    ["json-404", "no Route matched"],
  ])("a wrong base URL is answered %s", async (unknownPath, text) => {
    await force({ http: { unknownPath } });
    for (const base of ["/api/v1", "/v1", "/api/v1/collection"]) {
      const reply = await service.api("GET", `${base}/api/v1/invoices/${id}`);
      expect([reply.status, reply.text.includes(text)]).toEqual([404, true]);
    }
  });
});
