import { setTimeout as delay } from "node:timers/promises";
import type { Environment } from "../environment/environment.ts";
import { type Faulty, failPostgres } from "./postgres-faults.ts";
import { type Planned, type PlannedFault, placeOf } from "./schedule.ts";

/**
 * Carries out a plan; resolves when the last fault is over. The history records the start and end of each
 * fault.
 */
export async function strikeAll(
  environment: Environment,
  faulty: Faulty,
  plan: readonly Planned[],
): Promise<void> {
  const began = performance.now();
  // A restart may take longer than planned: the next fault in the same place waits for it.
  const lastAt = new Map<string, Promise<void>>();
  const strikes = plan.map(({ atMs, forMs, fault }, index) => {
    const before = lastAt.get(placeOf(fault));
    const { on, ...detail } = fault;
    const tell = (state: "begins" | "ends") =>
      environment.recorder.record({
        ...{ what: "fault", id: String(index), kind: on, state, detail: JSON.stringify(detail) },
      });
    const striking = (async () => {
      await delay(began + atMs - performance.now());
      await before;
      tell("begins");
      const end = await begin(environment, faulty, fault);
      await delay(forMs);
      await end();
      tell("ends");
    })();
    lastAt.set(placeOf(fault), striking);
    return striking;
  });
  await Promise.all(strikes);
}

/** Starts a fault. @returns a function that ends it. */
async function begin(environment: Environment, faulty: Faulty, fault: PlannedFault): Promise<() => unknown> {
  const { provider, sns, relays } = environment;
  const relay = relays["relay" in fault ? fault.relay : 0];
  if (relay === undefined) throw new Error("There is no such relay.");
  switch (fault.on) {
    case "link":
      relay.links[fault.link].fault(fault.fault);
      return () => relay.links[fault.link].heal();
    case "cut":
      relay.links[fault.link].cut(fault.cut);
      return () => relay.links[fault.link].heal();
    case "process":
      if (fault.how !== "pause") {
        await relay.process[fault.how]();
        return () => relay.startUntilItRuns();
      }
      relay.process.pause();
      return () => relay.process.continue();
    case "provider":
      provider.behave(fault.behaviour);
      return () => provider.behave({ kind: "well" });
    case "sns":
      sns.addFault(fault.fault);
      return () => sns.clearFaults();
    case "postgres":
      return await failPostgres(fault.how, faulty);
  }
}
