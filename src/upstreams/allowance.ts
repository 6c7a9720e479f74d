import type { VersionedUpstream } from "./change.ts";
import { stateOf, type UpstreamPolicy } from "./machine.ts";
import { FLOODED } from "./upstream-kind.ts";

/** What is left of a source's rate limits; ages in ms, by Postgres' clock. */
export interface Buckets {
  allowance: number;
  allowanceAgeMs: number;
  unknownAllowance: number;
  unknownAllowanceAgeMs: number;
  /** The share of "not found" in the latest answers about unknown ids, from 0 to 1. */
  unknownShare: number;
}

export interface Limits {
  /** The most confirmations a second to this source; null for no limit. */
  ratePerSecond: number | null;
  /** The same for unknown ids, while most of them prove unknown. */
  unknownRatePerSecond: number;
}

interface Admission {
  total: number;
  /** One exchange tries whether the upstream works again; the others wait for it. */
  trial: boolean;
  /** When there may be more, in ms; null when nothing but the work itself, or a person, is the limit. */
  moreInMs: number | null;
}

/** The same for a source, whose rate is limited. */
export interface Allowance extends Admission {
  unknown: number;
  /** Most unknown ids prove unknown: they are taken in turns by sender. */
  flooded: boolean;
  /** What is left in the buckets before anything is taken. */
  bucket: number;
  unknownBucket: number;
}

/** Whether the upstream takes anything now, and how much of `wanted`. Pure. */
export function admissionTo(upstream: VersionedUpstream, policy: UpstreamPolicy, wanted: number): Admission {
  const closed = (moreInMs: number | null): Admission => ({ total: 0, trial: false, moreInMs });
  const trial: Admission = { total: Math.min(1, wanted), trial: true, moreInMs: null };
  return {
    paused: closed(null),
    refused: upstream.probeInMs > 0 ? closed(upstream.probeInMs) : trial,
    backing_off: closed(upstream.opensInMs),
    half_open: trial,
    closed: { total: wanted, trial: false, moreInMs: null },
  }[stateOf(upstream, policy)];
}

/** A bucket holds a fifth of a second's worth, so that hardly any second exceeds the limit. */
const bucketSize = (ratePerSecond: number) => Math.max(1, ratePerSecond / 5);

/** Circuit breaker and token buckets: how much of `wanted` this source may be asked now. Pure. */
export function allowanceOf(
  source: VersionedUpstream & Buckets,
  policy: UpstreamPolicy,
  limits: Limits,
  wanted: number,
): Allowance {
  const flooded = source.unknownShare > FLOODED;
  const admission = admissionTo(source, policy, wanted);
  // A refused key is tried with an id that nobody has, never with a payment.
  if (admission.total === 0 || source.pausedBy !== null) {
    const { allowance: bucket, unknownAllowance: unknownBucket } = source;
    return { ...admission, total: 0, trial: false, unknown: 0, flooded, bucket, unknownBucket };
  }
  const { ratePerSecond, unknownRatePerSecond } = limits;
  const bucket = refilled(source.allowance, source.allowanceAgeMs, ratePerSecond);
  const unknownBucket = refilled(source.unknownAllowance, source.unknownAllowanceAgeMs, unknownRatePerSecond);
  const total = Math.min(admission.total, ratePerSecond === null ? wanted : Math.floor(bucket));
  const unknown = flooded ? Math.floor(unknownBucket) : wanted;
  const waits = [
    total < wanted && ratePerSecond !== null ? 1_000 / ratePerSecond : null,
    unknown < wanted ? 1_000 / unknownRatePerSecond : null,
  ].filter((wait) => wait !== null);
  return {
    total,
    trial: admission.trial,
    unknown: Math.min(unknown, total),
    flooded,
    bucket,
    unknownBucket,
    moreInMs: waits.length > 0 ? Math.max(20, Math.min(...waits)) : null,
  };
}

function refilled(left: number, ageMs: number, ratePerSecond: number | null): number {
  if (ratePerSecond === null) return left;
  return Math.min(bucketSize(ratePerSecond), left + (Math.max(0, ageMs) / 1_000) * ratePerSecond);
}
