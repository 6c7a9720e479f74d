import { setTimeout as delay } from "node:timers/promises";
import { checkAllFound } from "../checker/all-found.ts";
import { evidenceOf } from "../checker/evidence.ts";
import type { Finding } from "../checker/finding.ts";
import { judgeFolder } from "../checker/judge-run.ts";
import { countOpen } from "../checker/read-books.ts";
import { readHistory } from "../history/recorder.ts";
import { makeDatabase, onDatabase, type PostgresServer } from "../world/postgres-server.ts";
import {
  endWorld,
  heal,
  keepBooks,
  makeWorld,
  migrate,
  type World,
  type WorldOptions,
} from "../world/world.ts";
import { Random } from "./random.ts";
import { type Planned, scheduleOf } from "./schedule.ts";
import { startUntilItRuns, strikeAll } from "./strike.ts";
import { Traffic } from "./traffic.ts";

export interface TortureOptions extends Omit<WorldOptions, "databaseUrl"> {
  server: PostgresServer;
  /** How long there is traffic, in ms. */
  lengthMs: number;
  /** How many stories of invoices begin a second. */
  perSecond: number;
  /** Whether some invoices are seen by every source; none are when left out. */
  shared?: boolean;
  /** How long it may take to come to rest afterwards, in ms; a minute when left out. */
  restWithinMs?: number | undefined;
  /** The faults, instead of those that the seed draws. */
  plan?: readonly Planned[];
}

export interface Verdict {
  findings: Finding[];
  /** Whether all came to rest within the time that it had. */
  rested: boolean;
  /** What the run was like, in numbers. */
  figures: Record<string, number>;
}

/**
 * In ten minutes the ids that nobody has, and those that the provider forgets, come to be a flood, in which
 * unknown ids wait by right. That has tests of its own; here nothing is to wait.
 */
const NO_FLOOD = { UNKNOWN_RATE_PER_SECOND: "1000" };

const REST_WITHIN_MS = 60_000;

/** Traffic under faults, then calm; judges what it left in its folder. */
export async function torture(options: TortureOptions): Promise<Verdict> {
  const { server, seed, lengthMs, perSecond, folder, relays = 2, sources = 2, leaseMs = 2_000 } = options;
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
    await heal(world);
    await Promise.all(world.relays.map(startUntilItRuns));
    const rested = await rest(world, options.restWithinMs);
    await keepBooks(world);
    return { findings: judgeFolder(folder), rested, figures: figuresOf(world) };
  } finally {
    await endWorld(world);
  }
}

/** Waits until nothing is open and all that is paid is published. @returns false when that does not come. */
export async function rest(world: World, withinMs = REST_WITHIN_MS): Promise<boolean> {
  for (const until = Date.now() + withinMs; Date.now() < until; await delay(250)) {
    if ((await countOpen(world.databaseUrl, 0)) > 0) continue;
    await world.sns.recordAcceptances();
    if (checkAllFound(evidenceOf(readHistory(world.folder))).length === 0) return true;
  }
  return false;
}

function figuresOf(world: World): Record<string, number> {
  const { callbacks, asked, accepted, became, alarms, troubles } = evidenceOf(readHistory(world.folder));
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
