import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { z } from "zod";
import { type Operation, operations } from "../../src/operations/index.ts";
import { adminApi } from "../support/admin.ts";

type Example = { path?: Record<string, string>; query?: object; body?: Record<string, unknown> };

const shapeOf = (schema: unknown): Record<string, z.ZodType> => {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner instanceof z.ZodObject ? inner.shape : {};
};

/** A call of the operation for each place that may hold a source. */
function callsWith(one: Operation, source: string) {
  const { path = {}, query = {}, body = {} } = (one.example ?? {}) as Example;
  const [field, given, inBody] = ["source", { source }, shapeOf(one.body)];
  const filters = { ...(body.filters as object), ...given };
  const where = one.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? randomUUID());
  return [
    ...(field in shapeOf(one.query) ? [{ query: { ...query, ...given }, body }] : []),
    ...(field in inBody ? [{ query, body: { ...body, ...given } }] : []),
    ...(field in shapeOf(inBody.filters) ? [{ query, body: { ...body, ids: undefined, filters } }] : []),
  ].map((call) => ({
    path: `${where}?${new URLSearchParams(call.query as Record<string, string>)}`,
    body: one.method === "get" ? undefined : call.body,
  }));
}

it("every operation refuses a source that nobody knows, and names those there are", async () => {
  const api = await adminApi();
  const named: string[] = [];
  for (const one of operations as unknown as readonly Operation[])
    for (const { path, body } of callsWith(one, "shop-9")) {
      const answer = await api.call(one.method.toUpperCase(), path, body);
      expect([one.id, answer.status, answer.body.code]).toEqual([one.id, 404, "not_found"]);
      for (const name of ["shop-9", "default"]) expect(answer.body.error, one.id).toContain(name);
      named.push(one.id);
    }
  expect(named.length).toBeGreaterThan(18);
  expect(await api.harness.query("select from audit_entry where action <> 'sign_in'")).toEqual([]);
});
