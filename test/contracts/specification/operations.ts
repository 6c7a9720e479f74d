import { expect } from "vitest";
import { CollectionClient } from "../../../src/collection-api/index.ts";
import { startStubProvider } from "../../collection-api/stub-provider.ts";
import { NOBODY, type Reply } from "../../sandbox/provider/service-fixture.ts";
import { REQUEST, type SpecifiedEnvironment } from "./environment.ts";
import { type Checks, text } from "./rules.ts";

const OPERATIONS = [
  ["Get Collection by ID", "getCollection", 200],
  ["Get Collection Invoices", "listInvoices", 200],
  ["Create Invoice", "createInvoice", 200],
  ["Get Invoice by ID", "getInvoice", 200],
  ["Invalidate Invoice", "invalidateInvoice", 200],
  ["Add Linked Account", "addLinkedAccount", 201],
  ["Get Banks", "getBanks", 200],
] as const;
type Row = (typeof OPERATIONS)[number];

/** A check for each operation, of its answer. */
const each = (
  sentence: (title: string) => string,
  check: (answer: Reply, row: Row, environment: SpecifiedEnvironment) => unknown,
): Checks =>
  OPERATIONS.map((row) => [
    sentence(row[0]),
    (environment) => check(environment.answers[row[1]], row, environment),
  ]);

const isInteger = (title: string) => /Create|Get Invoice/.test(title);
const hasNoData = (title: string) => /Invalidate|Linked/.test(title);

export const envelope: Checks = [
  ...each(
    (title) => `Envelope: status is ${isInteger(title) ? "integer 200" : "string success"} on ${title}`,
    ({ body }, [title]) => expect(body.status).toBe(isInteger(title) ? 200 : "success"),
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
  ...each(
    (title) => `Envelope: message is a string on ${title}`,
    ({ body }) => text(body.message),
  ),
  ...each(
    (title) => `Envelope: data is ${hasNoData(title) ? "absent" : "present"} on ${title}`,
    ({ body }, [title]) => expect("data" in body).toBe(!hasNoData(title)),
  ),
];

export const operations: Checks = [
  ...OPERATIONS.map(
    ([title, name, status]) =>
      [
        `${title}: success is ${status}`,
        (environment: SpecifiedEnvironment) => expect(environment.answers[name].status).toBe(status),
      ] as const,
  ),
  ...each(
    (title) => `${title}: answers a JSON body`,
    ({ headers }) => expect(headers.get("content-type")).toMatch(/^application\/json/),
  ),
  ...each(
    (title) => `${title}: takes the key in the header x-api-key, and nothing without it`,
    async (_, [, name], environment) => expect((await environment.withoutKey(name)).status).toBe(401),
  ),
];
