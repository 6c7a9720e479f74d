import { resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/console/admin-api/open-api.ts";
import { operations } from "../../src/console/admin-api/operations.ts";

const file = resolve(import.meta.dirname, "../../docs/admin-api.json");

describe("the admin API's document", () => {
  it("is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(openApiDocument()));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  it("names every operation once", () => {
    const ids = operations.map((operation) => operation.id);
    expect(new Set(ids).size).toBe(ids.length);
    const text = JSON.stringify(openApiDocument());
    for (const id of ids) expect(text).toContain(`"operationId":"${id}"`);
  });

  it("is what docs/admin-api.json holds (written anew by vitest run -u)", async () => {
    await expect(`${JSON.stringify(openApiDocument(), null, 2)}\n`).toMatchFileSnapshot(file);
  });
});
