import { makeDatabase, onDatabase, type PostgresServer } from "../../test/support/postgres-server.ts";
import { checkAllFound } from "../checker/check-events.ts";
import { evidenceOf, type Finding } from "../checker/evidence.ts";
import { countOpen } from "../checker/read-books.ts";
import type { Environment, EnvironmentOptions } from "../environment/environment.ts";
import {
  endEnvironment,
  heal,
  judgeEnvironment,
  makeEnvironment,
  migrate,
} from "../environment/environment.ts";
import { until } from "../environment/until.ts";
import { Random } from "./random.ts";
import { type Planned, scheduleOf } from "./schedule.ts";
import { startUntilItRuns, strikeAll } from "./strike.ts";
import { Traffic } from "./traffic.ts";

export interface ChaosOptions extends Omit<EnvironmentOptions, "databaseUrl"> {
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
export async function chaos(options: ChaosOptions): Promise<Verdict> {
  const { server, seed, lengthMs, perSecond, relays = 2, sources = 2, leaseMs = 2_000 } = options;
  const databaseUrl = onDatabase(server.url, await makeDatabase(server.url));
  const settings = { ...NO_FLOOD, ...options.settings };
  const environment = await makeEnvironment({ ...options, databaseUrl, relays, sources, leaseMs, settings });
  try {
    await migrate(environment);
    await Promise.all(environment.relays.map((relay) => relay.start()));
    const traffic = new Traffic(environment, new Random(seed, "traffic"), options.shared ?? false);
    const plan = options.plan ?? scheduleOf({ seed, lengthMs, relays, leaseMs });
    const flowing = traffic.flow(perSecond, lengthMs);
    try {
      await strikeAll(environment, { server, databaseUrl }, plan);
    } catch (error) {
      traffic.stop();
      throw error;
    } finally {
      await flowing;
    }
    heal(environment);
    await Promise.all(environment.relays.map(startUntilItRuns));
    const rested = await rest(environment, options.restWithinMs);
    const { findings } = await judgeEnvironment(environment);
    return { findings, rested, figures: figuresOf(environment) };
  } finally {
    await endEnvironment(environment);
  }
}

/** Waits until nothing is open and every payment is published. @returns false if that takes too long. */
export async function rest(environment: Environment, withinMs = REST_WITHIN_MS): Promise<boolean> {
  const rests = async () => {
    if ((await countOpen(environment.databaseUrl, 0)) > 0) return false;
    environment.sns.recordAcceptances();
    return checkAllFound(evidenceOf(environment.recorder.history)).next().done === true;
  };
  return await until(rests, { withinMs });
}

function figuresOf(environment: Environment): Record<string, number> {
  const { callbacks, asked, accepted, became, alarms, troubles } = evidenceOf(environment.recorder.history);
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
