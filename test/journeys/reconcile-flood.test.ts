import { describe, it } from "vitest";
import { survivesFlood } from "../reconcile/flood.ts";

// Many thousand forged ones are in test/slow/in-numbers.test.ts.
describe("a flood of forged callbacks", () => {
  it(
    "does not keep genuine first ones among them waiting, nor eat the provider's quota",
    () => survivesFlood({ forged: 1_000, genuine: 10, stillWaiting: 700 }),
    120_000,
  );
});
