import pg from "pg";
import { expect } from "vitest";
import type { TestService } from "./service-fixture.ts";

/** How many rows of a kind the service has. */
export async function count(service: TestService, table: "invoice" | "linked_account"): Promise<number> {
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  const { rows } = await client.query(`select count(*)::int as count from collection_service.${table}`);
  await client.end();
  return rows[0].count;
}

/** It is refused in the interface's own words, which name the field. */
export function refusedAt(
  reply: { status: number; body: unknown; text: string },
  status: number,
  field: string,
): void {
  expect(reply.status, reply.text).toBe(status);
  expect(reply.body).toEqual({
    status,
    message: expect.any(String),
    type: expect.stringMatching(/^[A-Z_]+$/),
    errors: expect.any(Array),
  });
  expect((reply.body as { errors: string[] }).errors.join("\n")).toContain(field);
}
