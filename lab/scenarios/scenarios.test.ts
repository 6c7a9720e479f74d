import { expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/database.ts";
import { howMany } from "../how-many.ts";
import { openYard } from "./environment.ts";
import { runWorlds } from "./run-scenarios.ts";

/** A run that is the same everywhere; `npm run worlds -- --seed …` plays others. */
const SEED = 1;
/** Worlds mostly wait, each for its own relay. */
const AT_ONCE = 4;
const COUNT = howMany(100, 300);

it(`${COUNT} worlds: no false green, no false red, nothing that a sweep leaves unhealed (G10)`, async () => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const runs = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, n) => {
      const database = await createTestDatabase();
      const yard = await openYard(database.url);
      const count = COUNT / AT_ONCE;
      try {
        return await runWorlds(yard, { seed: SEED + n * count, count, shrunk: 3, say });
      } finally {
        await yard.close();
        await database.drop();
      }
    }),
  );
  expect(lines).toEqual([]);
  // Otherwise this proves little.
  for (const result of ["equal", "not_equal"])
    expect(runs.reduce((sum, { results }) => sum + (results[result] ?? 0), 0)).toBeGreaterThan(COUNT / 10);
}, 3_600_000);
