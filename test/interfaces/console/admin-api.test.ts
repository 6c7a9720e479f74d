import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openApiDocument, openApiText } from "../../../src/interfaces/admin-api/open-api.ts";
import { operations } from "../../../src/operations/list/list.ts";
import { ADMIN, adminApi, fits } from "../../support/admin.ts";
import { expectCheap } from "../../support/expect-cheap.ts";
import { addConfirmation, addEvents, wholeDatabase } from "../../support/log-rows.ts";

const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, randomUUID());

it("the admin API's document is generated once, not for each request (G12)", () => {
  expect(JSON.parse(openApiText())).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  expectCheap(openApiText, 0.2, openApiDocument);
});

describe("the admin API", () => {
  it("answers 401 to whoever has no token of ours, at every operation, and does nothing", async () => {
    const { harness, send } = await adminApi();
    const before = await wholeDatabase(harness);
    for (const { method, path } of [...operations, { method: "get", path: "/openapi.json" }]) {
      for (const token of [null, "", `${ADMIN}x`, ADMIN.slice(0, -1)]) {
        const answer = await send(method.toUpperCase(), pathOf(path), {
          headers: token === null ? {} : { authorization: `Bearer ${token}` },
          ...(method === "post" && { body: {} }),
        });
        expect(answer.status, path).toBe(401);
      }
    }
    expect(await wholeDatabase(harness)).toEqual(before);
  });

  it("answers 405 and what it allows to a method that a path does not take", async () => {
    const { call } = await adminApi();
    const paths = Object.entries(openApiDocument().paths as Record<string, object>);
    expect(paths.length).toBeGreaterThan(30);
    for (const [path, methods] of paths) {
      const { status, headers } = await call("PATCH", pathOf(path.replace("/admin/v1", "")), {});
      const allowed = Object.keys(methods).flatMap((method) =>
        method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
      );
      expect([path, status, headers.get("allow")?.split(", ").sort()]).toEqual([path, 405, allowed.sort()]);
    }
  });

  // Every command's operation, and what its schema says: test/operations/operations.test.ts.
  it("answers what its document says of replays as well, to be kept by nobody", async () => {
    const { harness, call } = await adminApi();
    await addEvents(harness, 2);
    const replay = await call("POST", "/replays", { kind: "events", rate: 1_000 });
    const calls: [id: string, method: string, path: string, body?: unknown][] = [
      ["listReplays", "GET", "/replays"],
      ["showReplay", "GET", `/replays/${replay.body.replay.id}`],
      ["startReplay", "POST", "/replays", { kind: "events", dryRun: true }],
      ["startReplay", "POST", "/replays", { kind: "callbacks", filters: { refused: true } }],
    ];
    for (const [id, method, path, body] of calls) {
      const answer = await call(method, path, body);
      expect(answer.status, `${id}: ${JSON.stringify(answer.body)}`).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      fits(id, answer.body);
    }
  });

  it("takes any UUID for an invoice's id, whatever version and variant its bits name", async () => {
    const { harness, call } = await adminApi();
    const id = "b8e1a2d0-5f6e-4d3c-2f61-08d9f5d1b3a4";
    await addConfirmation(harness, { invoice_id: id, state: "dead", verdict: "pending", attempt: 8 });
    const calls: [method: string, path: string, body?: unknown][] = [
      ["GET", `/invoices/${id}`],
      ["GET", `/audit?invoiceId=${id}`],
      ["POST", "/dead-letters/retry", { ids: [id], dryRun: true }],
      ["POST", "/replays", { kind: "callbacks", filters: { invoiceIds: [id] }, dryRun: true }],
    ];
    for (const [method, path, body] of calls)
      expect(await call(method, path, body), path).toMatchObject({ status: 200 });
  });
});
