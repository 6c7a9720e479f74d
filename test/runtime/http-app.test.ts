import type { RequestHandler } from "express";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../src/platform/http/http-server.ts";
import { httpApp } from "../../src/runtime/http-app.ts";
import { rawSocket } from "../support/raw-socket.ts";
import { keptLog } from "../support/test-log.ts";

/** An app with one handler, and what it logs. */
async function serving(handler: RequestHandler) {
  const { lines, log } = keptLog();
  const server = await listen(httpApp([handler], log), { name: "test", port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close(0));
  return { url: server.url, lines };
}

it("a bug in a route is answered with a request id, under which the log tells where it is", async () => {
  const { url, lines } = await serving(async function findInvoice() {
    const invoices = new Map<string, { id: string }>();
    return (invoices.get("unknown") as { id: string }).id;
  });
  const answer = await fetch(`${url}/callbacks/s3cr3t-t0k3n`);
  const requestId = answer.headers.get("x-request-id");
  expect(answer.status).toBe(500);
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(await answer.text()).toContain(requestId);
  expect(lines).toMatchObject([{ level: "error", requestId, method: "GET" }]);
  expect(lines[0]?.stack).toMatch(/^at findInvoice \(.*http-app\.test\.ts:\d+:\d+\)/);
  expect(JSON.stringify(lines)).not.toContain("s3cr3t");
  // A second one has an id of its own, and its own line.
  await fetch(url);
  expect(new Set(lines.map((line) => line.requestId))).toHaveProperty("size", 2);
});

it("an answer that breaks in the middle is cut off, and told in the log like any other fault", async () => {
  const { url, lines } = await serving(async (_request, response) => {
    response.writeHead(200, { "content-length": 100 });
    await new Promise((resolve) => response.write("half", resolve));
    throw new Error("no row for ada@example.com");
  });
  expect(await rawSocket(url, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").ended).toMatch(/half$/);
  expect(lines).toMatchObject([{ level: "warn", method: "GET" }]);
  expect(JSON.stringify(lines)).not.toContain("ada@example.com");
});
