import { expect, it } from "vitest";
import { runWorlds } from "../faults/worlds/run-worlds.ts";
import { openYard } from "../faults/worlds/yard.ts";
import { createTestDatabase } from "../support/database.ts";
import { howMany } from "./how-many.ts";

/** A run that is the same everywhere; `npm run worlds -- --seed …` plays others. */
const SEED = 1;
/** Worlds mostly wait, each for its own relay. */
const AT_ONCE = 4;
const COUNT = howMany(100, 300);

async function playWorlds(seed: number) {
  const database = await createTestDatabase();
  const yard = await openYard(database.url);
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  try {
    return { ...(await runWorlds(yard, { seed, count: COUNT / AT_ONCE, shrunk: 3, say })), lines };
  } finally {
    await yard.close();
    await database.drop();
  }
}

it(`${COUNT} worlds: no false green, no false red, nothing that a sweep leaves unhealed (G10)`, async () => {
  const seeds = Array.from({ length: AT_ONCE }, (_, n) => SEED + (n * COUNT) / AT_ONCE);
  const runs = await Promise.all(seeds.map(playWorlds));
  for (const { failures, lines } of runs) expect(failures, lines.join("\n")).toEqual([]);
  // Otherwise this proves little.
  const count = (result: "equal" | "not_equal") =>
    runs.reduce((sum, run) => sum + (run.results[result] ?? 0), 0);
  expect(count("equal")).toBeGreaterThan(COUNT / 10);
  expect(count("not_equal")).toBeGreaterThan(COUNT / 10);
}, 3_600_000);
