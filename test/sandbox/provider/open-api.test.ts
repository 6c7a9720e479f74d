import { resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openApiDocument } from "../../../src/sandbox/provider/open-api-document.ts";
import { startTestService } from "./service-fixture.ts";

const checkedIn = resolve(import.meta.dirname, "../../../docs/openapi.json");

// biome-ignore lint/suspicious/noExplicitAny: the document as any reader has it
const document = openApiDocument() as any;
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
});
