import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIVE_KEY, type TestService } from "../sandbox/provider/service-fixture.ts";
import {
  type DocumentedCall,
  documentedCalls,
  requestOf,
  startDocumentedService,
  withoutChance,
} from "./documented-calls.ts";

const calls = await documentedCalls();

describe("docs/collection-api.md", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startDocumentedService();
  });
  afterAll(() => service?.close());

  it("shows the seven operations and a refusal", () => {
    expect(calls.map(({ title }) => title)).toEqual([
      "Get Collection by ID",
      "Get Collection Invoices",
      "Create Invoice",
      "Get Invoice by ID",
      "Invalidate Invoice",
      "Add Linked Account",
      "Get Banks",
      "A refusal",
    ]);
  });

  it.each(calls.map((call): [string, DocumentedCall] => [call.title, call]))(
    "%s: sent as it stands there, it is answered as it stands there",
    async (_, call) => {
      const { url, init } = requestOf(call, service.url, LIVE_KEY);
      const answer: unknown = await (await fetch(url, init)).json();
      expect(withoutChance(call, answer)).toEqual(withoutChance(call, call.answer));
    },
  );
});
