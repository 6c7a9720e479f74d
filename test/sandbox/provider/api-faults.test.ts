import { afterAll, afterEach, describe, expect, it } from "vitest";
import { INVOICE, OPEN_AMOUNT, startTestService } from "./service-fixture.ts";

const service = await startTestService();
afterAll(service.close);
const id = await service.create();

describe("faults of the API on request", () => {
  afterEach(() => service.control("PUT", "/faults", {}));

  const strike = async (...api: Record<string, unknown>[]) => {
    const reply = await service.control("PUT", "/faults", { api });
    expect(reply.status, reply.text).toBe(200);
  };
  const read = (invoiceId = id) => service.api("GET", `/api/v1/invoices/${invoiceId}`);
  const total = async () =>
    (await service.api("GET", `/api/v1/collections/${OPEN_AMOUNT}/invoices`)).body.data.totalCount;

  it.each([500, 401, 403, 404, 429])("answers %s, in the form of an error", async (status) => {
    await strike({ answer: `${status}` });
    const reply = await read();
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([status, status === 429 ? "1" : null]);
    expect(reply.body).toMatchObject({ status, message: expect.any(String), errors: expect.any(Array) });
  });

  it("answers with broken JSON, about another invoice, or not at all", async () => {
    await strike(...["broken-json", "wrong-id", "hang-up"].map((answer) => ({ answer, times: 1 })));
    const [broken, other] = [await read(), await read()];
    expect([broken.status, other.status]).toEqual([200, 200]);
    expect(() => JSON.parse(broken.text)).toThrow(SyntaxError);
    expect(other.body.data.id).toMatch(/^9{8}-/);
    await expect(read()).rejects.toThrow();
  });

  it("answers slowly, and whoever asked later is not held up", async () => {
    const other = await service.create();
    await strike(
      { ids: [other], answer: "normal", delayMs: 86_400_000 },
      { ids: [id], answer: "normal", delayMs: 50 },
    );
    const slow = read(other).catch(() => undefined);
    const first = await Promise.race([slow, read()]);
    expect(first?.body.data.id).toBe(id);
  });

  it("strikes only the operations and the ids that it names, whatever their case, and only so many times", async () => {
    const other = await service.create();
    await strike({ operations: ["getInvoice"], ids: [id.toUpperCase()], answer: "500", times: 2 });
    expect((await service.api("GET", "/api/v1/banks")).status).toBe(200);
    const statuses = [await read(), await read(other), await read(), await read()].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([500, 200, 500, 200]);
  });

  it("strikes before the work, or after it: then the invoice is there although the answer is lost", async () => {
    const before = await total();
    await strike({ operations: ["createInvoice"], answer: "500" });
    expect((await service.api("POST", "/api/v1/invoices", INVOICE)).status).toBe(500);
    expect(await total()).toBe(before);
    await strike({ operations: ["createInvoice"], answer: "500", afterWork: true });
    expect((await service.api("POST", "/api/v1/invoices", INVOICE)).status).toBe(500);
    expect(await total()).toBe(before + 1);
  });
});
