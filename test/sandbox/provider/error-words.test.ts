import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseFaults } from "../../../src/sandbox/provider/faults/faults.ts";
import { DEFAULT_SEED_FILE, parseSeed } from "../../../src/sandbox/provider/seed.ts";
import { INVOICE, startTestService, type TestService } from "./service-fixture.ts";

/** How the validator speaks by itself. */
const VALIDATORS =
  /Invalid (input|option|string|UUID|key|element|ISO|URL)|Unrecognized|Too (small|big)|expected /;

const messageOf = (run: () => unknown): string => {
  try {
    run();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("error messages that reach people", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it("the first problem stands in message, all of them in errors", async () => {
    const { status, body } = await service.api("POST", "/api/v1/invoices", {
      ...INVOICE,
      amount: -1,
      title: "",
    });
    expect(status).toBe(400);
    expect(body.message).toContain("title should not be empty");
    expect(body.errors[0]).toBe(body.message);
    expect(body.errors).toHaveLength(2);
  });

  it.each<[string, unknown, string]>([
    ["/faults", { calback: {} }, "The request holds calback, which is not known here"],
    ["/faults", { callback: 7 }, "callback should be an object"],
    ["/faults", { callback: { copies: "2" } }, "callback.copies should be a number"],
    ["/faults", { callback: { copies: 21 } }, "callback.copies should be at most 20"],
    ["/faults", { callback: { variants: [] } }, "callback.variants should have at least 1 entry"],
    ["/faults", { api: [{ answer: "418" }] }, "api[0].answer should be 401, 403, 404, "],
    // A timer that is set for longer rings at once.
    ["/faults", { api: [{ delayMs: 2 ** 31 }] }, "api[0].delayMs should be at most 2073600000"],
    ["/faults", { list: { order: "rude" } }, "list.order should be "],
    ["/faults", [], "The request should be an object"],
    ["/faults", "{", "The request's body is not JSON"],
  ])("the control side at %s says of %j: %s", async (path, body, message) => {
    const reply = await service.control("PUT", path, body);
    expect(reply.status).toBe(400);
    expect(reply.body.message).toContain(message);
  });

  it("no word of the validator's own comes through, whatever is put where", async () => {
    const seed = JSON.parse(await readFile(DEFAULT_SEED_FILE, "utf8"));
    const places = ["callback", "api", "list", "http", "limits"];
    const json = fc.jsonValue({ maxDepth: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.constantFrom(...Object.keys(seed)),
        json,
        async (place, field, value) => {
          const faults = { [place]: value };
          const reply = await service.control("PUT", "/faults", faults);
          expect([200, 400]).toContain(reply.status);
          const said = [
            reply.status === 400 ? reply.text : "",
            messageOf(() => parseFaults(JSON.stringify(faults))),
            messageOf(() => parseSeed({ ...seed, [field]: value })),
            messageOf(() => parseSeed({ ...seed, faults })),
          ].join("\n");
          expect(said).not.toMatch(VALIDATORS);
        },
      ),
      { numRuns: 300 },
    );
  });
});
