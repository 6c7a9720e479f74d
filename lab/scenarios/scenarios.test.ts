import { expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/database.ts";
import { howMany } from "../how-many.ts";
import { openEnvironment } from "./environment.ts";
import { runScenarios } from "./run-scenarios.ts";

/** A run that is the same everywhere; `npm run scenarios -- --seed …` plays others. */
const SEED = 1;
/** Scenarios mostly wait, each for its own relay. */
const AT_ONCE = 4;
const COUNT = howMany(100, 300);

it(`${COUNT} scenarios: no false green, no false red, nothing that a sweep leaves unhealed (G10)`, async () => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const runs = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, n) => {
      const database = await createTestDatabase();
      const environment = await openEnvironment(database.url);
      const count = COUNT / AT_ONCE;
      try {
        return await runScenarios(environment, { seed: SEED + n * count, count, shrunk: 3, say });
      } finally {
        await environment.close();
        await database.drop();
      }
    }),
  );
  expect(lines).toEqual([]);
  // Otherwise this proves little.
  for (const result of ["equal", "not_equal"])
    expect(runs.reduce((sum, { results }) => sum + (results[result] ?? 0), 0)).toBeGreaterThan(COUNT / 10);
}, 3_600_000);
