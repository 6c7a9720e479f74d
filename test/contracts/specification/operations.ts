import { expect } from "vitest";
import { CollectionClient } from "../../../src/collection-api/index.ts";
import { startStubProvider } from "../../collection-api/stub-provider.ts";
import { NOBODY, type Reply } from "../../sandbox/provider/service-fixture.ts";
import { type Checks, text } from "./rules.ts";
import { REQUEST, type SpecifiedWorld } from "./world.ts";

const OPERATIONS = [
  ["Get Collection by ID", "getCollection", 200],
  ["Get Collection Invoices", "listInvoices", 200],
  ["Create Invoice", "createInvoice", 200],
  ["Get Invoice by ID", "getInvoice", 200],
  ["Invalidate Invoice", "invalidateInvoice", 200],
  ["Add Linked Account", "addLinkedAccount", 201],
  ["Get Banks", "getBanks", 200],
] as const;
const answer = (world: SpecifiedWorld, name: (typeof OPERATIONS)[number][1]): Reply => world.answers[name];

export const envelope: Checks = [
  ...OPERATIONS.map(
    ([title, name]) =>
      [
        `Envelope: status is ${/Create|Get Invoice/.test(title) ? "integer 200" : "string success"} on ${title}`,
        (world: SpecifiedWorld) =>
          expect(answer(world, name).body.status).toBe(/Create|Get Invoice/.test(title) ? 200 : "success"),
      ] as const,
  ),
  ...["success", 200, "200"].map(
    (status) =>
      [
        `Envelope: a client accepts the form ${JSON.stringify(status)} everywhere`,
        async () => {
          const data = { id: NOBODY, items: [], status: "Unpaid", amount: 1 };
          await using provider = await startStubProvider(({ url: asked }) => ({
            body: { status, message: "ok", data: asked.endsWith("banks") ? [] : data },
          }));
          const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key" });
          await client.getCollection(NOBODY);
          await client.listInvoices(NOBODY);
          await client.createInvoice({ ...REQUEST, amount: "1.00" });
          await client.getInvoice(NOBODY);
          await client.invalidateInvoice(NOBODY);
          await client.addLinkedAccount({ linkedAccount: { bankId: 1, accountNumber: "0123456789" } });
          await client.getBanks();
          await client.close();
        },
      ] as const,
  ),
  ...OPERATIONS.map(
    ([title, name]) =>
      [
        `Envelope: message is a string on ${title}`,
        (world: SpecifiedWorld) => text(answer(world, name).body.message),
      ] as const,
  ),
  ...OPERATIONS.map(([title, name]) => {
    const absent = /Invalidate|Linked/.test(title);
    return [
      `Envelope: data is ${absent ? "absent" : "present"} on ${title}`,
      (world: SpecifiedWorld) => expect("data" in answer(world, name).body).toBe(!absent),
    ] as const;
  }),
];

export const operations: Checks = [
  ...OPERATIONS.map(
    ([title, name, status]) =>
      [
        `${title}: success is ${status}`,
        (world: SpecifiedWorld) => expect(answer(world, name).status).toBe(status),
      ] as const,
  ),
  ...OPERATIONS.map(
    ([title, name]) =>
      [
        `${title}: answers a JSON body`,
        (world: SpecifiedWorld) =>
          expect(answer(world, name).headers.get("content-type")).toMatch(/^application\/json/),
      ] as const,
  ),
  ...OPERATIONS.map(
    ([title, name]) =>
      [
        `${title}: takes the key in the header x-api-key, and nothing without it`,
        async (world: SpecifiedWorld) => expect((await world.withoutKey(name)).status).toBe(401),
      ] as const,
  ),
];
