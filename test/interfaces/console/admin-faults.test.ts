import { expect, it, onTestFinished } from "vitest";
import { adminRouter } from "../../../src/interfaces/admin-api/index.ts";
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
    peopleUseTls: false,
    log,
  });
  const server = await listen(httpApp([router], log), { name: "test", port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close(0));
  const test = () =>
    fetch(`${server.url}/admin/v1/alarms/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  return { test, lines };
}

it("a bug in an operation is answered with a request id, under which the log tells where it is", async () => {
  const { test, lines } = await brokenApi({
    async tryWebhook() {
      return (undefined as unknown as { count: never }).count;
    },
  });
  const answer = await test();
  const requestId = answer.headers.get("x-request-id");
  expect(answer.status).toBe(500);
  expect(requestId).not.toBeNull();
  expect((await answer.json()).error).toContain(requestId);
  expect(lines).toMatchObject([
    {
      level: "error",
      requestId,
      operation: "testAlarms",
      stack: expect.stringMatching(/^at tryWebhook .*admin-faults\.test\.ts:/),
    },
  ]);
});

// Which faults are whose: test/interfaces/cli/exit-codes.test.ts.
it.each([
  ["ECONNREFUSED", 503, "database_away"],
  ["42501", 409, "failed"],
])("a database that cannot (%s) is one line, told as a command tells it", async (code, status, kind) => {
  const error = Object.assign(new Error("permission denied for table source"), { code });
  const { test, lines } = await brokenApi({ tryWebhook: () => Promise.reject(error) });
  const answer = await test();
  expect([answer.status, answer.headers.get("x-request-id")]).toEqual([status, null]);
  expect(await answer.json()).toMatchObject({ code: kind });
  expect(lines).toMatchObject([{ level: "error", error: error.message }]);
});
