import { makeDatabase, onDatabase, type PostgresServer } from "../../test/support/postgres-server.ts";
import { checkAllFound } from "../checker/check-events.ts";
import { evidenceOf, type Finding } from "../checker/evidence.ts";
import { countOpen } from "../checker/read-books.ts";
import type { World, WorldOptions } from "../environment/environment.ts";
import { endWorld, heal, judgeWorld, makeWorld, migrate } from "../environment/environment.ts";
import { until } from "../environment/until.ts";
import { Random } from "./random.ts";
import { type Planned, scheduleOf } from "./schedule.ts";
import { startUntilItRuns, strikeAll } from "./strike.ts";
import { Traffic } from "./traffic.ts";

export interface TortureOptions extends Omit<WorldOptions, "databaseUrl"> {
  server: PostgresServer;
  /** How long traffic lasts, in ms. */
  lengthMs: number;
  /** How many invoices to start per second. */
  perSecond: number;
  /** Whether every source sees some of the invoices; by default none. */
  shared?: boolean;
  /** How long it may take to come to rest afterwards, in ms; a minute by default. */
  restWithinMs?: number | undefined;
  /** The faults, instead of those that the seed draws. */
  plan?: readonly Planned[];
}

export interface Verdict {
  findings: Finding[];
  /** Whether everything came to rest in time. */
  rested: boolean;
  /** Statistics of the run. */
  figures: Record<string, number>;
}

/**
 * Over ten minutes, made-up ids and those that the provider forgets amount to a flood, in which unknown ids
 * have to wait. Other tests cover that; here nothing should wait.
 */
const NO_FLOOD = { UNKNOWN_RATE_PER_SECOND: "1000" };

const REST_WITHIN_MS = 60_000;

/** Runs traffic under faults, waits for rest, and judges the history. */
export async function torture(options: TortureOptions): Promise<Verdict> {
  const { server, seed, lengthMs, perSecond, relays = 2, sources = 2, leaseMs = 2_000 } = options;
  const databaseUrl = onDatabase(server.url, await makeDatabase(server.url));
  const settings = { ...NO_FLOOD, ...options.settings };
  const world = await makeWorld({ ...options, databaseUrl, relays, sources, leaseMs, settings });
  try {
    await migrate(world);
    await Promise.all(world.relays.map((relay) => relay.start()));
    const traffic = new Traffic(world, new Random(seed, "traffic"), options.shared ?? false);
    const plan = options.plan ?? scheduleOf({ seed, lengthMs, relays, leaseMs });
    const flowing = traffic.flow(perSecond, lengthMs);
    try {
      await strikeAll(world, { server, databaseUrl }, plan);
    } catch (error) {
      traffic.stop();
      throw error;
    } finally {
      await flowing;
    }
    heal(world);
    await Promise.all(world.relays.map(startUntilItRuns));
    const rested = await rest(world, options.restWithinMs);
    const { findings } = await judgeWorld(world);
    return { findings, rested, figures: figuresOf(world) };
  } finally {
    await endWorld(world);
  }
}

/** Waits until nothing is open and every payment is published. @returns false if that takes too long. */
export async function rest(world: World, withinMs = REST_WITHIN_MS): Promise<boolean> {
  const rests = async () => {
    if ((await countOpen(world.databaseUrl, 0)) > 0) return false;
    world.sns.recordAcceptances();
    return checkAllFound(evidenceOf(world.recorder.history)).next().done === true;
  };
  return await until(rests, { withinMs });
}

function figuresOf(world: World): Record<string, number> {
  const { callbacks, asked, accepted, became, alarms, troubles } = evidenceOf(world.recorder.history);
  return {
    invoices: new Set(became.map(({ invoiceId }) => invoiceId)).size,
    callbacks: callbacks.length,
    taken: callbacks.filter(({ taken }) => taken).length,
    asked: asked.length,
    accepted: accepted.length,
    acceptedTwice: accepted.length - new Set(accepted.map(({ topicArn, event }) => topicArn + event.id)).size,
    alarms: alarms.length,
    troubles: troubles.length,
  };
}
