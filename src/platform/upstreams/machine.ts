import { backOffMs } from "../process/index.ts";

/** A source or topic that requests go to, as its row describes it. Times in ms from now, by Postgres' clock. */
export interface UpstreamRow {
  pausedBy: "operator" | "refused" | null;
  /** Failures in a row, and 429s in a row that named no moment. */
  faults: number;
  slowDowns: number;
  /** Nothing goes out before: back-off, open circuit breaker, or Retry-After. 0 or less when that is over. */
  opensInMs: number;
  /** The moment of Retry-After: only a person opens it earlier. Below 0 once it has passed, 0 without one. */
  retryInMs: number;
}

/** The outcome of requests to an upstream, or a person's action. */
export type UpstreamReport =
  | { kind: "works" }
  /** A list was read: 429s are over. Whether invoices are answered, it does not say. */
  | { kind: "list_read" }
  /** Time-out, 5xx, broken answer; so many since the last report. */
  | { kind: "failed"; times: number; error: string }
  /** 429. @param retryAfterMs null when the upstream named no moment. */
  | { kind: "slow_down"; retryAfterMs: number | null; error: string }
  /** It refuses us: a key, credentials, a topic that is not there. */
  | { kind: "refused"; error: string }
  /** A person stops it, until somebody resumes it. */
  | { kind: "pause"; reason: string | null }
  /** A person opens it, whatever it is that holds it. */
  | { kind: "resume" };

/** How one kind of upstream is treated. */
export interface UpstreamPolicy {
  /** From so many faults in a row the circuit breaker opens: nothing goes out, then one at a time. */
  opensAfter: number;
  /** From so many faults in a row an alarm is raised. */
  alarmsAfter: number;
  backOff: { firstMs: number; capMs: number };
  /** Tried `firstMs` after the refusal; then after as long as it has been refused, up to `capMs`. */
  probe: { firstMs: number; capMs: number };
  /** While a single request tries whether it works again, the others wait this long for it, in ms. */
  trialMs: number;
}

/**
 * The states that people are notified of: an upstream fails, refuses us, wants to wait too long, or is paused
 * by a person.
 */
export type UpstreamAlarm = "failing" | "paused" | "retry_after" | "standing";

/** The change of an upstream that follows from a report. */
export interface Transition {
  upstream: UpstreamRow;
  /** undefined: it stays as it is. */
  lastError: string | null | undefined;
  raises: { alarm: UpstreamAlarm; error: string }[];
  clears: UpstreamAlarm[];
  /** Of a pause by a person. */
  pause?: { reason: string | null };
}

/** The longest wait that an upstream is believed to need, in ms. */
export const RETRY_AFTER_LIMIT_MS = 900_000;

/** Answers to requests that were under way name the same moment within this, in ms: no second alarm. */
const UNDER_WAY_MS = 60_000;

/** A 429 without Retry-After, from the first to the longest wait, in ms. */
const UNSAID = { firstMs: 1_000, capMs: 30_000 };

export const STATES = ["closed", "backing_off", "half_open", "refused", "paused"] as const;
export type State = (typeof STATES)[number];

/** The state that docs/states.md draws. */
export function stateOf(upstream: UpstreamRow, { opensAfter }: UpstreamPolicy): State {
  if (upstream.pausedBy === "operator") return "paused";
  if (upstream.pausedBy === "refused") return "refused";
  if (upstream.opensInMs > 0) return "backing_off";
  return troublesInARow(upstream) >= opensAfter ? "half_open" : "closed";
}

const troublesInARow = ({ faults, slowDowns }: Pick<UpstreamRow, "faults" | "slowDowns">) =>
  faults + slowDowns;

/** Nothing is left of any trouble: successful requests need no note. */
export const isHealthy = (upstream: UpstreamRow): boolean =>
  upstream.pausedBy === null && troublesInARow(upstream) === 0 && upstream.retryInMs === 0;

/**
 * The state machine of sources and topics: the change that follows from a report, or null where nothing changes.
 * Pure. A late answer never shortens a wait that the upstream named, and only an operator ends an operator's pause.
 * @param jitter from 0 to 1: where the wait lies within its spread.
 */
