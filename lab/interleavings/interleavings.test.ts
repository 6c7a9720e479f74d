import fc from "fast-check";
import { describe, it } from "vitest";
import { startHarness } from "../../test/support/relay.ts";
import { NOT_FOUND } from "../../test/support/scripted-provider.ts";
import { Scenario, takenApart } from "./interleaved-scenario.ts";
import { step } from "./interleaved-steps.ts";

describe("whatever happens in whatever order", () => {
  it("G2, G4, G5 and G6 hold", async () => {
    const harness = await startHarness();
    harness.provider.otherwise(NOT_FOUND);
    const parts = await takenApart(harness);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const scenario = new Scenario(harness, parts);
        for (const next of steps) {
          await scenario.happen(next);
          await scenario.holds();
        }
        await scenario.settles();
      }),
      { numRuns: 40 },
    );
  });
});
