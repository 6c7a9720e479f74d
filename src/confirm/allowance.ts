import { FLOODED } from "../database/source-is-open.ts";

/** The row of `source` that a claim takes its leave from, ages in ms by Postgres' clock. */
export interface Gate {
  pausedBy: "operator" | "key_refused" | null;
  /** How long it stays shut; 0 or less when it is open. */
  opensInMs: number;
  faults: number;
  allowance: number;
  allowanceAgeMs: number;
  unknownAllowance: number;
  unknownAllowanceAgeMs: number;
  /** How much of the unknown lane's answers were "not found" lately, from 0 to 1. */
  unknownShare: number;
}

export interface Limits {
  /** The most questions a second to this source; null for no limit. */
  ratePerSecond: number | null;
  /** The same for ids that nobody knows, while most of them prove unknown. */
  unknownRatePerSecond: number;
}

/** How many questions may be asked now. */
export interface Allowance {
  total: number;
  unknown: number;
  /** What is left in the buckets before anything is taken. */
  bucket: number;
  unknownBucket: number;
  /** When there may be more, in ms; null when nothing but the work itself is the limit. */
  moreInMs: number | null;
}

/** So many faults in a row shut the gate (the breaker); then one question at a time tries whether it opens. */
export const BREAKER_FAULTS = 5;

/** The buckets hold a fifth of a second, so that a limit a second is kept in any second, nearly. */
const bucketSize = (ratePerSecond: number) => Math.max(1, ratePerSecond / 5);

/** Token buckets and breaker: how much of `wanted` this source may be asked now. Pure. */
export function allowanceOf(gate: Gate, limits: Limits, wanted: number): Allowance {
  const closed = { total: 0, unknown: 0, bucket: gate.allowance, unknownBucket: gate.unknownAllowance };
  if (gate.pausedBy !== null) return { ...closed, moreInMs: null };
  if (gate.opensInMs > 0) return { ...closed, moreInMs: gate.opensInMs };

  const bucket = refilled(gate.allowance, gate.allowanceAgeMs, limits.ratePerSecond);
  const unknownBucket = refilled(
    gate.unknownAllowance,
    gate.unknownAllowanceAgeMs,
    limits.unknownRatePerSecond,
  );
  const probing = gate.faults >= BREAKER_FAULTS;
  const total = Math.min(probing ? 1 : wanted, limits.ratePerSecond === null ? wanted : Math.floor(bucket));
  const unknown = gate.unknownShare > FLOODED ? Math.floor(unknownBucket) : wanted;
  const waits = [
    total < wanted && limits.ratePerSecond !== null ? 1_000 / limits.ratePerSecond : null,
    unknown < wanted ? 1_000 / limits.unknownRatePerSecond : null,
  ].filter((wait) => wait !== null);
  return {
    total,
    unknown: Math.min(unknown, total),
    bucket,
    unknownBucket,
    moreInMs: waits.length > 0 ? Math.max(20, Math.min(...waits)) : null,
  };
}

function refilled(left: number, ageMs: number, ratePerSecond: number | null): number {
  if (ratePerSecond === null) return left;
  return Math.min(bucketSize(ratePerSecond), left + (Math.max(0, ageMs) / 1_000) * ratePerSecond);
}
