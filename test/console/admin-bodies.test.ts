import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/operate/operations/list.ts";
import { ADMIN, type AdminApi, adminApi } from "../support/admin.ts";
import { addConfirmation, wholeDatabase } from "../support/log-rows.ts";

const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, randomUUID());

const FORM = "application/x-www-form-urlencoded";

/** A POST as some client sends it: the body as it is, and this type or none. */
async function post(
  { relay }: AdminApi,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type?: string,
) {
  const answer = await fetch(`${relay.url}/admin/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN}`, ...(type !== undefined && { "content-type": type }) },
    body,
  });
  return { status: answer.status, error: String(((await answer.json()) as { error?: string }).error) };
}

describe("a body that the admin API does not read", () => {
  it("is refused by every operation: a dry run is never carried out for real", async () => {
    const api = await adminApi();
    await addConfirmation(api.harness);
    const before = await wholeDatabase(api.harness);
    const posts = [...operations.filter(({ method }) => method === "post"), { path: "/session" }];
    const bytes = new TextEncoder().encode('{"dryRun":true}');
    for (const { path } of posts)
      for (const [body, type] of [
        ['{"dryRun":true}', FORM],
        ['{"dryRun":true}', "text/plain"],
        ['{"dryRun":true}', "application/merge-patch+json"],
        ["dryRun=true", FORM],
        [bytes, undefined],
      ] as const) {
        const { status, error } = await post(api, pathOf(path), body, type);
        expect([status, path]).toEqual([415, path]);
        expect(error).toMatch(/^Send the (body as JSON|file itself), with the header Content-Type: /);
      }
    expect(await wholeDatabase(api.harness)).toEqual(before);
  });

  it("is refused in a character set or an encoding that is unknown", async () => {
    const api = await adminApi();
    const odd = await post(api, "/retention", '{"dryRun":true}', "application/json; charset=latin1");
    expect(odd).toEqual({ status: 415, error: expect.stringContaining("charset") });
    const packed = await api.send("POST", "/retention", {
      headers: { authorization: `Bearer ${ADMIN}`, "content-encoding": "zstd2" },
      body: { dryRun: true },
    });
    expect(packed.status).toBe(415);
  });

  it("may be left out: then all of it has its defaults", async () => {
    const api = await adminApi();
    const id = await addConfirmation(api.harness);
    const headers = { authorization: `Bearer ${ADMIN}` };
    expect((await api.send("POST", `/invoices/${id}/erase`, { headers })).status).toBe(200);
    const typed = { ...headers, "content-type": "application/json" };
    expect((await api.send("POST", `/invoices/${id}/erase`, { headers: typed })).status).toBe(200);
  });
});

describe("a parameter that an operation does not have", () => {
  it("is refused by name, whether it was meant for the body or misspelled", async () => {
    const api = await adminApi();
    const id = await addConfirmation(api.harness);
    const before = await wholeDatabase(api.harness);
    for (const [method, path] of [
      ["POST", `/invoices/${id}/erase?dryRun=true`],
      ["POST", "/retention?dryRun=true"],
      ["GET", "/invoices?dryRun=true"],
      ["GET", `/invoices/${id}?dryRun=true`],
      ["GET", "/status?dryRun=true"],
    ] as const) {
      const answer = await api.call(method, path);
      expect([answer.status, path]).toEqual([400, path]);
      expect(answer.body.error).toContain("dryRun");
    }
    expect(await wholeDatabase(api.harness)).toEqual(before);
  });
});
