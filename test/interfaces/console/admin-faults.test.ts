import { expect, it, onTestFinished } from "vitest";
import { adminRouter, type Live } from "../../../src/interfaces/admin-api/index.ts";
import type { OperationParts } from "../../../src/operations/list/operation.ts";
import { listen } from "../../../src/platform/http/http-server.ts";
import { Secret } from "../../../src/platform/values/mask.ts";
import { httpApp } from "../../../src/runtime/http-app.ts";
import { keptLog } from "../../support/test-log.ts";

const TOKEN = "admin-token-0123456789abcdef01";

/** An admin API whose parts hold a bug, and what it logs. */
async function brokenApi(parts: Partial<OperationParts>) {
  const { lines, log } = keptLog();
  const router = adminRouter({
    parts: { mask: (text: string) => text, ...parts } as OperationParts,
    tokens: [{ name: "eve", role: "admin", token: new Secret(TOKEN) }],
    onRefused: () => undefined,
    live: {} as Live,
    peopleUseTls: false,
    log,
  });
  const server = await listen(httpApp([router], log), { name: "test", port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close(0));
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/admin/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, ...init.headers },
    });
  return { call, lines };
}

it("a bug in an operation is answered with a request id, under which the log tells where it is", async () => {
  const { call, lines } = await brokenApi({
    async activity() {
      return (undefined as unknown as { count: never }).count;
    },
  });
  const answer = await call("/activity");
  const requestId = answer.headers.get("x-request-id");
  expect(answer.status).toBe(500);
  expect(requestId).not.toBeNull();
  expect((await answer.json()).error).toContain(requestId);
  expect(lines).toMatchObject([
    {
      level: "error",
      requestId,
      operation: "readActivity",
      stack: expect.stringMatching(/^at .*activity \(test\/interfaces\/console\/admin-faults\.test\.ts:/),
    },
  ]);
});

it("and so is one that comes up while progress is told", async () => {
  const { call, lines } = await brokenApi({
    books: [],
    reconcile: async () => {
      throw new TypeError("a bug");
    },
  });
  const answer = await call("/reconcile", {
    method: "POST",
    headers: { accept: "application/x-ndjson", "content-type": "application/json" },
    body: JSON.stringify({ from: "2026-01-01", to: "2026-01-02", reason: "a test" }),
  });
  const [{ requestId, operation, stack } = {}] = lines;
  expect(operation).toBe("reconcile");
  expect(stack).toContain("admin-faults.test.ts");
  expect(await answer.text()).toContain(requestId);
});

// Which faults are whose: test/interfaces/cli/exit-codes.test.ts.
it.each([
  ["ECONNREFUSED", 503, "database_away"],
  ["42501", 409, "failed"],
])("a database that cannot (%s) is one line, told as a command tells it", async (code, status, kind) => {
  const error = Object.assign(new Error("permission denied for table source"), { code });
  const { call, lines } = await brokenApi({ activity: () => Promise.reject(error) });
  const answer = await call("/activity");
  expect([answer.status, answer.headers.get("x-request-id")]).toEqual([status, null]);
  expect(await answer.json()).toMatchObject({ code: kind });
  expect(lines).toMatchObject([{ level: "error", error: error.message }]);
});
