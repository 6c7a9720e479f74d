import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createInvoiceSafely } from "../../examples/create-invoice-safely.ts";
import { CollectionClient } from "../../src/collection-api/index.ts";
import {
  LIVE_KEY,
  OPEN_AMOUNT,
  startTestService,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { startStubProvider } from "./stub-provider.ts";

const CALLBACKS = "https://relay.example.com/callbacks/token";
const REQUEST = {
  collectionId: OPEN_AMOUNT,
  title: "School fees",
  payerName: "Ada Obi",
  payerEmail: "ada@example.com",
  amount: "1500.50",
};

describe("the recipe for a Create whose answer was lost", () => {
  let service: TestService;
  let client: CollectionClient;
  beforeAll(async () => {
    service = await startTestService();
    client = new CollectionClient({
      baseUrl: service.url,
      apiKey: LIVE_KEY,
      callbackUrl: CALLBACKS,
      timeoutMs: 1_000,
    });
    // Others of the same title and payer: only the reference tells them apart.
    for (const reference of ["order-1", "order-2"]) await client.createInvoice(REQUEST, { reference });
  });
  afterEach(() => service.control("DELETE", "/faults"));
  afterAll(async () => {
    await client.close();
    await service.close();
  });

  const madeFor = async (reference: string) => {
    const urls: (string | null)[] = [];
    for await (const { id } of client.iterateInvoices(OPEN_AMOUNT))
      urls.push((await client.getInvoice(id)).invoice.callBackUrl);
    return urls.filter((url) => url === `${CALLBACKS}/${encodeURIComponent(reference)}`).length;
  };
  const lose = (fault: Record<string, unknown>) =>
    service.control("PUT", "/faults", { api: [{ operations: ["createInvoice"], ...fault }] });

  it.each([
    ["the connection broke afterwards", { answer: "hang-up", afterWork: true, times: 1 }],
    ["the connection broke before", { answer: "hang-up", times: 1 }],
    ["it failed afterwards", { answer: "500", afterWork: true, times: 1 }],
    ["it failed before, twice", { answer: "500", times: 2 }],
    ["a gateway answered for it", { answer: "html-502", afterWork: true, times: 1 }],
    ["the answer came too late", { delayMs: 1_500, times: 1 }],
    ["nothing went wrong", { delayMs: 0 }],
  ])("makes exactly one invoice: %s", async (what, fault) => {
    await lose(fault);
    // Longer than the answer that comes too late.
    const settleMs = "delayMs" in fault ? 1_000 : 0;
    const invoice = await createInvoiceSafely(client, REQUEST, what, { settleMs });
    expect(invoice.callBackUrl).toBe(`${CALLBACKS}/${encodeURIComponent(what)}`);
    expect(await madeFor(what)).toBe(1);
  });

  it("gives up, with the error, where it is lost again and again and never made", async () => {
    await lose({ answer: "500" });
    const creating = createInvoiceSafely(client, REQUEST, "never", { settleMs: 0, repeats: 1 });
    await expect(creating).rejects.toMatchObject({ kind: "server_fault", outcomeUnknown: true });
    expect(await madeFor("never")).toBe(0);
  });

  it("passes a refusal on without looking", async () => {
    const refused = createInvoiceSafely(client, { ...REQUEST, amount: "0" }, "refused");
    await expect(refused).rejects.toMatchObject({ kind: "invalid", outcomeUnknown: false });
  });

  it.each([
    [1, "found by its title"],
    [2, "a person has to look"],
  ])("where the provider shows no callBackUrl and %i bear the title: %s", async (count, outcome) => {
    const ids = Array.from({ length: count }, (_, nth) => `0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e1${nth}`);
    const dateCreated = new Date().toISOString();
    const invoice = (id: string) => ({ ...REQUEST, id, status: "Unpaid", amount: 1500.5, dateCreated });
    await using provider = await startStubProvider(({ method, url }) => {
      if (method === "POST") return { status: 500, body: {} };
      const id = ids.find((one) => url.endsWith(one));
      if (id !== undefined) return { body: { status: 200, data: invoice(id) } };
      return { body: { status: "success", data: { items: ids.map(invoice), hasNextPage: false } } };
    });
    const silent = new CollectionClient({ baseUrl: provider.url, apiKey: "key", callbackUrl: CALLBACKS });
    const creating = createInvoiceSafely(silent, REQUEST, "order-9", { settleMs: 0 });
    if (count === 1) expect((await creating).id).toBe(ids[0]);
    else await expect(creating).rejects.toThrow(outcome);
    await silent.close();
  });
});