export function transition(
  before: UpstreamRow,
  report: UpstreamReport,
  policy: UpstreamPolicy,
  jitter: number,
): Transition | null {
  const { pausedBy, faults, slowDowns, opensInMs } = before;
  const waited = before.retryInMs < 0;
  const retryInMs = Math.max(0, before.retryInMs);
  const endsWait = waited ? (["retry_after"] as const) : [];
  switch (report.kind) {
    case "works": {
      if (faults + slowDowns === 0 && pausedBy !== "refused" && !waited) return null;
      const still = pausedBy === "refused" ? null : pausedBy;
      return {
        upstream: { pausedBy: still, faults: 0, slowDowns: 0, opensInMs: retryInMs, retryInMs },
        lastError: null,
        raises: [],
        clears: ["failing", ...endsWait, ...(still === null ? (["paused"] as const) : [])],
      };
    }
    case "list_read":
      if (slowDowns === 0 && !waited) return null;
      return {
        upstream: { ...before, slowDowns: 0, retryInMs },
        lastError: faults === 0 ? null : undefined,
        raises: [],
        clears: [...(faults < policy.alarmsAfter ? (["failing"] as const) : []), ...endsWait],
      };
    case "failed":
      return startBackOff(before, { ...before, faults: faults + report.times }, report.error, policy, jitter);
    case "slow_down": {
      const { retryAfterMs, error } = report;
      if (retryAfterMs === null || retryAfterMs <= 0) {
        const unsaid = { ...policy, opensAfter: 1, backOff: UNSAID };
        return startBackOff(before, { ...before, slowDowns: slowDowns + 1 }, error, unsaid, jitter);
      }
      const namedMs = Math.max(before.retryInMs, Math.min(retryAfterMs, RETRY_AFTER_LIMIT_MS));
      const isNews =
        retryAfterMs > RETRY_AFTER_LIMIT_MS && before.retryInMs < RETRY_AFTER_LIMIT_MS - UNDER_WAY_MS;
      return {
        upstream: { ...before, retryInMs: namedMs, opensInMs: Math.max(opensInMs, namedMs) },
        lastError: error,
        raises: isNews ? [{ alarm: "retry_after", error }] : [],
        clears: [],
      };
    }
    case "refused": {
      if (pausedBy !== null) return null;
      const { error } = report;
      return {
        upstream: { ...before, pausedBy: "refused" },
        lastError: error,
        raises: [{ alarm: "paused", error }],
        clears: [],
      };
    }
    case "pause": {
      const { reason } = report;
      // An upstream that is paused already is paused anew only with a reason.
      if (pausedBy === "operator" && reason === null) return null;
      return {
        upstream: { ...before, pausedBy: "operator" },
        lastError: undefined,
        raises: [{ alarm: "standing", error: reason ?? "" }],
        clears: [],
        pause: { reason },
      };
    }
    case "resume":
      if (stateOf(before, policy) === "closed") return null;
      return {
        upstream: { pausedBy: null, faults: 0, slowDowns: 0, opensInMs: 0, retryInMs: 0 },
        lastError: null,
        raises: [],
        clears: ["failing", "paused", "retry_after", "standing"],
      };
  }
}

function startBackOff(
  before: UpstreamRow,
  counted: UpstreamRow,
  error: string,
  { opensAfter, alarmsAfter, backOff }: UpstreamPolicy,
  jitter: number,
): Transition {
  const inARow = troublesInARow(counted);
  // Not the later of the two: a failed trial gives up what was left of its time.
  const opensInMs =
    inARow < opensAfter ? before.opensInMs : backOffMs(inARow - opensAfter + 1, backOff, jitter);
  const isNews = troublesInARow(before) < alarmsAfter && inARow >= alarmsAfter;
  return {
    upstream: { ...counted, opensInMs: Math.max(before.retryInMs, opensInMs) },
    lastError: error,
    raises: isNews ? [{ alarm: "failing", error }] : [],
    clears: [],
  };
}
