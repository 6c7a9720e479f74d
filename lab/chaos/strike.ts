import { setTimeout as delay } from "node:timers/promises";
import type { World } from "../environment/environment.ts";
import type { Relay } from "../environment/relay.ts";
import { until } from "../environment/until.ts";
import { type Faulty, failPostgres } from "./postgres-faults.ts";
import { type Planned, type PlannedFault, placeOf } from "./schedule.ts";

/**
 * Carries out a plan; resolves when the last fault is over. The history records the start and end of each
 * fault.
 */
export async function strikeAll(world: World, faulty: Faulty, plan: readonly Planned[]): Promise<void> {
  const began = performance.now();
  // A restart may take longer than planned: the next fault in the same place waits for it.
  const lastAt = new Map<string, Promise<void>>();
  const strikes = plan.map(({ atMs, forMs, fault }, index) => {
    const before = lastAt.get(placeOf(fault));
    const striking = (async () => {
      await delay(began + atMs - performance.now());
      await before;
      await strike(world, faulty, { id: String(index), forMs, fault });
    })();
    lastAt.set(placeOf(fault), striking);
    return striking;
  });
  await Promise.all(strikes);
}

/** Carries out one fault from start to end. */
export async function strike(
  world: World,
  faulty: Faulty,
  { id, forMs, fault }: { id: string; forMs: number; fault: PlannedFault },
): Promise<void> {
  const { on, ...detail } = fault;
  const tell = (state: "begins" | "ends") =>
    world.recorder.record({ what: "fault", id, kind: on, state, detail: JSON.stringify(detail) });
  tell("begins");
  const end = await begin(world, faulty, fault);
  await delay(forMs);
  await end();
  tell("ends");
}

/** Starts a fault. @returns a function that ends it. */
async function begin(world: World, faulty: Faulty, fault: PlannedFault): Promise<() => Promise<void>> {
  switch (fault.on) {
    case "link": {
      const link = relayOf(world, fault.relay).links[fault.link];
      link.fault(fault.fault);
      return async () => link.heal();
    }
    case "cut": {
      const link = relayOf(world, fault.relay).links[fault.link];
      link.cut(fault.cut);
      return async () => link.heal();
    }
    case "process":
      return await disturb(relayOf(world, fault.relay), fault.how);
    case "provider":
      world.provider.feel(fault.mood);
      return async () => world.provider.feel({ kind: "well" });
    case "sns":
      world.sns.fault(fault.fault);
      return async () => world.sns.calm();
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

function relayOf({ relays }: World, index: number): Relay {
  const relay = relays[index];
  if (relay === undefined) throw new Error(`There is no relay ${index}.`);
  return relay;
}
