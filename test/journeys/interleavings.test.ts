import fc from "fast-check";
import { describe, it } from "vitest";
import { surroundings } from "../support/relay.ts";
import { NOT_FOUND } from "../support/scripted-provider.ts";
import { step } from "./interleaved-steps.ts";
import { takenApart, World } from "./interleaved-world.ts";

describe("whatever happens in whatever order", () => {
  it("G2, G4, G5 and G6 hold", async () => {
    const around = await surroundings();
    around.provider.otherwise(NOT_FOUND);
    const parts = await takenApart(around);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const world = new World(around, parts);
        for (const next of steps) {
          await world.happen(next);
          await world.holds();
        }
        await world.settles();
      }),
      { numRuns: 40 },
    );
  });
});
