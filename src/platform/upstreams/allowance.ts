import type { VersionedUpstream } from "./change.ts";
import { stateOf, type UpstreamPolicy } from "./machine.ts";

/** The state of a source's rate limits; times in ms, by Postgres' clock. */
export interface Buckets {
  allowance: number;
  allowanceAgeMs: number;
  /** Most unknown ids prove unknown. */
  isFlooded: boolean;
  /** How long until some unknown ids may be requested in a flood. */
  nextUnknownInMs: number;
}

export interface Limits {
  /** The most confirmations a second to this source; null for no limit. */
  ratePerSecond: number | null;
  /** The same for unknown ids, while most of them prove unknown. */
  unknownRatePerSecond: number;
}

interface Admission {
  total: number;
  /** A single request tries whether the upstream works again; the others wait for it. */
  trial: boolean;
  /** When there may be more, in ms; null when nothing but the work itself, or a person, is the limit. */
  moreInMs: number | null;
}

/** The same for a source, whose rate is limited. */
export interface Allowance extends Admission {
  /** Of these about unknown ids. */
  unknown: number;
  /** How long each of those keeps the next one waiting, in ms. */
  unknownGapMs: number;
  /** The content of the bucket before anything is taken. */
  bucket: number;
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

/**
 * Circuit breaker, token bucket and pace of unknown ids: how much of `wanted` may be requested of this source now.
 * Pure.
 */
export function allowanceOf(
  source: VersionedUpstream & Buckets,
  policy: UpstreamPolicy,
  limits: Limits,
  wanted: number,
): Allowance {
  const admission = admissionTo(source, policy, wanted);
  const { ratePerSecond, unknownRatePerSecond } = limits;
  const unknownGapMs = source.isFlooded ? 1_000 / unknownRatePerSecond : 0;
  // A refused key is tried with an id that no invoice has, never with a payment.
  if (admission.total === 0 || source.pausedBy !== null)
    return { ...admission, total: 0, trial: false, unknown: 0, unknownGapMs, bucket: source.allowance };
  const bucket = ratePerSecond === null ? source.allowance : refilled(source, ratePerSecond);
  const total = Math.min(admission.total, ratePerSecond === null ? wanted : Math.floor(bucket));
  const inFlood = source.nextUnknownInMs > 0 ? 0 : Math.floor(bucketSize(unknownRatePerSecond));
  const unknown = source.isFlooded ? Math.min(wanted, inFlood) : wanted;
  const waits = [
    total < wanted && ratePerSecond !== null ? 1_000 / ratePerSecond : null,
    unknown < wanted ? Math.max(source.nextUnknownInMs, unknown * unknownGapMs) : null,
  ].filter((wait) => wait !== null);
  return {
    total,
    trial: admission.trial,
    unknown: Math.min(unknown, total),
    unknownGapMs,
    bucket,
    moreInMs: waits.length > 0 ? Math.max(20, Math.min(...waits)) : null,
  };
}

const refilled = ({ allowance, allowanceAgeMs }: Buckets, ratePerSecond: number): number =>
  Math.min(bucketSize(ratePerSecond), allowance + (Math.max(0, allowanceAgeMs) / 1_000) * ratePerSecond);
