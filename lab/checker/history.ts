import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * What was seen of a run from outside, and in which words: those of the interface and of SNS, no type of the
 * relay.
 */
interface Happenings {
  /** The first: describes the run. */
  begun: {
    seed: number;
    /** By name: the topics that belong to a source. */
    sources: Record<string, { topicArn: string; testTopicArn: string | null }>;
    /** How long a lease lasts, in ms. */
    leaseMs: number;
  };
  /** A callback leaves for the relay. */
  sent: {
    /** Sent as the header `x-webhook-id`, so that its row in the log can be found. */
    id: string;
    to: string;
    source: string;
    method: string;
    query: string;
    /** SHA-256 of the body, hex. */
    body: string;
    /** The invoices that it names, which the relay has to find. */
    invoiceIds: string[];
  };
  /** `status` is null when no answer came. */
  answered: { id: string; status: number | null; retryAfter: string | null };
  /** The invoice's state at the provider changed; `sources` are those whose keys may see it. */
  became: { invoiceId: string; status: string; type: string; sources: string[] };
  /** A Get Invoice arrived at the provider; `ask` joins it with its answer. */
  asked: { ask: string; source: string; invoiceId: string };
  said: {
    ask: string;
    status: number;
    /** The answer's `data`; null without it, or when the answer did not follow the interface. */
    invoice: Record<string, unknown> | null;
    /** The Retry-After of a 429; null otherwise. */
    retryAfterS: number | null;
    /** `cut`: the provider broke off; `closed`: the caller disconnected first. */
    end: "whole" | "cut" | "closed";
  };
  /** SNS took a message; `replay` is the message attribute of that name. */
  accepted: { topicArn: string; messageId: string; message: string; replay: string | null };
  /** A process logged that it raised an alarm, or that one ended. */
  alarm: { process: string; name: string; source: string; subject: string; raised: boolean };
  /** A message about this alarm reached the webhook: times as written, ISO 8601, the end null while it is open. */
  told: { name: string; source: string; subject: string; raisedAt: string; clearedAt: string | null };
  /** Beginning and end of a fault have the same `id`. */
  fault: { id: string; kind: string; state: "begins" | "ends"; detail: string };
  process: {
    name: string;
    pid: number;
    state: "started" | "killed" | "paused" | "continued" | "stopping" | "ended";
    /** Once it has ended: what it did, such as `serve`, and its exit code; null after a signal. */
    doing?: string;
    code?: number | null;
  };
}

/** Times are in ms since 1970 by the machine's clock. */
export type Happening<What extends keyof Happenings = keyof Happenings> = {
  [One in What]: { what: One; at: number } & Happenings[One];
}[What];

type Untimed = Happening extends infer One ? (One extends { at: number } ? Omit<One, "at"> : never) : never;

/** Fractional ms since 1970. */
export const now = (): number => performance.timeOrigin + performance.now();

/** Keeps what is seen of a run, and writes it down for whoever looks into a red one. */
export class Recorder {
  readonly #file: number;
  readonly #seen: Happening[] = [];

  /** @param folder where `history.ndjson` is written, a line each. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = openSync(join(folder, "history.ndjson"), "a");
  }

  record(happening: Untimed, at = now()): void {
    const seen = { at, ...happening } as Happening;
    this.#seen.push(seen);
    writeSync(this.#file, `${JSON.stringify(seen)}\n`);
  }

  /** Everything recorded so far, in order of time. */
  get history(): Happening[] {
    return this.#seen.toSorted((one, other) => one.at - other.at);
  }

  close(): void {
    closeSync(this.#file);
  }
}
