import { sql } from "kysely";
import { expect, it } from "vitest";
import { registerUpstreams, takeTurn } from "../../../src/platform/upstreams/upstream-rows.ts";
import { ownDatabase } from "../../support/database.ts";

/** One call in 100 s: nothing comes back while the test runs. */
const RATE = 0.01;

it("calls that read lists under a rate limit are a quarter of all that it allows, however many readers there are (G11)", async () => {
  const { db } = await ownDatabase();
  await registerUpstreams(db, { sources: ["default"], topics: [] });
  const fill = () => sql`update source set allowance = 1, allowance_at = clock_timestamp()`.execute(db);

  await fill();
  const take = () => takeTurn(db, "default", RATE);
  const readers = await Promise.all([1, 2, 3].map(() => take()));
  expect(readers.filter(({ granted }) => granted)).toHaveLength(1);

  await fill();
  const next = await take();
  expect(next.granted).toBe(false);
  expect(next.nextInMs).toBeGreaterThan(200_000);
  expect(next.nextInMs).toBeLessThanOrEqual(400_000);

  await sql`update source set list_at = clock_timestamp()`.execute(db);
  expect(await take()).toMatchObject({ granted: true });
});
