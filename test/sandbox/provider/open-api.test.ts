import { resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openApiDocument } from "../../../src/sandbox/provider/open-api-document.ts";
import { call, startTestService } from "./service-fixture.ts";

const checkedIn = resolve(import.meta.dirname, "../../../docs/openapi.json");

describe("the OpenAPI document", () => {
  it("in docs/openapi.json is the one that the contract gives now (if not: vitest run -u on this file)", async () => {
    await expect(`${JSON.stringify(openApiDocument(), null, 2)}\n`).toMatchFileSnapshot(checkedIn);
  });

  it("is named, with the rest, to whoever opens the service's own address", async () => {
    const service = await startTestService();
    onTestFinished(() => service.close());
    const { status, text } = await service.api("GET", "/", undefined, null);
    expect(status).toBe(200);
    expect(text).toContain(`${service.url}/openapi.json`);
  });

  it("is served by the service, with its own address and path of Get Banks, which is then answered there", async () => {
    const service = await startTestService({ banksPath: "/api/v1/misc/banks" });
    try {
      const { body } = await call(`${service.url}/openapi.json`, "GET");
      expect(body.servers).toEqual([{ url: service.url }]);
      expect(Object.keys(body.paths)).toContain("/api/v1/misc/banks");
      expect((await service.api("GET", "/api/v1/misc/banks")).status).toBe(200);
      expect((await service.api("GET", "/api/v1/banks")).status).toBe(404);
    } finally {
      await service.close();
    }
  });
});
