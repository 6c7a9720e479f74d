import type { ConsoleWorld } from "./console-world.ts";

/** The provider is away: its circuit breaker opens, and payments wait to be confirmed. */
export async function takeProviderAway(world: ConsoleWorld): Promise<void> {
  await world.service.control("PUT", "/faults", { api: [{ operations: ["getInvoice"], answer: "500" }] });
  for (let n = 1; n <= 12; n += 1) await world.pay(await world.invoice(`waiting-${n}`));
  await world.until(
    "select count(*)::int as n from alarm where name = 'source_failing' and cleared_at is null",
    [],
    [{ n: 1 }],
  );
}
