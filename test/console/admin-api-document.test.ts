import { expect, it } from "vitest";
import { openApiDocument, openApiText } from "../../src/api/open-api.ts";
import { expectCheap } from "../support/expect-cheap.ts";

it("the admin API's document is generated once, not for each request (G12)", () => {
  expect(JSON.parse(openApiText())).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  expectCheap(openApiText, 0.2, openApiDocument);
});
