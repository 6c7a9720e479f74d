import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, describe, expect, it } from "vitest";
import { openApiDocument } from "../../../src/sandbox/provider/open-api-document.ts";
import { startTestService } from "./service-fixture.ts";

const checkedIn = resolve(import.meta.dirname, "../../../docs/openapi.json");

// biome-ignore lint/suspicious/noExplicitAny: the document as any reader has it
const document = openApiDocument() as any;
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema(document, "openapi");

const problems = (ref: string, value: unknown) => {
  const check = ajv.compile({ $ref: `openapi#${ref}` });
  return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
};

/** What the answer of an operation is held against, by its status. */
const answerOf = (method: string, path: string, status: number) => {
  const escaped = path.replaceAll("/", "~1").replaceAll(/[{}]/g, (sign) => encodeURIComponent(sign));
  return document.paths[path][method].responses[status].$ref === undefined
    ? `/paths/${escaped}/${method}/responses/${status}/content/application~1json/schema`
    : `/components/responses/Error${status}/content/application~1json/schema`;
};

const service = await startTestService({ banksPath: "/api/v1/misc/banks" });
afterAll(service.close);

describe("the OpenAPI document", () => {
  it("in docs/openapi.json is the one that the contract gives now (if not: vitest run -u on this file)", async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(checkedIn);
  });

  it("is served with the service's own address and path of Get Banks, and named at its front page", async () => {
    const { text } = await service.api("GET", "/", undefined, null);
    expect(text).toContain(`${service.url}/openapi.json`);
    const { body } = await service.api("GET", "/openapi.json", undefined, null);
    expect(body.servers).toEqual([{ url: service.url }]);
    expect(Object.keys(body.paths)).toContain("/api/v1/misc/banks");
    expect((await service.api("GET", "/api/v1/misc/banks")).status).toBe(200);
    expect((await service.api("GET", "/api/v1/banks")).status).toBe(404);
  });

  it.each([
    ["get-collection", "get /api/v1/collections/{id}", 200],
    ["list-invoices-page-1", "get /api/v1/collections/{id}/invoices", 200],
    ["list-invoices-paid", "get /api/v1/collections/{id}/invoices", 200],
    ["create-invoice", "post /api/v1/invoices", 200],
    ["get-invoice-paid", "get /api/v1/invoices/{id}", 200],
    ["get-invoice-unpaid", "get /api/v1/invoices/{id}", 200],
    ["get-invoice-unknown", "get /api/v1/invoices/{id}", 404],
    ["invalidate-invoice", "post /api/v1/invoices/{id}/invalidate", 200],
    ["invalidate-invoice-refused", "post /api/v1/invoices/{id}/invalidate", 412],
    ["add-linked-account", "post /api/v1/linked-accounts", 201],
    ["add-linked-account-refused", "post /api/v1/linked-accounts", 400],
    ["get-banks", "get /api/v1/banks", 200],
  ])("takes the recorded answer %s, and refuses it without its message", async (file, called, status) => {
    const [method = "", path = ""] = called.split(" ");
    const recorded = resolve(import.meta.dirname, `../../contracts/recorded-answers/${file}.json`);
    const { message, ...answer } = JSON.parse(await readFile(recorded, "utf8"));
    const ref = answerOf(method, path, status);
    expect(problems(ref, { message, ...answer })).toEqual([]);
    expect(problems(ref, answer)).toHaveLength(1);
  });
});
