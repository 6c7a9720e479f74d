import { makeDatabase, onDatabase, type PostgresServer } from "../../test/support/postgres-server.ts";
import { evidenceOf, type Finding } from "../checker/evidence.ts";
import {
  checkEnvironment,
  type Environment,
  heal,
  makeEnvironment,
  rest,
} from "../environment/environment.ts";
import { Random } from "./random.ts";
import { type Planned, scheduleOf } from "./schedule.ts";
import { strikeAll } from "./strike.ts";
import { Traffic } from "./traffic.ts";

interface ChaosOptions {
  server: PostgresServer;
  folder: string;
  seed: number;
  /** How long traffic lasts, in ms. */
  lengthMs: number;
  /** How many invoices to start per second. */
  perSecond: number;
  relays?: number;
  /** The faults, instead of those that the seed draws. */
  plan?: readonly Planned[];
}

interface Verdict {
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

const LEASE_MS = 2_000;

/** Runs traffic under faults, waits for rest, and checks the history. */
export async function chaos({ server, lengthMs, relays = 2, ...options }: ChaosOptions): Promise<Verdict> {
  const databaseUrl = onDatabase(server.url, await makeDatabase(server.url));
  const { folder, seed, plan = scheduleOf({ seed, lengthMs, relays, leaseMs: LEASE_MS }) } = options;
  const environment = await makeEnvironment({
    ...{ folder, seed, databaseUrl, relays, sources: 2, leaseMs: LEASE_MS, settings: NO_FLOOD },
  });
  try {
    await Promise.all(environment.relays.map((relay) => relay.start()));
    const traffic = new Traffic(environment, new Random(seed, "traffic"));
    const flowing = traffic.flow(options.perSecond, lengthMs);
    try {
      await strikeAll(environment, { server, databaseUrl }, plan);
    } catch (error) {
      traffic.stop();
      throw error;
    } finally {
      await flowing;
    }
    heal(environment);
    await Promise.all(environment.relays.map((relay) => relay.startUntilItRuns()));
    const rested = await rest(environment);
    const { findings } = await checkEnvironment(environment);
    return { findings, rested, figures: figuresOf(environment) };
  } finally {
    await environment.close();
  }
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
