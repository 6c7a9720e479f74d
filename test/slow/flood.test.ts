import { describe, it } from "vitest";
import { survivesFlood } from "../reconcile/flood.ts";

describe("20,000 forged callbacks", () => {
  it(
    "do not keep 200 genuine first ones among them waiting, nor eat the provider's quota",
    () => survivesFlood({ forged: 20_000, genuine: 200, stillWaiting: 15_000 }),
    600_000,
  );
});
