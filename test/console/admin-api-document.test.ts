import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/console/admin-api/open-api.ts";
import { operations } from "../../src/console/admin-api/operations.ts";

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
});
