import { readdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiDocument } from "../../../src/sandbox/provider/open-api-document.ts";
import { INVOICE, NOBODY, OPEN_AMOUNT, startTestService, type TestService } from "./service-fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document as any reader has it
const document = openApiDocument() as any;
const schemas: Record<string, unknown> = document.components.schemas;

function validator() {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, "openapi");
  return ajv;
}

/** What the answer of an operation is held against, by its status. */
const answerOf = (method: string, path: string, status: number) => {
  const escaped = path
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replaceAll("{", "%7B")
    .replaceAll("}", "%7D");
  const responses = document.paths[path][method].responses;
  return responses[status].$ref === undefined
    ? `openapi#/paths/${escaped}/${method}/responses/${status}/content/application~1json/schema`
    : `openapi#/components/responses/Error${status}/content/application~1json/schema`;
};

const problems = (ref: string, value: unknown) => {
  const check = validator().compile({ $ref: ref });
  return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
};

describe("the OpenAPI document's schemas", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it("name what they hold, and no schema is a reference to itself", () => {
    expect(Object.keys(schemas).sort()).toEqual([
      "AddLinkedAccountRequest",
      "Bank",
      "Collection",
      "CreateInvoiceRequest",
      "Error",
      "Invoice",
      "InvoicePage",
      "ListedInvoice",
    ]);
    for (const [name, schema] of Object.entries(schemas)) {
      expect(schema, name).not.toHaveProperty("$ref");
      expect(schema, name).toMatchObject({ type: "object", properties: expect.any(Object) });
    }
  });

  it.each(Object.keys(schemas))(
    "%s is compiled by ajv, and is not fooled by an empty object or a text",
    (name) => {
      const ref = `openapi#/components/schemas/${name}`;
      expect(problems(ref, {})).not.toEqual([]);
      expect(problems(ref, "text")).not.toEqual([]);
    },
  );

  it.each([
    ["Invoice", "get-invoice-paid"],
    ["Invoice", "get-invoice-unpaid"],
    ["Invoice", "create-invoice"],
    ["InvoicePage", "list-invoices-page-1"],
    ["InvoicePage", "list-invoices-paid"],
    ["Collection", "get-collection"],
  ])("%s takes the recorded answer %s", async (name, file) => {
    const folder = resolve(import.meta.dirname, "../../contracts/recorded-answers");
    expect(await readdir(folder)).toContain(`${file}.json`);
    const { data } = JSON.parse(await readFile(resolve(folder, `${file}.json`), "utf8"));
    expect(problems(`openapi#/components/schemas/${name}`, data)).toEqual([]);
    for (const field of ["id", "items"].filter((one) => one in data))
      expect(problems(`openapi#/components/schemas/${name}`, { ...data, [field]: 7 })).toHaveLength(1);
  });

  it("take what the service answers, refusals included, and what it is asked", async () => {
    const id = await service.create({ billerMetaData: { a: "b" } });
    const account = { linkedAccount: { bankId: 1, accountNumber: "5550001112" } };
    const calls: [string, string, string, number, unknown?][] = [
      ["get", "/api/v1/collections/{id}", OPEN_AMOUNT, 200],
      ["get", "/api/v1/collections/{id}", NOBODY, 404],
      ["get", "/api/v1/collections/{id}/invoices", OPEN_AMOUNT, 200],
      ["post", "/api/v1/invoices", "", 200, INVOICE],
      ["post", "/api/v1/invoices", "", 400, {}],
      ["get", "/api/v1/invoices/{id}", id, 200],
      ["get", "/api/v1/invoices/{id}", NOBODY, 404],
      ["post", "/api/v1/invoices/{id}/invalidate", id, 200],
      ["post", "/api/v1/invoices/{id}/invalidate", id, 412],
      ["post", "/api/v1/linked-accounts", "", 201, account],
      ["post", "/api/v1/linked-accounts", "", 400, account],
      ["get", "/api/v1/banks", "", 200],
    ];
    for (const [method, path, pathId, status, body] of calls) {
      const reply = await service.api(method.toUpperCase(), path.replace("{id}", pathId), body);
      expect([path, reply.status]).toEqual([path, status]);
      expect([path, problems(answerOf(method, path, status), reply.body)]).toEqual([path, []]);
    }
    expect(problems("openapi#/components/schemas/CreateInvoiceRequest", INVOICE)).toEqual([]);
    expect(problems("openapi#/components/schemas/AddLinkedAccountRequest", account)).toEqual([]);
  });
});
