import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { z } from "zod";
import { type Operation, operations } from "../../src/operations/index.ts";
import { isUuid } from "../../src/platform/values/ids.ts";
import { adminApi } from "../support/admin.ts";
import { runCli } from "../support/cli-process.ts";
import { addInvoice } from "../support/log-rows.ts";

const TERM_1 = "0b0e7c1e-52a4-4f6a-9d0c-6f1f7c0a1e11";

type Example = { path?: Record<string, string>; query?: object; body?: Record<string, unknown> };

const shapeOf = (schema: unknown): Record<string, z.ZodType> => {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner instanceof z.ZodObject ? inner.shape : {};
};

/** A call of the operation for each place that may hold this field. */
function callsWith(one: Operation, field: "source" | "collection", value: string) {
  const { path = {}, query = {}, body = {} } = (one.example ?? {}) as Example;
  const [given, inBody] = [{ [field]: value }, shapeOf(one.body)];
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

it.each(["source", "collection"] as const)(
  "every operation refuses a %s that nobody knows, and names those there are",
  async (field) => {
    const api = await adminApi({ COLLECTION_IDS: TERM_1 });
    await addInvoice(api.harness, { collection_name: "Term 1" });
    const named: string[] = [];
    for (const one of operations as unknown as readonly Operation[]) {
      const takesId = [one.query, one.body].some((part) => {
        const schema = shapeOf(part)[field];
        return schema?.safeParse(randomUUID()).success === true && !schema.safeParse("Term 9").success;
      });
      const value = field === "collection" && takesId ? randomUUID() : "Term 9";
      for (const { path, body } of callsWith(one, field, value)) {
        const answer = await api.call(one.method.toUpperCase(), path, body);
        const known = field === "source" ? "default" : isUuid(value) ? TERM_1 : "Term 1";
        expect([one.id, answer.status, answer.body.code]).toEqual([one.id, 404, "not_found"]);
        for (const name of [value, known]) expect(answer.body.error, one.id).toContain(name);
        named.push(one.id);
      }
    }
    expect(named.length).toBeGreaterThan(field === "source" ? 20 : 8);
    expect(await api.harness.query("select from audit_entry where action <> 'sign_in'")).toEqual([]);
  },
);

it("a collection of an old payment is known, however many newer ones are in others; to a command too", async () => {
  const { harness, call } = await adminApi();
  await harness.query(
    `insert into invoice (id, source, status, collection_name, paid_at, asked_at, confirmed_at, digest, document)
     select gen_random_uuid(), 'default', 'Paid', case when n = 3000 then 'Old' else 'New' end, at, at, at, '', '{}'
     from generate_series(1, 3000) as n cross join lateral (select now() - n * interval '1 hour' as at) as at`,
  );
  expect(await call("GET", "/invoices?collection=Old")).toMatchObject({ status: 200 });
  const list = (name: string) => runCli(["quarantine", "list", "--collection", name], harness.environment());
  expect([(await list("Old")).code, (await list("Older")).code]).toEqual([0, 3]);
});
