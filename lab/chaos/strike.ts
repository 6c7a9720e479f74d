import { setTimeout as delay } from "node:timers/promises";
import type { Environment } from "../environment/environment.ts";
import type { Relay } from "../environment/relay.ts";
import { until } from "../environment/until.ts";
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
    const striking = (async () => {
      await delay(began + atMs - performance.now());
      await before;
      await strike(environment, faulty, { id: String(index), forMs, fault });
    })();
    lastAt.set(placeOf(fault), striking);
    return striking;
  });
  await Promise.all(strikes);
}

/** Carries out one fault from start to end. */
export async function strike(
  environment: Environment,
  faulty: Faulty,
  { id, forMs, fault }: { id: string; forMs: number; fault: PlannedFault },
): Promise<void> {
  const { on, ...detail } = fault;
  const tell = (state: "begins" | "ends") =>
    environment.recorder.record({ what: "fault", id, kind: on, state, detail: JSON.stringify(detail) });
  tell("begins");
  const end = await begin(environment, faulty, fault);
  await delay(forMs);
  await end();
  tell("ends");
}

/** Starts a fault. @returns a function that ends it. */
async function begin(
  environment: Environment,
  faulty: Faulty,
  fault: PlannedFault,
): Promise<() => Promise<void>> {
  switch (fault.on) {
    case "link": {
      const link = relayOf(environment, fault.relay).links[fault.link];
      link.fault(fault.fault);
      return async () => link.heal();
    }
    case "cut": {
      const link = relayOf(environment, fault.relay).links[fault.link];
      link.cut(fault.cut);
      return async () => link.heal();
    }
    case "process":
      return await disturb(relayOf(environment, fault.relay), fault.how);
    case "provider":
      environment.provider.feel(fault.behaviour);
      return async () => environment.provider.feel({ kind: "well" });
    case "sns":
      environment.sns.fault(fault.fault);
      return async () => environment.sns.calm();
    case "postgres":
      return await failPostgres(fault.how, faulty);
  }
}

async function disturb(relay: Relay, how: "kill" | "stop" | "pause"): Promise<() => Promise<void>> {
  if (how === "pause") {
    relay.process.pause();
    return async () => relay.process.continue();
  }
  await (how === "kill" ? relay.process.kill() : relay.process.stop());
  return () => startUntilItRuns(relay);
}

/** Starts a relay until it runs, as a supervisor would: it may end because Postgres is away. */
export async function startUntilItRuns(relay: Relay): Promise<void> {
  await until(async () => {
    if (!relay.runs) await relay.start().catch(() => undefined);
    return relay.runs;
  });
}

function relayOf({ relays }: Environment, index: number): Relay {
  const relay = relays[index];
  if (relay === undefined) throw new Error(`There is no relay ${index}.`);
  return relay;
}
