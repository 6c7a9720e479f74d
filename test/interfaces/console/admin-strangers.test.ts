import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operations } from "../../../src/operations/list/list.ts";
import { adminApi } from "../../support/admin.ts";
import { anyText } from "../../support/any-text.ts";

describe("odd input to the admin API", () => {
  it("of any kind, at any operation, is never a fault of ours", async () => {
    const { call } = await adminApi();
    const text = fc.oneof(anyText({ maxLength: 20 }), fc.constantFrom("\0", "%", "\ud800", ""));
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
    const safe = operations.filter(({ id }) => !["certify", "reconcile"].includes(id));
    const fields = "kind filters source collection from to limit ids target dryRun work".split(" ");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...safe),
        text,
        fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 4 }),
        async ({ method, path }, id, given) => {
          const target = path.replaceAll(/\{\w+\}/g, encodeURIComponent(id.toWellFormed()) || "x");
          const query = new URLSearchParams(
            Object.entries(given).map(([name, one]): [string, string] => [
              name,
              typeof one === "string" ? one : JSON.stringify(one),
            ]),
          );
          const answer =
            method === "get"
              ? await call("GET", `${target}?${query}`)
              : await call("POST", target, { ...given, dryRun: true });
          expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
        },
      ),
      // As many as a crowded machine does meanwhile: what counts is that none fails.
      { numRuns: 150, interruptAfterTimeLimit: 20_000 },
    );
  });
});
