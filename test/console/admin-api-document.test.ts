import { describe, expect, it } from "vitest";
import { openApiDocument, openApiText } from "../../src/api/open-api.ts";
import { operations } from "../../src/operate/operations/list.ts";
import { expectCheap } from "../support/expect-cheap.ts";

describe("the admin API's document", () => {
  it("names every operation once", () => {
    const ids = operations.map((operation) => operation.id);
    expect(new Set(ids).size).toBe(ids.length);
    const text = JSON.stringify(openApiDocument());
    for (const id of ids) expect(text).toContain(`"operationId":"${id}"`);
  });

  it("is generated once, not for each request (G12)", () => {
    expect(JSON.parse(openApiText())).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    expectCheap(openApiText, 0.2, openApiDocument);
  });
});
