import type { LocalSns } from "../../src/sandbox/sns/start-local-sns.ts";
import type { Cut, LinkFault } from "../../test/support/tcp-proxy.ts";
import type { Behaviour } from "../environment/provider.ts";
import type { LinkName } from "../environment/relay.ts";
import { Random } from "./random.ts";

type SnsFault = Parameters<LocalSns["addFault"]>[0];

/** A fault; `relay` counts from 0. */
export type PlannedFault =
  | { on: "link"; relay: number; link: LinkName; fault: LinkFault }
  | { on: "cut"; relay: number; link: LinkName; cut: Cut }
  | { on: "process"; relay: number; how: "kill" | "stop" | "pause" }
  | { on: "provider"; behaviour: Behaviour }
  | { on: "sns"; fault: SnsFault }
  | { on: "postgres"; how: PostgresFault };

/**
 * - `restart-fast`, `restart-immediate`: away for as long as the fault lasts
 * - `terminate`: every session of the relay ends
 * - `read-only`: like a standby
 * - `full`: no connections are left
 * - `serialization`, `deadlock`: the next writes to every table fail with this error
 * - `locked`: tables are locked against writes
 */
const POSTGRES_FAULTS = [
  "restart-fast",
  "restart-immediate",
  "terminate",
  "read-only",
  "full",
  "serialization",
  "deadlock",
  "locked",
] as const;

/** `fail-over` stands only in a plan made by hand, for a server with a standby. */
export type PostgresFault = (typeof POSTGRES_FAULTS)[number] | "fail-over";

export interface Planned {
  /** From the start of the run, in ms. */
  atMs: number;
  forMs: number;
  fault: PlannedFault;
}

interface ScheduleOptions {
  seed: number;
  /** The period in which faults begin, in ms. */
  lengthMs: number;
  relays: number;
  leaseMs: number;
}

/** The schedule of faults: the same options give the same plan. No place has two faults at once. */
export function scheduleOf({ seed, lengthMs, relays, leaseMs }: ScheduleOptions): Planned[] {
  const random = new Random(seed, "schedule");
  const busyUntil = new Map<string, number>();
  const plan: Planned[] = [];
  for (let atMs = 1_000; atMs < lengthMs; atMs += random.between(200, 1_500)) {
    const fault = drawFault(random, relays);
    const forMs =
      fault.on === "process" && fault.how === "pause"
        ? random.between(leaseMs, 3 * leaseMs)
        : random.between(300, 4_000);
    const place = placeOf(fault);
    if ((busyUntil.get(place) ?? 0) > atMs) continue;
    busyUntil.set(place, atMs + forMs + 500);
    plan.push({ atMs, forMs, fault });
  }
  return plan;
}

/** The place of a fault; each has only one fault at a time. */
export function placeOf(fault: PlannedFault): string {
  if (fault.on === "link" || fault.on === "cut") return `${fault.relay} ${fault.link}`;
  return fault.on === "process" ? `${fault.relay} process` : fault.on;
}

const LINKS = ["callbacks", "postgres", "provider", "sns"] as const;

function drawFault(random: Random, relays: number): PlannedFault {
  const relay = random.between(0, relays - 1);
  const link = random.one(LINKS);
  const way = random.one(["to", "from", "both"] as const);
  switch (random.one(["link", "link", "cut", "cut", "process", "provider", "sns", "postgres"] as const)) {
    case "link":
      return { on: "link", relay, link, fault: drawLinkFault(random, way) };
    case "cut":
      return { on: "cut", relay, link, cut: drawCut(random, link) };
    case "process":
      return { on: "process", relay, how: random.one(["kill", "stop", "pause"] as const) };
    case "provider":
      return { on: "provider", behaviour: drawBehaviour(random) };
    case "sns":
      return { on: "sns", fault: drawSnsFault(random) };
    case "postgres":
      return { on: "postgres", how: random.one(POSTGRES_FAULTS) };
  }
}

function drawLinkFault(random: Random, way: "to" | "from" | "both"): LinkFault {
  const kind = random.one(["refuse", "black-hole", "hang"] as const);
  return kind === "black-hole" ? { kind, way } : { kind };
}

function drawCut(random: Random, link: LinkName): Cut {
  const when = random.one(["request", "before", "during", "after"] as const);
  const times = random.between(1, 5);
  return link === "postgres" && random.share() < 0.5 ? { when, times, matching: "commit" } : { when, times };
}

function drawBehaviour(random: Random): Behaviour {
  const share = random.one([0.3, 0.7, 1]);
  return random.one<Behaviour>([
    { kind: "down", share },
    { kind: "slow", ms: random.between(300, 3_000), share },
    { kind: "cut", share },
    { kind: "hang", share },
    { kind: "broken", share },
    { kind: "other-id", share },
    { kind: "limit", retryAfterS: random.between(1, 3), share },
    { kind: "refuse" },
    { kind: "gateway", share },
    { kind: "forget", share },
  ]);
}

function drawSnsFault(random: Random): SnsFault {
  const times = random.between(1, 6);
  return random.one<SnsFault>([
    { kind: "throttle", times },
    { kind: "internal-error", times },
    { kind: "slow", delayMs: random.between(200, 2_000), times },
    { kind: "drop", times },
    { kind: "hang", times: 2 },
    { kind: "refuse-credentials", times },
    { kind: "topic-missing", times },
    { kind: "fail-entries", times },
    { kind: "empty-answer", times },
  ]);
}
